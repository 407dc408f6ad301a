"""Everything that a rater has answered, to be looked at and, while the protocol allows, changed."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from captious.campaigns.records import Task
from captious.campaigns.work import assignment
from captious.protocols.capabilities import KnownPast
from captious.web import forms, pages
from captious.web.errors import documented_pages
from captious.web.guard import security
from captious.web.pages import Texts, texts
from captious.web.rater.task_page import picture
from captious.web.rater.work_pages import by_itself, show_task
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
PAGE = 25
NEWEST = 2**31 - 1


class Said(NamedTuple):
    """One answered task: what was asked and answered, and where it can be changed ("" where not)."""

    image: str
    captions: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]
    time: float
    change: str


@router.get("/answers/{slug}", response_class=HTMLResponse, responses=documented_pages(401))
def own_answers(
    request: Request, slug: str, before: Annotated[int, Query(ge=1, le=NEWEST)] = NEWEST
) -> Response:
    """The rater's own answers, newest first."""
    at = security.current_rater(request, slug)
    db = security.db_of(request)
    t = texts(at.campaign.settings.language)
    found = assignment.own_answers(db, at.rater, before=before, count=PAGE + 1)
    rules = at.campaign.rules()
    seen = [
        task
        for task in found[:PAGE]
        if db.now() - (task.answered_at or 0.0) <= KnownPast.of(rules).look_back_seconds(task.item)
    ]
    said = [_said(slug, task, t, may_change=assignment.may_change(db, at.rater, task)) for task in seen]
    more = found[PAGE - 1].response_id if len(found) > PAGE and len(seen) == PAGE else None
    return pages.render(
        request,
        "rater/answers.html",
        texts_of=t,
        at=at,
        slug=slug,
        said=said,
        more=more,
        newest=before == NEWEST,
    )


def _said(slug: str, task: Task, t: Texts, *, may_change: bool) -> Said:
    given = task.answered or {}
    several = len(task.item.captions) > 1
    answers = []
    for field in task.item.form.fields:
        if field.name in given and given[field.name] not in ("", {}):
            label = t.say(field.label)
            about = f"{field.caption}: " if field.caption and several else ""
            answers.append((f"{about}{label}", forms.described(field, given[field.name], t)))
    return Said(
        picture(slug, task.digest),
        tuple(caption.text for caption in task.item.captions),
        tuple(answers),
        task.answered_at or 0.0,
        f"/work/{slug}/{task.token}" if may_change else "",
    )


@router.get("/work/{slug}/{task}", response_class=HTMLResponse, responses=documented_pages(401, 409))
def reopen(request: Request, slug: str, task: str) -> Response:
    """A task of the rater's own: the one in hand, or an answer to be corrected."""
    at = security.current_rater(request, slug)
    db = security.db_of(request)
    found = assignment.task(db, at.rater, task)
    if found.answered is not None and not assignment.may_change(db, at.rater, found):
        raise Refusal(409, "work.too_late")
    if found.answered is not None:
        assignment.open_again(db, at.rater, task)
    return show_task(request, at, by_itself(request, at, found))
