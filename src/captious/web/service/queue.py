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
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from starlette.types import Message, Receive

from captious.web.service.limits import LIMITS, Limits
from captious.web.service.outbox import Awaited, Outbox
from captious.web.service.process import ScoringEnded, ScoringProcess
from captious.web.service.request import ScoreRequest
from captious.web.service.together import Answer, refusal

LONGEST_WAIT = 60
PATIENCE, LONGEST_PATIENCE = 0.1, 0.02  # of the last call's time, seconds
WATCHED_AFTER = 0.05  # seconds; most clients are answered before they could leave
NEVER = sys.maxsize
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
        self._wanted = NEVER  # requests for which the thread is to be woken
        self._outbox = Outbox()
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
            if len(self._requests) >= self._wanted:
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

    async def score(self, request: ScoreRequest, receive: Receive) -> Answer | None:
        """The answer to a request; None where its client left before, of which `receive` tells."""
        loop = asyncio.get_running_loop()
        answered: Awaited = loop.create_future()
        one = Waiting(request, partial(self._outbox.put, answered))
        self.put(one)
        left = _Left(answered, receive)
        watch = loop.call_later(WATCHED_AFTER, left.watch)
        try:
            answer = await answered
        finally:
            watch.cancel()
            left.ignore()
            if left.noticed or not answered.done() or answered.cancelled():
                self.withdraw(one)
        return answer

    def wait_seconds(self) -> int:
        """A guess at when there will be room again."""
        captions = sum(one.captions for one in tuple(self._requests))
        seconds = captions / self._rate if self._rate else 1.0
        return min(LONGEST_WAIT, max(1, math.ceil(seconds)))

    def _carry(self) -> None:
        while True:
            with self._changed:
                while not (self._requests or self._lines or self.stopping):
                    self._wait(1)
                if self.stopping:
                    left = [*self._requests, *self._lines]
                    break
                self._wait_for_company()
                group = self._group()
            self._score(group)
        self._deliver(left, [refusal("The service is stopping. Send it again.", 503)] * len(left))

    def _wait(self, requests: int, seconds: float | None = None) -> None:
        """Until so many requests wait, or something else has changed."""
        self._wanted = requests
        self._changed.wait(seconds)
        self._wanted = NEVER

    def _wait_for_company(self) -> None:
        until = time.monotonic() + self._patience
        while 0 < len(self._requests) < self._company and not self.stopping:
            left = until - time.monotonic()
            if left <= 0:
                break
            self._wait(self._company, left)

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
        self._deliver(group, answers)

    def _deliver(self, group: Sequence[Waiting], answers: Sequence[Answer]) -> None:
        for one, answer in zip(group, answers, strict=True):
            one.deliver(answer)
        self._outbox.send()

    def _after_the_end(self, group: list[Waiting], error: ScoringEnded) -> None:
        """One request may have ended the process for all: each is tried again alone, once."""
        if self.stopping:
            self._deliver(group, [refusal("The service is stopping. Send it again.", 503)] * len(group))
        elif len(group) == 1:
            _log.error("scoring: %s", error)
            said = refusal(f"{str(error)[0].upper()}{str(error)[1:]}. Send less at once.", 503)
            self._deliver(group, [said])
        else:
            for one in group:
                self._score([one])


class _Left:
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
