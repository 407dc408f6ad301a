"""An item on which raters differ: all answers side by side, and the decision."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from captious.campaigns.quality import adjudication
from captious.campaigns.quality.adjudication import Disagreement
from captious.campaigns.records import Account, Campaign, Receipt
from captious.campaigns.store import images, recordings
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.charts.marked_text import marked_html
from captious.errors import InputError
from captious.protocols import Answer, Item, Problem
from captious.protocols.findings import caption_of
from captious.web import forms, pages
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Manager,
    Run,
    Seen,
    Viewer,
    Written,
    head,
    show,
    words,
)
from captious.web.admin.models import CampaignHead, ShownCaption
from captious.web.forms import answers_to
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.pages import Texts
from captious.web.rater.task_page import picture
from captious.web.rater.work_pages import idempotency_key
from captious.web.refusals import Refusal

router = APIRouter()
# The item that was decided just before, for those who want it back.
Came = Annotated[str, Query(alias="from", max_length=400)]


class DisputedItem(NamedTuple):
    """An item in dispute, with the stage of each answer."""

    one: Disagreement
    stages: dict[str, str]


@dataclass(frozen=True)
class ShownAnswer:
    """One rater's answer to one question, as stored and in words."""

    value: Answer | None
    words: str


@dataclass(frozen=True)
class QuestionRow:
    """A question with everyone's answers, in the order of the columns."""

    field: str
    caption: str
    label: str
    differs: bool
    answers: list[ShownAnswer]


@dataclass(frozen=True)
class AnswerColumn:
    """Whose answers a column holds, and of which stage."""

    rater: str
    stage: str
    time: float


@dataclass(frozen=True)
class DisagreementPage:
    """One item with every answer side by side."""

    campaign: CampaignHead
    item: str
    image: str
    image_url: str | None
    stage: str
    why: str
    spread: float
    captions: list[ShownCaption]
    columns: list[AnswerColumn]
    questions: list[QuestionRow]
    decided: dict[str, Any] | None
    place: adjudication.Place


@router.get("/api/admin/c/{slug}/disagreements/{item:path}", **TWIN)
def disagreement_twin(request: Request, campaign: Seen, db: Db, item: str) -> DisagreementPage:
    """One item with every answer side by side."""
    return side_by_side(db, campaign, _found(db, campaign, item), words(request))


@router.get("/admin/c/{slug}/disagreements/{item:path}", **PAGE)
def disagreement_view(
    request: Request, account: Viewer, campaign: Seen, db: Db, item: str, came: Came = ""
) -> Response:
    """One item with every answer side by side, and the form that decides."""
    found = _found(db, campaign, item)
    return _page(request, account, campaign, db, found, starting_point(found.one), came=came)


@router.post(
    "/admin/c/{slug}/disagreements/{item:path}",
    **WRITE,
    openapi_extra=form_body(
        {
            "key": "Idempotency key",
            "take": "Number of the rater whose answers stand, from 1",
            "undo": "yes: take the last decision back",
        },
        required=["csrf", "key"],
        open_ended=True,
    ),
)
def decide(request: Request, account: Manager, campaign: Run, db: Db, item: str, form: Written) -> Response:
    """Store the decision (one's own, or a rater's answers), or take the last one back.

    What raters said stays as it was. The next disagreement that is not decided comes up.
    """
    found = _found(db, campaign, item)
    key = idempotency_key(security.text_field(form, "key"))
    if security.text_field(form, "undo"):
        return _undone(request, account, campaign, db, found, key)
    taken = security.text_field(form, "take")
    if taken:
        answers = answers_of(found.one, taken)
    else:
        answers = answers_to(found.one.item, form, partial(recordings.keep, db, campaign))
    try:
        outcome = adjudication.adjudicate(
            db, campaign, found.one.item.key, answers, actor=account.name, key=key
        )
    except InputError as error:
        outcome = [Problem("", str(error))]
    if isinstance(outcome, Receipt):
        queue = f"/admin/c/{campaign.slug}/disagreements"
        following = adjudication.place(db, campaign, found.one.item.key).open_after
        if not following:
            return pages.redirect(request, queue, flash="admin.flash.all_adjudicated")
        back = f"{queue}/{quote(following)}?from={quote(found.one.item.key)}"
        return pages.redirect(request, back, flash="admin.flash.adjudicated")
    return _page(request, account, campaign, db, found, answers, outcome)


