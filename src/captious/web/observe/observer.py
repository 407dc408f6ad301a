"""What happened to each request: its id, its status, how long it took, one line in the log.

Plain ASGI around everything else, so that it sees errors and clients that hung up as well.
"""

from __future__ import annotations

import logging
import re
import time
from contextvars import ContextVar
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from captious.web.observe.access_log import AccessHandler
from captious.web.observe.metrics import OTHER, Metrics
from captious.web.random_names import random_id

log = logging.getLogger("captious.access")
# The request that a task works on, for every line that is logged meanwhile.
request_id: ContextVar[str] = ContextVar("request_id", default="")
HEADER = b"x-request-id"
WORK = "/work/"
MOUNTED = ("/static/", "/api/v1/")
_PLAIN = re.compile(r"[A-Za-z0-9/._~-]*")
GONE = 499  # As nginx writes it: the client went before it had the answer.


class Observer:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the request an id, let it through, and say how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = Seen(scope, receive, send)
        self.metrics.in_progress += 1
        try:
            await self.app(scope, seen.receive, seen.send)
        finally:
            self.metrics.in_progress -= 1
            seen.note(self.metrics)


class Seen:
    """One request on its way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.id = random_id()
        self.begun = time.perf_counter()
        self.status = 0
        self.whole = self.gone = False
        request_id.set(self.id)

    async def receive(self) -> Message:
        """What comes in; a client that goes before its answer is noted."""
        message = await self._receive()
        self.gone |= message["type"] == "http.disconnect" and not self.whole
        return message

    async def send(self, message: Message) -> None:
        """What goes out, with the id."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message.setdefault("headers", [])
            if HEADER not in dict(headers):
                headers.append((HEADER, self.id.encode()))
        elif message["type"] == "http.response.body":
            self.whole = not message.get("more_body", False)
        await self._send(message)

    def note(self, metrics: Metrics) -> None:
        """Count it, and write one line; a fault of ours that nobody has answered yet will be a 500."""
        status = GONE if self.gone else self.status or 500
        took = time.perf_counter() - self.begun
        scope, method = self.scope, self.scope["method"]
        metrics.note(route_of(scope), method, status, took, gone=self.gone)
        # Clients that hang up can be many, and none of them is news.
        level = logging.DEBUG if status == GONE else logging.INFO
        if not log.isEnabledFor(level):
            return
        path, client = written(scope["path"]), (scope.get("client") or ("-",))[0]
        version, milliseconds = scope.get("http_version", "1.1"), took * 1000
        says = f'{client} "{method} {target(scope, path)} HTTP/{version}" {status} {milliseconds:.1f} ms'
        quick = log.handlers[0] if len(log.handlers) == 1 else None
        if isinstance(quick, AccessHandler) and quick.form == "plain":
            quick.request(says, {}, self.id)  # A plain line says no more.
            return
        facts = {
            "method": method,
            "path": path,
            "status": status,
            "milliseconds": round(milliseconds, 2),
            "client": client,
        }
        if isinstance(quick, AccessHandler):
            quick.request(says, facts, self.id)
        else:
            log.log(level, "%s", says, extra={"facts": facts})


def route_of(scope: Scope) -> str:
    """The route that answered, by its pattern: what a visitor writes never becomes a label."""
    route = scope.get("route")
    found = getattr(route, "path_format", "") or getattr(route, "path", "")
    if found:
        return str(found)
    if scope["path"].startswith(WORK):  # answers are taken without a route
        return "/work/{slug}/{task}"
    mounted = next((one for one in MOUNTED if scope["path"].startswith(one)), "")
    return f"{mounted}…" if mounted else OTHER


def written(path: str) -> str:
    """A path so written that it stays on one line.

    >>> written("/work/dogs"), written("/a b\\n")
    ('/work/dogs', '/a%20b%0A')
    """
    return path if _PLAIN.fullmatch(path) else quote(path)


def target(scope: Scope, path: str) -> str:
    """The address that was asked for: the path as it is written, and the query."""
    query: bytes = scope.get("query_string", b"")
    return f"{path}?{query.decode('ascii', 'backslashreplace')}" if query else path
