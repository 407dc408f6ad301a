"""How much a request to the whole application may send."""

from __future__ import annotations

import re

from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Scope

from captious.web.guard.security import load_session
from captious.web.service.api.routes import PREFIX
from captious.web.settings import WebSettings

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
