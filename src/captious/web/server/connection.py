"""One HTTP connection: uvicorn's protocol on httptools, with time limits and strict framing."""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from captious.web.server.answer import Cycle
from captious.web.server.framing import BadFramingError, TooManyWaitingError, check_framing
from captious.web.server.room import Room

# A byte may come in a chunk of its own, with five bytes around it.
FRAMING = 16
HEAD, BODY, WORK, REST, IDLE = "head", "body", "work", "rest", "idle"
SAYS = {
    400: b"The request cannot be read.\n",
    408: b"The request took too long.\n",
    431: b"The headers are too large.\n",
    503: b"The server is busy. Try again in a moment.\n",
}


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
        self.untaken = self.content = self.head_size = 0
        self.head_whole = False
        self.entered = self.ended = self.full = False

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
        if self.ended or self.full or not self.entered:
            return
        if self.stage == IDLE:
            self._wait_for(HEAD)
        elif self.stage == BODY:
            # What comes gives time for the rest, and never more than there was at first.
            self.since = min(self.loop.time(), self.since + len(data) / self.limits.body_rate)
        self.received += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Nothing here is upgraded: the request is answered as it is, and the connection ends.
            if self.cycle is not None:
                self.cycle.keep_alive = False
        except httptools.HttpParserError as error:
            cause = error.__context__
            if isinstance(cause, TooManyWaitingError):
                self._take_no_more()
                return
            self._refuse(cause.status if isinstance(cause, BadFramingError) else 400)
        else:
            if self.stage == HEAD and self.received > self.limits.head_bytes:
                self._refuse(431)
            elif self.stage in (BODY, REST) and self._is_mostly_framing():
                self._refuse(400)

    def _take_no_more(self) -> None:
        """Answer the requests that wait and close; the client sends the others again (RFC 9112, 9.3.2)."""
        self.full = True
        self.pipeline[0][0].keep_alive = False  # the one that came last
        self.stage = WORK
        self.room.go_on(self)

    def _is_mostly_framing(self) -> bool:
        """Whether what came of a body is far more than its content: chunks' extensions without end."""
        return self.received > self.limits.head_bytes + FRAMING * self.content

    def pause_writing(self) -> None:
        """The client takes nothing of the answer: its time runs."""
        super().pause_writing()
        self.blocked, self.untaken = self.loop.time(), self._unsent()
        self.room.stall(self)

    def resume_writing(self) -> None:
        """It takes the answer again."""
        super().resume_writing()
        self.blocked = None
        if self.stage == WORK:
            self.room.go_on(self)
        else:  # Its time for the next request begins when it has this answer.
            self.since = self.loop.time()

    # What the parser says.

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self.head_size, self.head_whole = 0, False
        if self.stage == IDLE:
            self._wait_for(HEAD)

    def on_url(self, url: bytes) -> None:
        """Part of the address."""
        self.url += url
        self.head_size += len(url)
        if self.head_size > self.limits.head_bytes:
            raise BadFramingError(431)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; those behind a body are read and left out, for no proxy has looked at them."""
        name = name.lower()
        headers, limits = self.headers, self.limits
        self.head_size += len(name) + len(value) + 4
        if self.head_size > limits.head_bytes or len(headers) >= limits.headers:
            raise BadFramingError(431)
        if self.head_whole:
            return
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is whole: where it ends and how long the body is must be beyond doubt."""
        version = self.parser.get_http_version()
        check_framing(self.headers, version)
        if len(self.pipeline) >= self.limits.waiting:
            raise TooManyWaitingError
        self._wait_for(BODY)
        self.head_whole, self.content = True, 0
        url, scope = httptools.parse_url(self.url), self.scope
        path = url.path.decode("ascii")
        scope["method"], scope["http_version"] = self.parser.get_method().decode("ascii"), version
        scope["path"], scope["raw_path"] = unquote(path) if "%" in path else path, url.path
        scope["query_string"] = url.query or b""
        before, self.cycle = self.cycle, self._cycle(version)
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:  # It was sent before the last one was answered, and waits for its turn.
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))

    def _cycle(self, version: str) -> Cycle:
        return Cycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,  # The application writes its own lines.
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )

    def on_body(self, body: bytes) -> None:
        """Part of the body."""
        self.content += len(body)
        super().on_body(body)

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
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._wait_for(REST if self.stage == BODY else IDLE)

    # What the room asks.

    def overdue(self, now: float) -> bool:
        """Whether the client has had all its time."""
        if self.blocked is not None:
            return now - self.blocked > self.limits.write_seconds and not self._takes_some(now)
        if self.stage == HEAD:
            return now - self.since > self.limits.head_seconds
        if self.stage == BODY:
            if self.flow.read_paused:  # We read nothing at the moment: that is not the client's fault.
                self.since += 1.0
                return False
            return now - self.since > self.limits.body_seconds
        return self.stage in (REST, IDLE) and now - self.since > self.limits.idle_seconds

    def _takes_some(self, now: float) -> bool:
        """Whether the client has taken a good part of the answer since it was last looked at.

        The system holds megabytes for a client: one on a slow line may take them for minutes before we hear.
        """
        before, self.untaken = self.untaken, self._unsent()
        if before - self.untaken < self.limits.write_seconds * self.limits.body_rate:
            return False
        self.blocked = now
        return True

    def _unsent(self) -> int:
        """Bytes of answers that the client has not taken yet: ours, and those that the system holds."""
        return self.transport.get_write_buffer_size() + held_by_system(self.transport)

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


def held_by_system(transport: asyncio.BaseTransport) -> int:
    """Bytes that were written and that the other side has not confirmed; 0 where the system cannot tell."""
    try:
        from fcntl import ioctl
        from termios import TIOCOUTQ

        found = ioctl(transport.get_extra_info("socket").fileno(), TIOCOUTQ, bytes(4))
    except (ImportError, OSError, AttributeError):
        return 0
    return int.from_bytes(found, sys.byteorder)
