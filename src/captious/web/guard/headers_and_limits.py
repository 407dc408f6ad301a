"""What stands before every route: proxies and hosts, security headers, limits of size and time.

Plain ASGI, so that it costs microseconds and sees every answer, errors too.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from captious.web.settings import Reach

FORWARDED = b"x-forwarded-for"
# A process manager asks these by whatever address it knows, and their answers hold no link.
FOR_MACHINES = ("/health", "/ready", "/metrics")
# RFC 9110, 7.2: a name or an address and perhaps a port; no user, no path.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{0,5})?")
WARN_SECONDS = 60.0


class LimitedWarnings:
    """Logs a warning at most once a minute: an attack must not multiply it."""

    def __init__(self, log: logging.Logger) -> None:
        self.log = log
        self._next = 0.0

    def say(self, what: str, *values: object) -> None:
        """The warning, or nothing."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + WARN_SECONDS
            self.log.warning(what, *values)


class Proxies:
    """Takes the visitor's address and scheme from trusted proxies, and from nobody else."""

    def __init__(self, app: ASGIApp, trusted: tuple[str, ...]) -> None:
        inner: Any = app
        self.plain = app
        self.believing: Any = ProxyHeadersMiddleware(inner, list(trusted)) if trusted else None
        self.warnings = LimitedWarnings(log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the client and the scheme of the request."""
        peer = (scope.get("client") or ("",))[0]
        if self.believing is not None and peer in self.believing.trusted_hosts:
            await self.believing(scope, receive, send)
            return
        if scope["type"] == "http" and FORWARDED in dict(scope["headers"]):
            self.warnings.say(
                "X-Forwarded-For from %s is ignored. If that is your proxy, give --trusted-proxies %s.",
                peer,
                peer,
            )
        await self.plain(scope, receive, send)


def allowed(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a Host header names this site; without any names, all do.

    >>> ours = ("rate.example.org",)
    >>> allowed("Rate.example.org:8000", ours), allowed("evil.example", ours), allowed("", ours)
    (True, False, False)
    >>> allowed("a.example.org", ("*.example.org",)), allowed("[::1]:8000", ("::1",)), allowed("x", ())
    (True, True, True)
    >>> allowed("evil.example@rate.example.org", ours), allowed("rate.example.org/x", ()), allowed("", ())
    (False, False, True)
    """
    if host and not _HOST.fullmatch(host):
        return False
    name = name_in(f"//{host}")
    return not hosts or any(
        name.endswith(one[1:]) if one.startswith("*.") else name == one.strip("[]") for one in hosts
    )


def name_in(address: str) -> str:
    """The name of the site in an address, "" where there is none.

    >>> name_in("https://Rate.example.org.:8443/a"), name_in("//[::1]:8000"), name_in("//[")
    ('rate.example.org', '::1', '')
    """
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def without_host(location: str, host: str) -> str:
    """Where a redirect leads, without the name that the visitor sent: only the path of it is ours.

    >>> without_host("http://evil.example/admin?a=1", "evil.example")
    '/admin?a=1'
    >>> without_host("https://app.prolific.com/submissions", "rate.example.org")
    'https://app.prolific.com/submissions'
    """
    try:
        parts = urlsplit(location)
    except ValueError:
        return "/"
    if not parts.netloc or parts.netloc != host:
        return location
    path = "/" + parts.path.lstrip("/")
    return f"{path}?{parts.query}" if parts.query else path


# A body has so many seconds, and each second again for so many bytes of it (a recording over a slow line).
BODY_SECONDS, BODY_RATE = 20.0, 500.0
SWEEP_SECONDS = 1.0


class Bodies:
    """The requests whose bodies are awaited. A timer for each would take longer than all else here."""

    def __init__(self) -> None:
        self.awaited: dict[asyncio.Task[Any], float] = {}  # until when
        self.sweeping = False

    def in_time(self, receive: Receive) -> Receive:
        """`receive`, which answers 408 when the client has had its time."""
        whole, left = False, BODY_SECONDS

        async def coming() -> Message:
            nonlocal whole, left
            task = asyncio.current_task()
            if whole or task is None:  # What follows is that the client leaves.
                return await receive()
            began = time.monotonic()
            message = await self._awaited(receive, task, began + left)
            # What comes gives time for the rest, and never more than there was at first.
            came = len(message.get("body", b"")) / BODY_RATE
            left = min(BODY_SECONDS, left - (time.monotonic() - began) + came)
            whole = not message.get("more_body", False)
            return message

        return coming

    async def _awaited(self, receive: Receive, task: asyncio.Task[Any], until: float) -> Message:
        self.awaited[task] = until
        if not self.sweeping:
            self.sweeping = True
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)
        try:
            return await receive()
        except asyncio.CancelledError:
            if task in self.awaited:
                raise
            task.uncancel()
            raise HTTPException(408, headers={"Connection": "close"}) from None
        finally:
            self.awaited.pop(task, None)

    def _sweep(self) -> None:
        """Cancel the receiving of bodies whose time is over."""
        now = time.monotonic()
        for task, until in list(self.awaited.items()):
            if until < now:
                del self.awaited[task]
                task.cancel()
        self.sweeping = bool(self.awaited)
        if self.sweeping:
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)


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
LONG = b"public, max-age=31536000, immutable"
MOST_KNOWN = 64

