"""One request and its answer: uvicorn's cycle, but the head leaves with the first part of the body.

One system call an answer instead of two; and the lines of headers that are the same in every answer are
checked and written once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

LENGTH, CODING, CONNECTION = b"content-length", b"transfer-encoding", b"connection"
WITHOUT_BODY = (204, 304)
Headers = Iterable[tuple[bytes, bytes]]


class Cycle(RequestResponseCycle):
    """What the application reads a request from and sends its answer to."""

    head = b""

    async def send(self, message: Any) -> None:
        """Take a part of the answer."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        kind = message["type"]
        if kind == "http.response.start" and not self.response_started:
            self._begin(message["status"], message.get("headers", ()))
        elif kind == "http.response.body" and self.response_started and not self.response_complete:
            self._go_on(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise RuntimeError(f"the application sent {kind} where the answer has no place for it")

    def _begin(self, status: int, headers: Headers) -> None:
        self.response_started, self.waiting_for_100_continue = True, False
        lines = [STATUS_LINE[status]]
        closes = False
        for given, value in (*self.default_headers, *headers):
            name = given.lower()
            if name == LENGTH and self.chunked_encoding is None:
                self.expected_content_length, self.chunked_encoding = int(value), False
            elif name == CODING and value.lower() == b"chunked":
                self.expected_content_length, self.chunked_encoding = 0, True
            elif name == CONNECTION and b"close" in [one.strip() for one in value.lower().split(b",")]:
                self.keep_alive, closes = False, True
            lines.append(line(name, value))
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        has_body = self.scope["method"] != "HEAD" and status not in WITHOUT_BODY
        if self.chunked_encoding is None and has_body:
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        lines.append(b"\r\n")
        self.head = b"".join(lines)

    def _go_on(self, body: bytes, *, more: bool) -> None:
        data = self.head + self._framed(body, more=more)
        self.head = b""
        if data:
            self.transport.write(data)
        if more:
            return
        if self.expected_content_length:
            raise RuntimeError("the body is shorter than its content-length")
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def _framed(self, body: bytes, *, more: bool) -> bytes:
        """A part of the body as it goes over the wire."""
        if self.scope["method"] == "HEAD":
            self.expected_content_length = 0
            return b""
        if self.chunked_encoding:
            chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            return chunk if more else chunk + b"0\r\n\r\n"
        if len(body) > self.expected_content_length:
            raise RuntimeError("the body is longer than its content-length")
        self.expected_content_length -= len(body)
        return body


@lru_cache(maxsize=1024)
def line(name: bytes, value: bytes) -> bytes:
    r"""The line of a header; one that would begin another line is refused.

    >>> line(b"vary", b"Cookie")
    b'vary: Cookie\r\n'
    >>> line(b"vary", b"Cookie\r\nset-cookie: a=1")
    Traceback (most recent call last):
    RuntimeError: a header is not valid
    """
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError("a header is not valid")
    return b"%b: %b\r\n" % (name, value)
