"""What stands before every route: security headers, size limits, addresses that cannot be stored.

Plain ASGI, so that it costs microseconds and sees every answer, errors too.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from captious.web.reach import FOR_MACHINES, allowed, without_host
from captious.web.security import load_session
from captious.web.seldom import Seldom
from captious.web.settings import WebSettings

POLICY = "content-security-policy"


def policy(*, framed_by: Sequence[str] = (), sends_to: Sequence[str] = ()) -> str:
    """What a page may load, who may frame it, and where its forms go beside ourselves.

    >>> policy(framed_by=["https://worker.mturk.com"]).split("; ")[-2]
    'frame-ancestors https://worker.mturk.com'
    """
    forms, ancestors = " ".join(["'self'", *sends_to]), " ".join(framed_by) or "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"media-src 'self' blob:; connect-src 'self'; form-action {forms}; "
        f"frame-ancestors {ancestors}; base-uri 'none'"
    )


log = logging.getLogger("captious.web")
FRAME_OPTIONS = "x-frame-options"
HEADERS = {
    POLICY: policy(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(self), geolocation=(), interest-cohort=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    FRAME_OPTIONS: "DENY",
}
_POLICY, _FRAME_OPTIONS = POLICY.encode(), FRAME_OPTIONS.encode()
HSTS = "max-age=31536000"
LONG = "public, max-age=31536000, immutable"
UPLOADS = "/admin/"
SERVICE = "/api/v1/"
WORK = re.compile(r"/work/([^/]+)/[^/]+")

Refuse = Callable[[Scope, Receive, Send, int], Awaitable[None]]


class Guard:
    """Wraps the application. `refuse` answers a request that does not get through."""

    def __init__(self, app: ASGIApp, settings: WebSettings, refuse: Refuse) -> None:
        self.app, self.settings, self.refuse = app, settings, refuse
        self.seldom = Seldom(log)
        strict = {"strict-transport-security": HSTS} if settings.secure_cookies else {}
        self.headers = tuple((name.encode(), value.encode()) for name, value in (HEADERS | strict).items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check what comes in, add headers to what goes out."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        outgoing = self._with_headers(scope, send)
        host = Headers(scope=scope).get("host", "")
        if scope["path"] not in FOR_MACHINES and not allowed(host, self.settings.allowed_hosts):
            self.seldom.say('a request for "%s" is refused. Add it to --allowed-hosts if it is yours.', host)
            await self.refuse(scope, receive, outgoing, 400)
            return
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            await self.refuse(scope, receive, outgoing, 404)
            return
        limit = await self._limit(scope)
        length = Headers(scope=scope).get("content-length", "")
        if _over(length, limit):
            await self.refuse(scope, receive, outgoing, 413)
            return
        # A client that hangs up in the middle of its request is no fault of ours, and hears nothing.
        with suppress(ClientDisconnect):
            await self.app(scope, _limited(receive, limit), outgoing)

    async def _limit(self, scope: Scope) -> int:
        """How much may be sent: a signed-in account uploads files, a rater at work a recording."""
        if self.settings.scoring and scope["path"].startswith(SERVICE):
            return self.settings.scoring.limits.job_bytes  # the service has limits of its own below that
        kind = Headers(scope=scope).get("content-type", "")
        if scope["method"] != "POST" or not kind.startswith("multipart/form-data"):
            return self.settings.form_bytes
        if scope["path"].startswith(UPLOADS):
            session = await run_in_threadpool(load_session, Request(scope))
            return self.settings.form_bytes if session is None else self.settings.upload_bytes
        work = WORK.fullmatch(scope["path"])
        if work and await run_in_threadpool(load_session, Request(scope), work[1]) is not None:
            return self.settings.recording_bytes
        return self.settings.form_bytes

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        # The digest in the address of a static file changes with its content.
        static = scope["path"].startswith("/static/") and b"v=" in scope["query_string"]
        host = Headers(scope=scope).get("host", "")

        async def outgoing(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                given = dict(headers)
                framing = given.get(_POLICY)
                if framing is not None and b"frame-ancestors 'none'" not in framing:
                    given[_FRAME_OPTIONS] = b""
                fresh = LONG if static and message["status"] == 200 else "no-store"
                wanted = (*self.headers, (b"cache-control", fresh.encode()))
                headers += [pair for pair in wanted if pair[0] not in given]
                if b"location" in given:
                    shown = MutableHeaders(raw=headers)
                    shown["location"] = without_host(shown["location"], host)
            await send(message)

        return outgoing


def _over(length: str, limit: int) -> bool:
    """Whether a stated length is above the limit; what is no number is counted as it comes.

    >>> _over("12", 10), _over("10", 10), _over("9" * 5000, 10), _over("²", 10)
    (True, False, True, False)
    """
    digits = length.lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        return False
    return len(digits) > len(str(limit)) or int(digits) > limit


def _limited(receive: Receive, limit: int) -> Receive:
    """A body without a stated length is counted as it comes."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise HTTPException(413)
        return message

    return counted
