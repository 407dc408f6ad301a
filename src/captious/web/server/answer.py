"""The way out of one answer: its head leaves with the first part of its body, in one system call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

CONTINUE = b"HTTP/1.1 100 "


class Outgoing:
    """What uvicorn's cycle of a request takes for its transport.

    uvicorn writes the head and each part of the body by itself, and calls `answered` at the end.
    """

    def __init__(self, transport: asyncio.Transport, answered: Callable[[], None]) -> None:
        self.transport, self.answered = transport, answered
        self.head: bytes | None = None

    def write(self, data: bytes) -> None:
        """Send a part of the answer, or keep it until there is more."""
        if self.head is None:
            if data.startswith(CONTINUE):
                self.transport.write(data)
            else:
                self.head = data
            return
        if self.head:
            data, self.head = self.head + data, b""
        self.transport.write(data)

    def end(self) -> None:
        """The answer is whole: one without a body is its head alone."""
        self._flush()
        self.answered()

    def close(self) -> None:
        """Send what is left, and close."""
        self._flush()
        self.transport.close()

    def is_closing(self) -> bool:
        """Whether the connection ends."""
        return self.transport.is_closing()

    def _flush(self) -> None:
        if self.head:
            head, self.head = self.head, b""
            self.transport.write(head)
