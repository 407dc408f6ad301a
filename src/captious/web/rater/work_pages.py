"""The rater's pages: the next task, an answer, a draft, the last answer again, the guide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.records import AnsweredAlready, EntryNeeded, RaterProgress, Receipt, Task
from captious.campaigns.store import recordings
from captious.campaigns.store.recordings import BadRecording
from captious.campaigns.work import aside, assignment, responses
from captious.campaigns.work.desk import Desk, desk
from captious.protocols import Item, Problem
from captious.web import pages
from captious.web.crowd import arrivals
from captious.web.errors import Responses, documented_pages, wants_json
from captious.web.forms.form_answers import FINE, all_fine, answers_to, seen_by, touched
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.rater.conflicting_answers import ask_first
from captious.web.rater.entry.steps import begin_address, survey_due
from captious.web.rater.results import result_address
from captious.web.rater.task_page import Shown, fresh_page, on_desk
from captious.web.rater.task_view import task_values
from captious.web.refusals import Refusal
from captious.web.texts import Texts, texts

router = APIRouter(tags=["rater pages"])
KEY = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
STAGE_LENGTH = 60

Sent = Annotated[FormData, Depends(security.submitted)]
_ANSWERS = form_body(
    {"key": "Idempotency key: the same key is stored once."}, required=["csrf", "key"], open_ended=True
)
_SAVED: Responses = {303: {"description": "Stored; on to the next task."}}


def words(at: AtWork) -> Texts:
    """The texts in the campaign's language."""
    return texts(at.campaign.settings.language)


@router.get("/work/{slug}", response_class=HTMLResponse, responses=documented_pages(401))
def work(request: Request, slug: str) -> Response:
    """The next task, or why there is none."""
    rater, session = security.rater_session(request, slug)
    try:
        found = desk(security.db_of(request), rater)
    except EntryNeeded:
        return pages.redirect(request, begin_address(slug))
    return desk_page(request, AtWork(rater, found.campaign, session), found)


def desk_page(request: Request, at: AtWork, found: Desk) -> Response:
    """The page of what a rater has in hand."""
    if not found.tasks:
        skipped = aside.skipped(security.db_of(request), at.rater) if at.rater.works else 0
        if not skipped and survey_due(request, at, found.progress):
            return pages.redirect(request, begin_address(at.campaign.slug, "after"))
        study = None if skipped else arrivals.study_of(request, at.rater)
        if study is not None:
            return pages.redirect(request, arrivals.last_page(study))
        return _nothing(request, at, found.progress, found.previous, found.feedback, skipped)
    return _page(request, at, on_desk(found, at.rater.pseudonym, at.rater.record or {}))


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
    return _page(request, at, _by_itself(request, at, found))


@router.post(
    "/work/{slug}/{task}",
    status_code=303,
    response_class=Response,
    responses={**_SAVED, **documented_pages(401, 403, 409, 415)},
    openapi_extra=_ANSWERS,
)
def submit(request: Request, slug: str, task: str, form: Sent) -> Response:
    """Store an answer, once for each key; what is wrong with it comes back with the page."""
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, _token(request, form))
    db = security.db_of(request)
    key = idempotency_key(security.text_field(form, "key"))
    seen = seen_by(form)
    given: dict[str, object] = {}

    def read(item: Item) -> dict[str, object]:
        given.update(_answers(request, slug, item, form))
        return given

    try:
        outcome = responses.respond(db, rater, task, read, key=key, seen=seen)
    except AnsweredAlready:
        return ask_first(request, slug, task, given, seen)
    except BadRecording as error:
        outcome = [Problem("", str(error))]
    if isinstance(outcome, Receipt):
        pauses = bool(outcome.feedback) and security.find_campaign(request, slug).rules().pauses
        return stored(request, slug, task, outcome, pauses=pauses)
    if wants_json(request):
        raise Refusal(422, "form.check", problems=outcome)
    at = security.current_rater(request, slug)
    found = assignment.task(db, rater, task)
    if found.answered is not None and found.response_id != seen.replaces:
        return ask_first(request, slug, task, given, seen)
    answers = touched(given or answers_to(found.item, form), form)
    return _page(request, at, _by_itself(request, at, found), answers=answers, problems=outcome)


@router.post(
    "/work/{slug}/{task}/draft",
    status_code=303,
    response_class=Response,
    responses={
        204: {"description": "Kept, for a script."},
        303: {"description": "Kept; back to the task."},
        **documented_pages(401, 403, 409, 415),
    },
    openapi_extra=form_body({}, required=["csrf"], open_ended=True),
)
def keep_draft(request: Request, slug: str, task: str, form: Sent) -> Response:
    """Keep what has been filled in so far; it counts for nothing until it is submitted."""
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, _token(request, form))
    db = security.db_of(request)
    found = assignment.task(db, rater, task)
    answers = touched(answers_to(found.item, form), form)
    if form.get(FINE):
        answers = all_fine(found.item, answers, security.text_field(form, FINE))
    assignment.save_draft(db, rater, task, answers)
    if wants_json(request):
        return Response(status_code=204)
    return pages.redirect(request, f"/work/{slug}", flash="work.draft_kept")


