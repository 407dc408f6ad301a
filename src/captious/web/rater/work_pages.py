"""The rater's work: the next task, and an answer that brings the next page along.

An answer and the claim of the next task are one transaction (`responses.take_turn`). A script that asks
for it (`X-Next-Page`) gets the page of what was claimed with the receipt; without a script the browser is
sent on to it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import partial

import orjson
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse
from sqlalchemy import Connection
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from captious.campaigns.people import accounts
from captious.campaigns.records import (
    AnsweredAlready,
    EntryNeeded,
    NotYours,
    RaterProgress,
    Receipt,
    Session,
    SignedOut,
    Task,
)
from captious.campaigns.store import recordings
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import BadRecording
from captious.campaigns.work import aside, assignment
from captious.campaigns.work.assignment import MOST_REMEMBERED, Desk, desk
from captious.campaigns.work.responses import Derived, Turn, Underived, take_turn
from captious.protocols import Item, Problem
from captious.protocols.capabilities import KnownPast
from captious.web import crowd, errors, pages
from captious.web.errors import Responses, documented_pages
from captious.web.forms import answers_to, seen_by, touched
from captious.web.guard import security
from captious.web.guard.prefix import prefix_of
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.pages import Texts, texts, wants_json
from captious.web.rater.conflicting_answers import ask_first
from captious.web.rater.entry.consent_page import begin_address, survey_due
from captious.web.rater.results import result_address
from captious.web.rater.task_page import Shown, on_desk, task_page
from captious.web.refusals import Refusal

ADDRESS = re.compile(r"/work/([^/]+)/([^/]+)")
KEY = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
SESSION_SECONDS = 60.0
# A script that sends it shows the page that comes with the answer, and saves a request.
NEXT_PAGE = "x-next-page"

_ANSWERS = form_body(
    {"key": "Idempotency key: the same key is stored once."}, required=["csrf", "key"], open_ended=True
)
_SAVED: Responses = {303: {"description": "Stored; on to the next task."}}


router = APIRouter(tags=["rater pages"])


class DirectAnswers:
    """Hands answers to `submit` itself: raters send them all day, and routing costs a tenth of an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take an answer; everything else is for the application."""
        found = None
        if scope["type"] == "http" and scope["method"] == "POST":
            found = ADDRESS.fullmatch(scope["path"].removeprefix(scope.get("root_path", "")))
        if found is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await submit(request, found[1], found[2])
        except Exception as error:  # noqa: BLE001 - what is not ours to answer is raised again
            response = await errors.answered(request, error)
        await response(scope, receive, send)


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
    at = AtWork(rater, found.campaign, session)
    if found.tasks:
        return show_task(request, at, on_desk(found, rater.pseudonym, rater.record or {}))
    skipped = aside.skipped(security.db_of(request), rater) if rater.works else 0
    if not skipped and survey_due(request, at, found.progress):
        return pages.redirect(request, begin_address(slug, "after"))
    study = None if skipped else crowd.study_of(request, rater)
    if study is not None:
        return pages.redirect(request, crowd.last_page(study))
    return _nothing(request, at, found.progress, found.previous, found.feedback, skipped)


@router.post(
    "/work/{slug}/{task}",
    status_code=303,
    response_class=Response,
    responses={**_SAVED, **documented_pages(401, 403, 409, 415)},
    openapi_extra=_ANSWERS,
)
async def submit(request: Request, slug: str, task: str) -> Response:
    """Store an answer, once for each key; what is wrong with it comes back with the page."""
    sent = _Sent(request, slug, task, await security.submitted(request))
    try:
        if sent.has_files:
            await run_in_threadpool(sent.keep_recordings)
        session, turn = await sent.stored()
    except BadRecording as error:
        return await run_in_threadpool(_refused, sent, [Problem("", str(error))])
    except AnsweredAlready:
        return await run_in_threadpool(ask_first, request, slug, task, sent.given, sent.seen)
    if not isinstance(turn.outcome, Receipt):
        return await run_in_threadpool(_refused, sent, turn.outcome)
    if not wants_json(request):
        return await run_in_threadpool(_after_answer, request, slug, task, turn.outcome, pauses=turn.pauses)
    page = _next_page(request, slug, session, turn.desk) if turn.desk is not None else b""
    body = _said(slug, task, turn.outcome, pauses=turn.pauses, page=page)
    return Response(body, media_type="application/json")


class _Sent:
    """An answer on its way from a form into the database."""

    def __init__(self, request: Request, slug: str, task: str, form: FormData) -> None:
        self.request, self.slug, self.task, self.form = request, slug, task, form
        self.db: Database = security.db_of(request)
        self.csrf = security.token_of(request, form)
        self.cookie = request.cookies.get(security.cookie_name(slug), "")
        if not self.cookie or len(self.cookie) > security.LONGEST_COOKIE:
            raise Refusal(401, "error.no_session")
        self.key, self.seen = security.text_field(form, "key"), seen_by(form)
        # What was answered, once the item and with it the form is known.
        self.given: dict[str, object] = {}

    @property
    def has_files(self) -> bool:
        """Whether sound files are among the answers."""
        return any(isinstance(value, UploadFile) for value in self.form.values())

    def keep_recordings(self) -> None:
        """Keep the sound files before anything is stored: an answer names the file."""
        rater, _ = security.rater_session(self.request, self.slug)
        security.require_csrf(self.request, self.csrf)
        campaign = security.find_campaign(self.request, self.slug)
        item = assignment.task(self.db, rater, self.task).item
        self.given = answers_to(item, self.form, partial(recordings.keep, self.db, campaign))

    def _read(self, item: Item) -> dict[str, object]:
        if not self.has_files:
            self.given = answers_to(item, self.form)
        return self.given

    async def stored(self) -> tuple[Session, Turn]:
        """The rater's session, and what became of the answer; a machine may have to work on it first."""
        derived: Derived | None = None
        while True:
            session, turn = await self._turn(derived)
            if isinstance(turn, Turn):
                return session, turn
            derived = await run_in_threadpool(turn.derive, self.db)

    async def _turn(self, derived: Derived | None) -> tuple[Session, Turn | Underived]:
        """Sessions of raters are remembered for a while; whether one is alive is asked with the rest."""
        remembered: dict[str, tuple[Session, float]] = self.request.app.state.rater_sessions
        known, until = remembered.get(self.cookie, (None, 0.0))
        if known is not None and until >= time.monotonic():
            try:
                return await self.db.writer.run(partial(self._store, known=known, derived=derived))
            except (SignedOut, NotYours):
                # Is the session over, or the task another's? Without the memory it is said rightly.
                remembered.pop(self.cookie, None)
        session, turn = await self.db.writer.run(partial(self._store, known=None, derived=derived))
        if len(remembered) >= MOST_REMEMBERED:
            remembered.clear()
        remembered[self.cookie] = session, time.monotonic() + SESSION_SECONDS
        return session, turn

    def _store(
        self, connection: Connection, *, known: Session | None, derived: Derived | None
    ) -> tuple[Session, Turn | Underived]:
        session = known or accounts.session_within(self.db, connection, self.cookie)
        if session is None or session.rater is None:
            raise Refusal(401, "error.no_session")
        security.require_token(session.csrf, self.csrf)
        turn = take_turn(
            self.db,
            connection,
            session.rater,
            self.slug,
            self.task,
            self._read,
            key=idempotency_key(self.key),
            seen=self.seen,
            session=known.token_digest if known else "",
            derived=derived,
        )
        return session, turn