Refuse = Callable[[Scope, Receive, Send, int], Awaitable[None]]
Most = Callable[[Scope], Awaitable[int]]


class Guard:
    """Wraps the application. A body may have `most` bytes; `refuse` answers what does not get through."""

    def __init__(self, app: ASGIApp, reach: Reach, most: Most, refuse: Refuse) -> None:
        self.app, self.hosts, self.most, self.refuse = app, reach.allowed_hosts, most, refuse
        self.known: set[str] = set()  # hosts that were found to be allowed
        self.warnings, self.bodies = LimitedWarnings(log), Bodies()
        strict = {"strict-transport-security": HSTS} if reach.secure_cookies else {}
        self.headers = [(name.encode(), value.encode()) for name, value in (HEADERS | strict).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check what comes in, add headers to what goes out."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(reversed(scope["headers"]))  # the first of a name counts
        host = headers.get(b"host", b"").decode("latin-1")
        length = headers.get(b"content-length", b"").decode("latin-1")
        outgoing = self._with_headers(scope, host, send)
        status = self._unclear(scope, headers) or self._not_here(scope, host)
        limit = 0 if status else await self.most(scope)
        if not status and _over(length, limit):
            status = 413
        if status:
            await self.refuse(scope, receive, _closing(outgoing) if status < 413 else outgoing, status)
            return
        # A client that hangs up in the middle of its request is no fault of ours, and hears nothing.
        try:
            await self.app(scope, self.bodies.in_time(receive), outgoing)
        except ClientDisconnect:
            return

    def _unclear(self, scope: Scope, headers: Mapping[bytes, bytes]) -> int:
        """The status for a request that a proxy could read in another way than we do, 0 for a clear one."""
        if b"transfer-encoding" in headers:  # With it, headers may also follow the body.
            return 411
        hosts = [name for name, _ in scope["headers"]].count(b"host")
        return 400 if hosts > 1 or (hosts == 0 and scope["http_version"] != "1.0") else 0

    def _not_here(self, scope: Scope, host: str) -> int:
        """The status for a request that is for another site or an impossible address, 0 for ours."""
        if not self._allowed(host) and scope["path"] not in FOR_MACHINES:
            self.warnings.say(
                'a request for "%s" is refused. Add it to --allowed-hosts if it is yours.', host
            )
            return 400
        return 404 if "\x00" in scope["path"] or b"%00" in scope["query_string"] else 0

    def _allowed(self, host: str) -> bool:
        if host in self.known:
            return True
        found = allowed(host, self.hosts)
        if found and len(self.known) < MOST_KNOWN:
            self.known.add(host)
        return found

    def _with_headers(self, scope: Scope, host: str, send: Send) -> Send:
        # The digest in the address of a static file changes with its content.
        static = scope["path"].startswith("/static/") and b"v=" in scope["query_string"]

        async def outgoing(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                given = dict(headers)
                framing = given.get(_POLICY)
                if framing is not None and b"frame-ancestors 'none'" not in framing:
                    given[_FRAME_OPTIONS] = b""
                fresh = LONG if static and message["status"] == 200 else b"no-store"
                headers += [pair for pair in self.headers if pair[0] not in given]
                if b"cache-control" not in given:
                    headers.append((b"cache-control", fresh))
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


def _closing(send: Send) -> Send:
    """The connection ends after this answer."""

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message.setdefault("headers", []).append((b"connection", b"close"))
        await send(message)

    return closing
