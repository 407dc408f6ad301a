"""Clients that leave before they are answered."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive

from captious.web.service.queue.outbox import Awaited


class Leaving:
    """Whether the client of a request has left; asked only where the answer takes a while."""

    def __init__(self, answered: Awaited, receive: Receive) -> None:
        self.answered, self.receive, self.noticed = answered, receive, False
        self.task: asyncio.Task[Message] | None = None

    def watch(self) -> None:
        """From now on, leaving is noticed."""
        self.task = asyncio.ensure_future(self.receive())
        self.task.add_done_callback(self._gone)

    def ignore(self) -> None:
        """The answer has come, or nobody waits for it any more."""
        if self.task is not None:
            self.task.cancel()

    def _gone(self, task: asyncio.Task[Message]) -> None:
        if not task.cancelled() and not self.answered.done():
            self.noticed = True
            self.answered.set_result(None)