def _refused(sent: _Sent, problems: list[Problem]) -> Response:
    """The page again with what is wrong, or with both answers where it did not know of one."""
    request, slug = sent.request, sent.slug
    if wants_json(request):
        raise Refusal(422, "form.check", problems=problems)
    at = security.current_rater(request, slug)
    found = assignment.task(sent.db, at.rater, sent.task)
    if found.answered is not None and found.response_id != sent.seen.replaces:
        return ask_first(request, slug, sent.task, sent.given, sent.seen)
    answers = touched(sent.given or answers_to(found.item, sent.form), sent.form)
    return show_task(request, at, by_itself(request, at, found), answers=answers, problems=problems)


def _after_answer(request: Request, slug: str, task: str, receipt: Receipt, *, pauses: bool) -> Response:
    """On to the next page; or, where the protocol `pauses`, to the result."""
    address = next_address(slug, task, pauses=pauses)
    if pauses:
        return pages.redirect(request, address)
    done = "corrected" if receipt.correction else "saved"
    return pages.redirect(request, address, flash="work.already" if receipt.duplicate else f"work.{done}")


def next_address(slug: str, task: str, *, pauses: bool) -> str:
    """Where to go on after an answer."""
    return result_address(slug, task) if pauses else f"/work/{slug}"


def _said(slug: str, task: str, receipt: Receipt, *, pauses: bool, page: bytes) -> bytes:
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


def _next_page(request: Request, slug: str, session: Session, found: Desk) -> bytes:
    """The page that a browser would ask for next, as JSON writes it; b"" where it is not taken along."""
    if session.rater is None or not request.headers.get(NEXT_PAGE):
        return b""
    settings, cookies = security.settings_of(request), request.cookies
    # A page that is rewritten on its way out, or that takes a cookie back, comes by itself.
    if prefix_of(settings.base_url) or pages.FLASH in cookies:
        return b""
    view = pages.View(f"/work/{slug}", pages.theme(cookies), "", session.csrf, settings.demo)
    return task_page(view, on_desk(found, session.rater.pseudonym, found.record)).in_json()


def idempotency_key(given: str) -> str:
    """The key as given, if it is one that can be kept."""
    if not KEY.fullmatch(given):
        raise Refusal(422, "error.key")
    return given


def by_itself(request: Request, at: AtWork, task: Task) -> Shown:
    """A task that was asked for by its address."""
    db = security.db_of(request)
    last = assignment.previous_task(db, at.rater)
    progress = assignment.rater_progress(db, at.rater)
    return Shown(at.campaign, at.rater.pseudonym, at.rater.record or {}, task, progress, last)


def show_task(
    request: Request,
    at: AtWork,
    shown: Shown,
    *,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    """The page of a task; `answers` with their `problems` where they were just refused."""
    page = task_page(pages.viewed(request, words(at)), shown, answers=answers, problems=problems)
    return pages.finished(request, page.html(), status_code=422 if problems else 200)


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
        record_lines=KnownPast.of(at.campaign.rules()).record_lines(at.rater.record or {}),
        undo=f"/work/{at.campaign.slug}/{last.token}" if last else "",
    )
