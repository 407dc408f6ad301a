"""How the application is reached: through which proxies, under which names, and where it sends people."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from captious.web.seldom import Seldom

FORWARDED = b"x-forwarded-for"
# A process manager asks these by whatever address it knows, and their answers hold no link.
FOR_MACHINES = ("/health", "/ready", "/metrics")
log = logging.getLogger("captious.web")


class Proxies:
    """Takes the visitor's address and scheme from trusted proxies, and from nobody else."""

    def __init__(self, app: ASGIApp, trusted: tuple[str, ...]) -> None:
        inner: Any = app
        self.plain = app
        self.believing: Any = ProxyHeadersMiddleware(inner, list(trusted)) if trusted else None
        self.seldom = Seldom(log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the client and the scheme of the request."""
        peer = (scope.get("client") or ("",))[0]
        if self.believing is not None and peer in self.believing.trusted_hosts:
            await self.believing(scope, receive, send)
            return
        if scope["type"] == "http" and FORWARDED in dict(scope["headers"]):
            self.seldom.say(
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
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    return not hosts or any(
        name.endswith(one[1:]) if one.startswith("*.") else name == one.strip("[]") for one in hosts
    )


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
