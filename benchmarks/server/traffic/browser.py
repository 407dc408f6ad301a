"""One connection and its cookies, as a browser has them."""

from __future__ import annotations

import asyncio
import re
from typing import cast

ANSWER_SECONDS = 60.0

_COOKIE = re.compile(rb"\r\nset-cookie: ([^=]+)=([^;\r]*)", re.I)
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)


class HungUpError(Exception):
    """The connection ended before the answer came."""


class Wire(asyncio.Protocol):
    """One connection: bytes come in until an answer is whole."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.data = b""
        self.head, self.size = b"", -1
        self.waiting: asyncio.Future[tuple[bytes, bytes]] | None = None
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Collect until the body has the length that the head says."""
        self.data = self.data + data if self.data else data
        if self.size < 0:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            self.head, self.data = self.data[: end + 2], self.data[end + 4 :]
            length = _LENGTH.search(self.head)
            self.size = int(length[1]) if length else 0
        if len(self.data) >= self.size and self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            head, body, self.data = self.head, self.data[: self.size], self.data[self.size :]
            self.size = -1
            if not waiting.done():
                waiting.set_result((head, body))

    def write(self, data: bytes) -> None:
        """Send bytes; a connection that is gone is noticed when the answer is waited for."""
        if self.transport is not None:
            self.transport.write(data)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell who waits."""
        self.closed = True
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(HungUpError())
            self.waiting.exception()  # whoever has gone need not hear of it
        self.waiting = None


class Browser:
    """One rater's cookies and connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.wire: Wire | None = None

    async def send(self, method: str, path: str, body: bytes = b"", accept: str = "text/html") -> None:
        """Send a request; a connection that the server closed meanwhile is opened again."""
        loop = asyncio.get_running_loop()
        if self.wire is None or self.wire.closed:
            try:
                _, self.wire = await loop.create_connection(Wire, "127.0.0.1", self.port)
            except OSError as error:
                raise HungUpError from error
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\n"
            f"Cookie: {cookies}\r\nContent-Length: {len(body)}\r\nX-Next-Page: 1\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        self.wire.waiting = loop.create_future()
        self.wire.write(head.encode() + body)

    async def answer(self) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        if self.wire is None or self.wire.waiting is None:
            raise HungUpError
        waiting = self.wire.waiting
        late = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.hang_up)
        try:
            head, body = await waiting
        finally:
            late.cancel()
        for name, value in _COOKIE.findall(head):
            self.cookies[name.decode()] = value.decode()
        return int(head[9:12]), body

    async def ask(self, method: str, path: str, body: bytes = b"", **options: str) -> tuple[int, bytes]:
        """Send a request and return its answer."""
        await self.send(method, path, body, **options)
        return await self.answer()

    def hang_up(self) -> None:
        """Close the connection, whatever is on its way."""
        if self.wire is not None:
            wire, self.wire = self.wire, None
            if wire.transport is not None:
                wire.transport.abort()
