"""The two requests that raters send all day, past the framework: the next page, and an answer.

An answer and the claim of the next task are one transaction (`campaigns.work.turn`). What was
claimed is kept here for the page that the browser asks for a moment later. It is a hint only: it is
held against the database before it is shown, another process does without it, and losing it costs
nothing but a search. Everything out of the ordinary goes the long way, through `work_pages.py`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

import orjson
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from captious.campaigns.people import accounts
from captious.campaigns.records import NotYours, Receipt, Session, SignedOut
from captious.campaigns.store.database import Database
from captious.campaigns.store.writer import Work
from captious.campaigns.work.desk import MOST_REMEMBERED, Desk, is_current
from captious.campaigns.work.turn import Turn, take_turn
from captious.errors import CaptiousError
from captious.protocols import Item
from captious.web import errors, pages
from captious.web.forms.form_answers import answers_to, seen_by
from captious.web.guard import security
from captious.web.guard.prefix import prefix_of
from captious.web.guard.security import AtWork
from captious.web.rater import work_pages
from captious.web.rater.raw_request import RawRequest, body_of, fields_of, send_json
from captious.web.rater.task_page import fresh_page, on_desk
from captious.web.refusals import Refusal

ADDRESS = re.compile(r"/work/([^/]+)(?:/([^/]+))?")
KEPT_SECONDS = 10.0
SESSION_SECONDS = 60.0
# A script that sends it shows the page that comes with the answer, and saves a request.
NEXT_PAGE = b"x-next-page"
_CSRF = security.CSRF_HEADER.encode()


_Taking = Callable[[Session | None], Work[tuple[Session, Turn | None]]]


class _Kept(NamedTuple):
    desk: Desk
    until: float


class FastPath:
    """Answers what raters ask most; all else is for the application behind it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.desks: dict[int, _Kept] = {}
        # Sessions of raters by their token, and until when they are taken as they were read.
        self.sessions: dict[str, tuple[Session, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let it through."""
        found = None
        if scope["type"] == "http":
            found = ADDRESS.fullmatch(scope["path"].removeprefix(scope.get("root_path", "")))
        coming = self._answer_to(scope, receive, found[1], found[2]) if found else None
        if coming is None:
            await self.app(scope, receive, send)
            return
        try:
            response = await coming
        except Refusal as error:
            response = await run_in_threadpool(errors.refused, Request(scope), error)
        except HTTPException as error:
            response = await run_in_threadpool(errors.http_error, Request(scope), error)
        except CaptiousError as error:
            response = await run_in_threadpool(errors.ours, Request(scope), error)
        except (SQLAlchemyError, OSError) as error:
            response = errors.failed(Request(scope), error)
        if isinstance(response, bytes):
            await send_json(send, response)
        else:
            await response(scope, receive, send)

    def _answer_to(
        self, scope: Scope, receive: Receive, slug: str, task: str | None
    ) -> Awaitable[Response | bytes] | None:
        asked = RawRequest(scope)
        if asked.headers.get(b"sec-fetch-dest") == b"iframe":
            return None  # Who may frame it is asked of the database.
        if task is None and scope["method"] == "GET":
            return self._page(Request(scope, receive), slug)
        if task is not None and scope["method"] == "POST" and asked.is_plain_form:
            return self._submit(asked, receive, slug, task)
        return None

    async def _page(self, request: Request, slug: str) -> Response:
        """The next task: the one claimed with the last answer, if it is still so."""
        db = security.db_of(request)
        if not self.desks:
            return await run_in_threadpool(work_pages.work, request, slug)
        if db.kind == "sqlite":
            # A look at two rows takes less than handing it to a thread.
            try:
                found = self._look(request, slug)
            except OperationalError:
                found = None
        else:
            found = await run_in_threadpool(self._look, request, slug)
        if found is None:
            return await run_in_threadpool(work_pages.work, request, slug)
        return work_pages.desk_page(request, *found)

    def _look(self, request: Request, slug: str) -> tuple[AtWork, Desk] | None:
        db = security.db_of(request)
        with db.glance() as connection:
            token = request.cookies.get(security.cookie_name(slug), "")
            session = accounts.session_seen(db, connection, token)
            if session is None or session.rater is None:
                return None
            kept = self.desks.pop(session.rater.id, None)
            if kept is None or kept.until < time.monotonic() or kept.desk.campaign.slug != slug:
                return None
            if not is_current(db, connection, session.rater, kept.desk):
                return None
        request.state.session = session
        db.ahead.pop(kept.desk.tasks[0].token, None)
        return AtWork(session.rater, kept.desk.campaign, session), kept.desk

    async def _taken(self, db: Database, token: str, taking: _Taking) -> tuple[Session, Turn | None]:
        """What became of an answer, and the session that it came with."""
        known, until = self.sessions.get(token, (None, 0.0))
        if known is not None and until >= time.monotonic():
            try:
                return await db.writer.run(taking(known))
            except (SignedOut, NotYours):
                # Is the session over, or the task another's? Without the memory it is said rightly.
                self.sessions.pop(token, None)
        session, turn = await db.writer.run(taking(None))
        if len(self.sessions) >= MOST_REMEMBERED:
            self.sessions.clear()
        self.sessions[token] = session, time.monotonic() + SESSION_SECONDS
        return session, turn

    async def _submit(self, asked: RawRequest, receive: Receive, slug: str, task: str) -> Response | bytes:
        """Store an answer, once for each key; what is wrong with it comes back with the page."""
        form = fields_of(await body_of(receive))
        csrf = asked.header(_CSRF) or security.text_field(form, security.CSRF_FIELD)
        db: Database = asked.scope["app"].state.db
        token = asked.cookies().get(security.cookie_name(slug), "")
        if not token or len(token) > security.LONGEST_COOKIE:
            raise Refusal(401, "error.no_session")

        def read(item: Item) -> dict[str, object]:
            return answers_to(item, form)

        def taking(known: Session | None) -> Work[tuple[Session, Turn | None]]:
            def work(connection: Connection) -> tuple[Session, Turn | None]:
                # Whether a session that was seen a while ago is still alive is asked with the rest.
                session = known or accounts.session_within(db, connection, token)
                if session is None or session.rater is None:
                    raise Refusal(401, "error.no_session")
                security.require_token(session.csrf, csrf)
                key, seen = work_pages.idempotency_key(security.text_field(form, "key")), seen_by(form)
                asked = known.token_digest if known else ""
                taken = take_turn(
                    db, connection, session.rater, slug, task, read, key=key, seen=seen, session=asked
                )
                return session, taken

            return work

        session, turn = await self._taken(db, token, taking)
        if turn is None or not isinstance(turn.outcome, Receipt):
            request = Request(asked.scope)
            request.state.session = session
            return await run_in_threadpool(work_pages.submit, request, slug, task, form)
        page = b""
        if turn.desk is not None and session.rater is not None:
            page = _next_page(asked, slug, session, turn.desk)
            if page:
                db.ahead.pop(turn.desk.tasks[0].token, None)
            else:
                if len(self.desks) >= MOST_REMEMBERED:
                    self.desks.clear()
                self.desks[session.rater.id] = _Kept(turn.desk, time.monotonic() + KEPT_SECONDS)
        if asked.takes_json:
            return work_pages.said_of(slug, task, turn.outcome, pauses=turn.pauses, page=page)
        return work_pages.stored(Request(asked.scope), slug, task, turn.outcome, pauses=turn.pauses)


def _next_page(asked: RawRequest, slug: str, session: Session, desk: Desk) -> bytes:
    """The page that a browser would ask for next, as JSON writes it; b"" where it is not taken along."""
    if session.rater is None or not asked.headers.get(NEXT_PAGE) or not asked.takes_json:
        return b""
    settings, cookies = asked.scope["app"].state.settings, asked.cookies()
    # A page that is rewritten on its way out, or that takes a cookie back, comes by itself.
    if prefix_of(settings.base_url) or pages.FLASH in cookies:
        return b""
    address = f"/work/{slug}"
    shown = on_desk(desk, session.rater.pseudonym, desk.record)
    if shown.fresh:
        view = pages.View(address, pages.theme(cookies), "", session.csrf, settings.demo)
        return fresh_page(view, shown).in_json()
    scope = {
        **asked.scope,
        "method": "GET",
        "path": address,
        "raw_path": address.encode(),
        "query_string": b"",
        "state": {"session": session},
    }
    at = AtWork(replace(session.rater, record=dict(desk.record)), desk.campaign, session)
    return orjson.dumps(bytes(work_pages.desk_page(Request(scope), at, desk).body).decode())[1:-1]
