"""Between the queue's thread and event loops: answers, the wake-up of the thread, clients that disconnect."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

from starlette.types import Message, Receive

from captious.web.service.scoring.together import Answer


class WakeUp:
    """Set in any thread; wakes the one that polls `descriptor` beside others.

    >>> wake_up = WakeUp()
    >>> wake_up.set()
    >>> wake_up.clear()
    """

    def __init__(self) -> None:
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        self.descriptor = self._inside.fileno()

    def set(self) -> None:
        """Wake the thread, or keep it awake."""
        with suppress(BlockingIOError):  # it is set already
            self._outside.send(b"!")

    def clear(self) -> None:
        """The thread is awake."""
        with suppress(BlockingIOError):
            self._inside.recv(4096)


Awaited = asyncio.Future[Answer | None]


class Outbox:
    """Gathers answers in one thread, and hands them over together."""

    def __init__(self) -> None:
        self._held: dict[asyncio.AbstractEventLoop, list[tuple[Awaited, Answer]]] = {}

    def put(self, awaited: Awaited, answer: Answer) -> None:
        """An answer to somebody who waits in an event loop."""
        self._held.setdefault(awaited.get_loop(), []).append((awaited, answer))

    def send(self) -> None:
        """Hand over what was put."""
        held, self._held = self._held, {}
        for loop, answers in held.items():
            with suppress(RuntimeError):  # the server has stopped, and its loop with it
                loop.call_soon_threadsafe(_settle, answers)


def _settle(answers: list[tuple[Awaited, Answer]]) -> None:
    for awaited, answer in answers:
        if not awaited.done():  # its client may have left
            awaited.set_result(answer)


class ClientWatch:
    """Whether the client of a request has disconnected; watched only where the answer takes a while."""

    def __init__(self, answered: Awaited, receive: Receive) -> None:
        self.answered, self.receive, self.gone = answered, receive, False
        self.task: asyncio.Task[Message] | None = None

    def watch(self) -> None:
        """Notice from now on that the client disconnects."""
        self.task = asyncio.ensure_future(self.receive())
        self.task.add_done_callback(self._disconnected)

    def stop(self) -> None:
        """The answer has come, or nobody waits for it any more."""
        if self.task is not None:
            self.task.cancel()

    def _disconnected(self, task: asyncio.Task[Message]) -> None:
        if not task.cancelled() and not self.answered.done():
            self.gone = True
            self.answered.set_result(None)
