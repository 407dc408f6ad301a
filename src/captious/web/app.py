"""The application: routes, guard and errors put together over one database."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from captious._version import __version__
from captious.campaigns.store.database import Database
from captious.web import admin, crowd, entrance, errors, images, metrics_page, site
from captious.web.admin.figures.background import Watch
from captious.web.guard.security import load_session
from captious.web.middleware import surround
from captious.web.openapi import DescribedApp
from captious.web.pages import STATIC
from captious.web.rater import api, entry, guide, own_answers, own_data, put_aside, results, work_pages
from captious.web.service import settings as service_settings
from captious.web.service.api.routes import PREFIX, ServiceRoutes
from captious.web.service.app import scoring_app
from captious.web.service.service import Service
from captious.web.settings import WebSettings, from_environment, reach_from_environment

UPLOADS = "/admin/"
WORK = re.compile(r"/work/([^/]+)/[^/]+")


class BodyLimits:
    """A signed-in account uploads files, a rater at work a recording; forms are small."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings

    async def __call__(self, scope: Scope) -> int:
        """The most bytes that the body of this request may have."""
        if self.settings.scoring and scope["path"].startswith(f"{PREFIX}/"):
            return self.settings.scoring.limits.upload_bytes  # the service has limits of its own below that
        kind = dict(reversed(scope["headers"])).get(b"content-type", b"")
        if scope["method"] != "POST" or not kind.startswith(b"multipart/form-data"):
            return self.settings.form_bytes
        if scope["path"].startswith(UPLOADS):
            session = await run_in_threadpool(load_session, Request(scope))
            return self.settings.form_bytes if session is None else self.settings.upload_bytes
        work = WORK.fullmatch(scope["path"])
        if work and await run_in_threadpool(load_session, Request(scope), work[1]) is not None:
            return self.settings.recording_bytes
        return self.settings.form_bytes


# Python runs one thread at a time: more of them would only take turns more often.
THREADS = 16
ABOUT = (
    "Human evaluation of image captions. Raters come through a link, accounts through a sign-in; "
    "both then hold a session cookie. Every write needs the session's CSRF token, in the header "
    "`X-CSRF-Token` or the field `csrf`."
)


# FastAPI asks with every request whether somebody collects traces; nobody does where nothing says so.
NO_TRACES: Any = {"tracing": False, "metrics": False, "logs": False}


def _is_traced() -> bool:
    return any(name.startswith("OTEL_") for name in os.environ)


def create_app(settings: WebSettings, db: Database | None = None) -> FastAPI:
    """The application. Without `db` it opens the database of the settings, and closes it."""
    own = db is None
    opened = db if db is not None else Database.open(settings.database, files=settings.files)
    service = Service(settings.scoring) if settings.scoring else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        with service.running() if service else nullcontext(), Watch(opened):
            yield
        if own:
            opened.close()

    app = DescribedApp(
        title="captious",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        telemetry=None if _is_traced() else NO_TRACES,
    )
    app.state.db, app.state.service = opened, service
    app.state.campaign_ids, app.state.rater_sessions = {}, {}
    errors.install(app)
    for router in (
        site.router,
        entrance.router,
        crowd.router,
        entry.router,
        api.router,
        work_pages.router,
        put_aside.router,
        own_answers.router,
        own_data.router,
        results.router,
        images.router,
        guide.router,
        admin.router,
        metrics_page.router,
    ):
        app.include_router(router)
    # Browsers keep them for long, so that they are seldom compressed.
    app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC)), name="static")

    async def refuse(scope: Scope, receive: Receive, send: Send, status: int) -> None:
        scope.setdefault("app", app)
        response = errors.http_error(Request(scope, receive), HTTPException(status))
        await response(scope, receive, send)

    app.add_middleware(work_pages.DirectAnswers)
    if service:
        app.add_middleware(ServiceRoutes, service=service)
    surround(app, settings, most=BodyLimits(settings), refuse=refuse)
    return app


def for_worker() -> Starlette:
    """The application that a server process makes for itself from the environment."""
    alone = service_settings.from_environment() if service_settings.is_alone() else None
    return scoring_app(alone, reach_from_environment()) if alone else create_app(from_environment())