def _undone(
    request: Request, account: Account, campaign: Campaign, db: Database, found: DisputedItem, key: str
) -> Response:
    try:
        adjudication.take_back(db, campaign, found.one.item.key, actor=account.name, key=key)
    except InputError as error:
        return _page(
            request, account, campaign, db, found, starting_point(found.one), [Problem("", str(error))]
        )
    here = f"/admin/c/{campaign.slug}/disagreements/{quote(found.one.item.key)}"
    return pages.redirect(request, here, flash="admin.flash.taken_back")


def answers_of(one: Disagreement, place: str) -> dict[str, object]:
    """The answers of the rater in a column (counted from 1) to the questions of the form."""
    if not place.isdecimal() or not 1 <= int(place) <= len(one.responses):
        raise Refusal(422, "admin.errors.decision")
    given = one.responses[int(place) - 1].answers
    return {name: answer for name, answer in given.items() if one.item.form.field(name) is not None}


def _found(db: Database, campaign: Campaign, key: str) -> DisputedItem:
    try:
        one = adjudication.disagreement(db, campaign, key)
        keys = dict.fromkeys(response.item for response in one.responses)
        stages = {name: responses.item(db, campaign, name).stage for name in keys}
    except InputError:
        raise Refusal(404, "error.404") from None
    return DisputedItem(one, stages)


def side_by_side(db: Database, campaign: Campaign, found: DisputedItem, t: Texts) -> DisagreementPage:
    """Every question in a row, every answer in a column."""
    one, stages = found
    item = one.item
    questions = []
    for field in item.form.fields:
        answers = [response.answers.get(field.name) for response in one.responses]
        if all(answer in (None, {}) for answer in answers):
            continue
        questions.append(
            QuestionRow(
                field=field.name,
                caption=field.caption,
                label=t.say(field.label),
                differs=any(answer != answers[0] for answer in answers[1:]),
                answers=[
                    ShownAnswer(value=answer, words=forms.described(field, answer, t)) for answer in answers
                ],
            )
        )
    return DisagreementPage(
        campaign=head(campaign),
        item=item.key,
        image=item.image,
        image_url=picture(campaign.slug, images.digest_of(db, campaign, item.image)) or None,
        stage=item.stage,
        why=one.why,
        spread=one.spread,
        captions=[
            ShownCaption(key=c.key, text=c.text, systems=list(item.sources[c.key])) for c in item.captions
        ],
        columns=[AnswerColumn(rater=r.rater, stage=stages[r.item], time=r.time) for r in one.responses],
        questions=questions,
        decided=one.decided,
        place=adjudication.place(db, campaign, item.key),
    )


def side_by_side_marks(found: DisputedItem) -> Markup:
    """The captions with what each rater marked in them; nothing where no question asks for places."""
    one, pictures = found.one, []
    for field in one.item.form.fields:
        by_rater = {}
        for response in one.responses:
            answer = response.answers.get(field.name)
            places = None if answer is None else field.rules.places(field, answer)
            if places is not None:
                by_rater[response.rater] = places
        pictures.append(marked_html(caption_of(one.item, field).text, by_rater))
    return Markup("".join(pictures))


def starting_point(one: Disagreement) -> dict[str, object]:
    """What the form begins with: the decision, or else what all raters agree on."""
    if one.decided is not None:
        return dict(one.decided)
    if not one.responses:
        return {}
    found: dict[str, object] = {}
    for field in one.item.form.fields:
        given = [response.answers.get(field.name) for response in one.responses]
        answers = [answer for answer in given if answer is not None]
        common = field.rules.common(field, answers) if len(answers) == len(given) else None
        if common is not None:
            found[field.name] = common
    return found


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    found: DisputedItem,
    answers: Mapping[str, object],
    problems: Sequence[Problem] = (),
    came: str = "",
) -> Response:
    t = words(request)
    plain: Item = replace(found.one.item, prior={})
    form = forms.view(plain, t, answers=answers, problems=problems, with_presets=False)
    return show(
        request,
        "adjudicate.html",
        account,
        campaign=head(campaign),
        here="disagreements",
        page=side_by_side(db, campaign, found, t),
        form=form,
        marked=side_by_side_marks(found),
        key=secrets.token_urlsafe(16),
        came=came,
        status_code=422 if problems else 200,
    )
