"""The application below a path of a larger site, such as https://lab.example.org/captious.

Inside, every address begins at the root. This wrapper is the one place that knows of the path: it
takes it off what comes in (a proxy may have done so already) and puts it before every address that
goes out: links of pages, redirects, addresses in JSON, and the paths of cookies.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Templates escape every quote, so that `="/` stands only where an attribute begins; a srcset has several.
_LINKS = re.compile(rb'((?:href|src|srcset|action|formaction|poster|data-[a-z-]+)="|\d+w, )/(?!/)')
_FIELDS = re.compile(rb'("(?:next|image_url|address|href|url)":\s*")/(?!/)')
_REWRITTEN = {"text/html": _LINKS, "application/json": _FIELDS}
_COOKIE_PATH = re.compile(r"(;\s*path=)/(?=;|$)", re.IGNORECASE)


@lru_cache(maxsize=16)
def prefix_of(base_url: str) -> str:
    """The path below which the application lies.

    >>> prefix_of("https://lab.example.org/captious/"), prefix_of("https://rate.example.org")
    ('/captious', '')
    """
    return urlsplit(base_url).path.rstrip("/")


class Prefix:
    """Wraps the application where it lies below a path."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the path off the address, and put it before what goes out."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        inner = dict(scope)
        path: str = scope["path"]
        if path == self.prefix or path.startswith(f"{self.prefix}/"):
            inner["path"] = path.removeprefix(self.prefix) or "/"
            inner["raw_path"] = (scope.get("raw_path") or b"").removeprefix(self.prefix.encode()) or b"/"
        await self.app(inner, receive, Outgoing(self.prefix, send))


class Outgoing:
    """One answer on its way out; the head of a page waits for its body, whose length changes."""

    def __init__(self, prefix: str, send: Send) -> None:
        self.prefix, self.send = prefix, send
        self.start: Message | None = None
        self.pattern: re.Pattern[bytes] | None = None
        self.body = b""

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            self._head(headers, message)
            kind = headers.get("content-type", "").partition(";")[0]
            self.pattern = _REWRITTEN.get(kind)
            if self.pattern is None:
                await self.send(message)
            else:
                self.start = message
        elif self.pattern is None or self.start is None:
            await self.send(message)
        else:
            await self._page(message)

    async def _page(self, message: Message) -> None:
        self.body += message.get("body", b"")
        if message.get("more_body", False) or self.start is None or self.pattern is None:
            return
        body = self.pattern.sub(rb"\1" + self.prefix.encode() + b"/", self.body)
        headers = MutableHeaders(scope=self.start)
        if "content-length" in headers and (body or headers["content-length"] == "0"):
            headers["content-length"] = str(len(body))
        await self.send(self.start)
        await self.send({**message, "body": body})

    def _head(self, headers: MutableHeaders, message: Message) -> None:
        location = headers.get("location", "")
        if location.startswith("/") and not location.startswith("//"):
            headers["location"] = self.prefix + location
        message["headers"] = [
            (name, self._cookie(value) if name.lower() == b"set-cookie" else value)
            for name, value in message["headers"]
        ]

    def _cookie(self, value: bytes) -> bytes:
        return _COOKIE_PATH.sub(rf"\1{self.prefix}", value.decode("latin-1")).encode("latin-1")
