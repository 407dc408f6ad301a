"""Wakes a thread that waits for a descriptor."""

from __future__ import annotations

import socket
from contextlib import suppress


class Bell:
    """Rung in any thread, heard by one that polls `descriptor` beside others.

    >>> bell = Bell()
    >>> bell.ring()
    >>> bell.silence()
    """

    def __init__(self) -> None:
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        self.descriptor = self._inside.fileno()

    def ring(self) -> None:
        """Wake the thread, or let it not fall asleep."""
        with suppress(BlockingIOError):  # it has been rung often enough
            self._outside.send(b"!")

    def silence(self) -> None:
        """It has been heard."""
        with suppress(BlockingIOError):
            self._inside.recv(4096)
