"""Answers on their way from the queue's thread to event loops: one wake-up for all of a call."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from captious.web.service.scoring.together import Answer

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
