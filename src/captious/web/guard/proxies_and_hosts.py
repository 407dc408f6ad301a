"""How the application is reached: through which proxies, under which names, and where it sends people."""

from __future__ import annotations

import logging
import re
import time
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

FORWARDED = b"x-forwarded-for"
# A process manager asks these by whatever address it knows, and their answers hold no link.
FOR_MACHINES = ("/health", "/ready", "/metrics")
# RFC 9110, 7.2: a name or an address and perhaps a port; no user, no path.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{0,5})?")
WARN_SECONDS = 60.0
log = logging.getLogger("captious.web")


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
