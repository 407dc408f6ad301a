"""Requests wait here, few and bounded, and leave in groups that are scored in one call.

An idle service scores a single request at once. While a call runs, requests gather; the next call takes
the oldest and with it all others of its kind, up to a limit of captions. Batching so follows the load.
After a call the clients that it answered are often about to ask again: the next call waits for them, a
tenth of the time that the last one took. Lines of jobs leave only when no request waits.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from captious.web.service.limits import LIMITS, Limits
from captious.web.service.process import ScoringEnded, ScoringProcess
from captious.web.service.request import ScoreRequest
from captious.web.service.together import Answer, refusal

LONGEST_WAIT = 60
PATIENCE, LONGEST_PATIENCE = 0.1, 0.02  # of the last call's time, seconds
_log = logging.getLogger("captious.web")


class QueueFull(Exception):  # noqa: N818 - an answer, not a fault
    """No room for another request; `wait_seconds` is a guess at when there will be."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__("the queue is full")
        self.wait_seconds = wait_seconds


@dataclass(eq=False)
class Waiting:
    """One request in the queue. `deliver` hears the answer, in the thread of the queue."""

    request: ScoreRequest
    deliver: Callable[[Answer], None]
    captions: int = field(init=False)

    def __post_init__(self) -> None:
        self.captions = len(self.request.captions)


class ScoringQueue:
    """A bounded queue before one scoring process, with a thread that carries between them."""

    def __init__(self, process: ScoringProcess, limits: Limits = LIMITS) -> None:
        self.process, self.limits = process, limits
        self.scored = self.calls = 0
        self._requests: deque[Waiting] = deque()
        self._lines: deque[Waiting] = deque()
        self._rate = 0.0  # captions a second of the last calls
        self._company = 0  # requests that were here at once, waiting or being scored
        self._patience = 0.0
        self._changed = threading.Condition()
        self.stopping = False
        self._thread = threading.Thread(target=self._carry, name="captious-scoring", daemon=True)

    def start(self) -> None:
        """Begin to score."""
        self._thread.start()

    def stop(self) -> None:
        """Stop at once; what waits is answered with 503."""
        with self._changed:
            self.stopping = True
            self._changed.notify()
        self.process.close()
        self._thread.join()
        self.process.close()  # a call that began meanwhile may have started it again

    @property
    def waiting(self) -> int:
        """Requests that wait now."""
        return len(self._requests)

    def put(self, one: Waiting) -> None:
        """Add a request; `QueueFull` where there is no room."""
        with self._changed:
            if len(self._requests) >= self.limits.waiting:
                raise QueueFull(self.wait_seconds())
            self._requests.append(one)
            self._changed.notify()

    def put_lines(self, lines: Iterable[Waiting]) -> None:
        """Add lines of a job, which wait until no request does."""
        with self._changed:
            self._lines.extend(lines)
            self._changed.notify()

    def withdraw(self, one: Waiting) -> None:
        """Take a request back, unless it is being scored."""
        with self._changed, suppress(ValueError):
            self._requests.remove(one)

    async def score(self, request: ScoreRequest, leave: asyncio.Future[Any]) -> Answer | None:
        """The answer to a request; None where the client left (`leave` is done) before it came."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()

        def deliver(answer: Answer) -> None:
            with suppress(RuntimeError):  # the server has stopped, and its loop with it
                loop.call_soon_threadsafe(_settle, answered, answer)

        one = Waiting(request, deliver)
        self.put(one)
        try:
            await asyncio.wait({answered, leave}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not answered.done():
                self.withdraw(one)
        return answered.result() if answered.done() else None

    def wait_seconds(self) -> int:
        """A guess at when there will be room again."""
        captions = sum(one.captions for one in tuple(self._requests))
        seconds = captions / self._rate if self._rate else 1.0
        return min(LONGEST_WAIT, max(1, math.ceil(seconds)))

    def _carry(self) -> None:
        while True:
            with self._changed:
                while not (self._requests or self._lines or self.stopping):
                    self._changed.wait()
                if self.stopping:
                    left = [*self._requests, *self._lines]
                    break
                self._wait_for_company()
                group = self._group()
            self._score(group)
        for one in left:
            one.deliver(refusal("The service is stopping. Send it again.", 503))

    def _wait_for_company(self) -> None:
        until = time.monotonic() + self._patience
        while 0 < len(self._requests) < self._company and not self.stopping:
            left = until - time.monotonic()
            if left <= 0 or not self._changed.wait(left):
                break

    def _group(self) -> list[Waiting]:
        """The oldest request and the others of its kind."""
        queue = self._requests or self._lines
        group: list[Waiting] = []
        others: list[Waiting] = []
        kind: tuple[object, ...] | None = None
        room = self.limits.together
        while queue and room > 0:
            one = queue.popleft()
            if kind is None:
                kind = one.request.kind
            if one.request.kind == kind and (not group or one.captions <= room):
                group.append(one)
                room -= one.captions
            else:
                others.append(one)
        queue.extendleft(reversed(others))
        return group

    def _score(self, group: list[Waiting]) -> None:
        began = time.monotonic()
        try:
            answers = self.process.ask([one.request for one in group])
        except ScoringEnded as error:
            self._after_the_end(group, error)
            return
        captions = sum(one.captions for one in group)
        self.scored, self.calls = self.scored + captions, self.calls + 1
        took = max(time.monotonic() - began, 1e-6)
        self._company = len(group) + len(self._requests)
        self._patience = min(PATIENCE * took, LONGEST_PATIENCE)
        rate = captions / took
        self._rate = rate if not self._rate else 0.8 * self._rate + 0.2 * rate
        for one, answer in zip(group, answers, strict=True):
            one.deliver(answer)

    def _after_the_end(self, group: list[Waiting], error: ScoringEnded) -> None:
        """One request may have ended the process for all: each is tried again alone, once."""
        if self.stopping:
            for one in group:
                one.deliver(refusal("The service is stopping. Send it again.", 503))
        elif len(group) == 1:
            _log.error("scoring: %s", error)
            group[0].deliver(refusal(f"{str(error)[0].upper()}{str(error)[1:]}. Send less at once.", 503))
        else:
            for one in group:
                self._score([one])


def _settle(answered: asyncio.Future[Answer], answer: Answer) -> None:
    if not answered.done():  # its client may have left
        answered.set_result(answer)