@router.get("/guide/{slug}", response_class=HTMLResponse, responses=documented_pages(401))
def guide(
    request: Request, slug: str, stage: Annotated[str, Query(max_length=STAGE_LENGTH)] = "first"
) -> Response:
    """The rating guide on a page of its own."""
    at = security.current_rater(request, slug)
    return pages.render(
        request,
        "rater/guide.html",
        texts_of=words(at),
        campaign=at.campaign,
        guide=at.campaign.rules().guide(stage),
    )


def idempotency_key(given: str) -> str:
    """The key as given, if it is one that can be kept."""
    if not KEY.fullmatch(given):
        raise Refusal(422, "error.key")
    return given


def _token(request: Request, form: FormData) -> str:
    return request.headers.get(security.CSRF_HEADER) or security.text_field(form, "csrf")


def stored(request: Request, slug: str, task: str, receipt: Receipt, *, pauses: bool) -> Response:
    """On to the next page; or, where the protocol `pauses`, to the result."""
    if wants_json(request):
        body = said_of(slug, task, receipt, pauses=pauses)
        return Response(body, media_type="application/json")
    address = next_address(slug, task, pauses=pauses)
    if pauses:
        return pages.redirect(request, address)
    done = "corrected" if receipt.correction else "saved"
    return pages.redirect(request, address, flash="work.already" if receipt.duplicate else f"work.{done}")


def next_address(slug: str, task: str, *, pauses: bool) -> str:
    """Where to go on after an answer."""
    return result_address(slug, task) if pauses else f"/work/{slug}"


def said_of(slug: str, task: str, receipt: Receipt, *, pauses: bool, page: bytes = b"") -> bytes:
    """What a script is told of its answer; `page` is the page that comes along, as JSON writes it."""
    said: dict[str, object] = {
        "response": receipt.response_id,
        "duplicate": receipt.duplicate,
        "correction": receipt.correction,
        "next": next_address(slug, task, pauses=pauses),
    }
    if receipt.feedback:
        said["feedback"] = list(receipt.feedback)
    body = orjson.dumps(said)
    return b"".join((body[:-1], b',"page":"', page, b'"}')) if page else body


def _answers(request: Request, slug: str, item: Item, form: FormData) -> dict[str, object]:
    """The answers of a page once its item is known; recordings are kept on the way."""
    if all(field.kind != "audio" for field in item.form.fields):
        return answers_to(item, form)
    keep = partial(recordings.keep, security.db_of(request), security.find_campaign(request, slug))
    return answers_to(item, form, keep)


def _by_itself(request: Request, at: AtWork, task: Task) -> Shown:
    """A task that was asked for by its address."""
    db = security.db_of(request)
    last = assignment.previous_task(db, at.rater)
    progress = assignment.rater_progress(db, at.campaign, at.rater)
    return Shown(at.campaign, at.rater.pseudonym, at.rater.record or {}, task, progress, last)


def _page(
    request: Request,
    at: AtWork,
    shown: Shown,
    *,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    task, campaign = shown.task, at.campaign
    if shown.fresh and answers is None and not problems:
        page = fresh_page(pages.viewed(request, words(at)), shown)
        return pages.finished(request, page.html())
    correcting = task.answered is not None
    given: Mapping[str, object] | None = answers
    if given is None:
        given = _not_preset(task) if correcting else task.draft
    values = task_values(
        task.item,
        campaign.rules(),
        words(at),
        shown.links(),
        title=campaign.title,
        answers=given,
        problems=problems,
        progress=shown.progress,
        replaces=task.response_id,
        feedback=() if correcting else shown.feedback,
        record=shown.record,
        on_choice=campaign.settings.submit_on_choice,
    )
    status, store = 422 if problems else 200, f"{campaign.slug}.{shown.pseudonym}"
    return pages.render(
        request, "rater/task.html", status_code=status, slug=campaign.slug, store=store, **values
    )


def _not_preset(task: Task) -> dict[str, object]:
    """What was answered of a task, without the presets that were left."""
    return {name: value for name, value in (task.answered or {}).items() if name not in task.untouched}


def _nothing(
    request: Request,
    at: AtWork,
    progress: RaterProgress,
    last: Task | None,
    feedback: Sequence[str] = (),
    skipped: int = 0,
) -> Response:
    """Why there is no task: which of these holds is what the rater wants to know."""
    if not at.rater.works:
        why = "ended"
    elif at.campaign.state != "open":
        why = at.campaign.state
    elif skipped:
        why = "skipped"
    elif progress.wait_until is not None:
        why = "wait"
    else:
        why = "done" if progress.answered else "empty"
    return pages.render(
        request,
        "rater/nothing.html",
        texts_of=words(at),
        at=at,
        slug=at.campaign.slug,
        why=why,
        progress=progress,
        feedback=feedback,
        skipped=skipped,
        answers=f"/answers/{at.campaign.slug}" if progress.answered else "",
        record_lines=at.campaign.rules().record_lines(at.rater.record or {}),
        undo=f"/work/{at.campaign.slug}/{last.token}" if last else "",
    )
