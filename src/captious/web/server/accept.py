"""Taking connections from the listening socket, and what to do when the system gives none."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable

from captious.web.server.room import Room

# Out of descriptors or memory: the next attempt would fail the same way.
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
REST_SECONDS = 0.25
AT_ONCE = 64
MADE_FREE = 32


class Acceptor:
    """Accepts connections; looks to uvicorn like the server of an event loop."""

    def __init__(
        self, listener: socket.socket, backlog: int, room: Room, make: Callable[[], asyncio.Protocol]
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.listener, self.room, self.make = listener, room, make
        self.resting: asyncio.TimerHandle | None = None
        self.making: set[asyncio.Task[None]] = set()
        self.open = True
        listener.setblocking(False)
        listener.listen(backlog)
        self.loop.add_reader(listener, self.take)

    def take(self) -> None:
        """Accept what waits, a handful at a time, so that others get their turn."""
        for _ in range(AT_ONCE):
            try:
                accepted, _ = self.listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in EXHAUSTED:
                    raise
                self._rest()
                return
            accepted.setblocking(False)
            task = self.loop.create_task(self._connect(accepted))
            self.making.add(task)
            task.add_done_callback(self.making.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await self.loop.connect_accepted_socket(self.make, accepted)
        except OSError:  # The client has gone meanwhile.
            accepted.close()

    def _rest(self) -> None:
        """The system has no descriptor left: let some clients go and look again in a moment."""
        self.room.say("the system gives no more descriptors; accepting rests")
        for _ in range(MADE_FREE):
            if not self.room.make_place():
                break
        self.loop.remove_reader(self.listener)
        self.resting = self.loop.call_later(REST_SECONDS, self._wake)

    def _wake(self) -> None:
        self.resting = None
        if self.open:
            self.loop.add_reader(self.listener, self.take)

    def close(self) -> None:
        """Accept no more."""
        if self.open:
            self.open = False
            self.loop.remove_reader(self.listener)
            if self.resting is not None:
                self.resting.cancel()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""
