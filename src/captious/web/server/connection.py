"""One HTTP connection: uvicorn's protocol on httptools, with time limits and strict framing."""

from __future__ import annotations

import asyncio
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from captious.web.server.answer import Outgoing
from captious.web.server.room import Room

HEAD, BODY, WORK, REST, IDLE = "head", "body", "work", "rest", "idle"
SAYS = {
    400: b"The request cannot be read.\n",
    408: b"The request took too long.\n",
    431: b"The headers are too large.\n",
    503: b"The server is busy. Try again in a moment.\n",
}


class BadFramingError(Exception):
    """Where one request ends and the next begins is not certain, or the head is too large."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Connection(HttpToolsProtocol):
    """A connection that the room watches. Nothing that a client sends or leaves out is logged here."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        room: Room,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.room, self.limits = room, room.limits
        self.stage, self.since, self.received = HEAD, self.loop.time(), 0
        self.blocked: float | None = None
        self.head_size = 0
        self.entered = self.ended = False

    # What the transport says.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place in the room, or say that there is none."""
        if not self.room.enter():
            self.transport = transport
            self._say(503, b"retry-after: 1\r\n")
            return
        self.entered = True
        super().connection_made(transport)
        self._wait_for(HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        if self.entered:
            self.entered = False
            self.room.leave(self)
            super().connection_lost(exc)
        self.ended = True

    def data_received(self, data: bytes) -> None:
        """Parse what came; a head without end is cut off."""
        if self.ended or not self.entered:
            return
        self._unset_keepalive_if_required()
        if self.stage == IDLE:
            self._wait_for(HEAD)
        self.received += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Nothing here is upgraded: the request is answered as it is, and the connection ends.
            if self.cycle is not None:
                self.cycle.keep_alive = False
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._refuse(cause.status if isinstance(cause, BadFramingError) else 400)
        else:
            if self.stage == HEAD and self.received > self.limits.head_bytes:
                self._refuse(431)

    def pause_writing(self) -> None:
        """The client takes nothing of the answer: its time runs."""
        super().pause_writing()
        self.blocked = self.loop.time()
        self.room.stall(self)

    def resume_writing(self) -> None:
        """It takes the answer again."""
        super().resume_writing()
        self.blocked = None
        if self.stage == WORK:
            self.room.go_on(self)

    # What the parser says.

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self.head_size = 0
        if self.stage == IDLE:
            self._wait_for(HEAD)

    def on_url(self, url: bytes) -> None:
        """Part of the address."""
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        super().on_header(name, value)
        self._count(len(name) + len(value) + 4)

    def on_headers_complete(self) -> None:
        """The head is whole: where it ends and how long the body is must be beyond doubt."""
        check_framing(self.headers, self.parser.get_http_version())
        self._wait_for(BODY)
        super().on_headers_complete()
        out = Outgoing(self.transport, self.on_response_complete)
        self.cycle.transport, self.cycle.on_response = out, out.end  # type: ignore[assignment]

    def on_message_complete(self) -> None:
        """The request is whole: from here on the client waits for us, unless we were faster."""
        super().on_message_complete()
        if self.stage == REST:
            self._wait_for(IDLE)
            return
        self.stage = WORK
        if self.blocked is None:
            self.room.go_on(self)

    def on_response_complete(self) -> None:
        """The answer is sent; the rest of a body that nobody wants is awaited for a moment.

        Closing at once would reset the connection before the client has read the answer.
        """
        super().on_response_complete()
        self._unset_keepalive_if_required()  # The room has its own clock for the idle.
        if self.transport.is_closing() or self.pipeline:
            return
        self._wait_for(REST if self.stage == BODY else IDLE)

    def _count(self, size: int) -> None:
        self.head_size += size
        if self.head_size > self.limits.head_bytes or len(self.headers) > self.limits.headers:
            raise BadFramingError(431)

    # What the room asks.

    def overdue(self, now: float) -> bool:
        """Whether the client has had all its time."""
        if self.blocked is not None:
            return now - self.blocked > self.limits.write_seconds
        if self.stage == HEAD:
            return now - self.since > self.limits.head_seconds
        if self.stage == BODY:
            if self.flow.read_paused:  # We read nothing at the moment: that is not the client's fault.
                self.since += 1.0
                return False
            allowed = self.limits.body_seconds + self.received / self.limits.body_rate
            return now - self.since > allowed
        return self.stage in (REST, IDLE) and now - self.since > self.limits.idle_seconds

    def dismiss(self) -> None:
        """The time is over: say so where the client could still listen."""
        silent = self.stage == HEAD and not self.received
        if self.blocked is not None or self.stage in (REST, IDLE) or silent:
            self.drop()
        else:
            self._refuse(408)

    def drop(self) -> None:
        """Close at once."""
        self.ended = True
        if self.transport is not None:
            self.transport.abort()

    def _wait_for(self, stage: str) -> None:
        self.stage, self.since, self.received = stage, self.loop.time(), 0
        self.room.stall(self)

    def _refuse(self, status: int) -> None:
        """A refusal outside the application, unless it has begun to answer."""
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.drop()
            return
        self._say(status)

    def _say(self, status: int, more: bytes = b"") -> None:
        self.ended = True
        if self.transport.is_closing():
            return
        body = SAYS[status]
        head = (
            b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close\r\n"
            % len(body)
        )
        self.transport.write(STATUS_LINE[status] + head + more + b"\r\n" + body)
        self.transport.close()


def check_framing(headers: list[tuple[bytes, bytes]], version: str) -> None:
    """Refuse a request whose length is said twice or not clearly (RFC 9112, 6.3 and 11.2), or with two hosts.

    >>> check_framing([(b"host", b"a"), (b"content-length", b"3")], "1.1")
    >>> check_framing([(b"host", b"a"), (b"content-length", b"3"), (b"content-length", b"3")], "1.1")
    Traceback (most recent call last):
    captious.web.server.connection.BadFramingError: 400
    """
    lengths = [value for name, value in headers if name == b"content-length"]
    codings = [value for name, value in headers if name == b"transfer-encoding"]
    hosts = sum(name == b"host" for name, _ in headers)
    clear = len(lengths) + len(codings) <= 1 and all(value.isdigit() for value in lengths)
    coded = not codings or (codings[0].strip().lower() == b"chunked" and version == "1.1")
    if not (clear and coded and (hosts == 1 or (hosts == 0 and version == "1.0"))):
        raise BadFramingError(400)
