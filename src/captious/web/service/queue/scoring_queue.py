"""Requests wait here, few and bounded, and leave in groups that are scored in one call.

An idle service scores a single request at once. While a call runs, requests gather; the next call takes
the oldest and with it all others of its kind, up to a limit of captions. Batching so follows the load.
Where many clients ask again as soon as they are answered, one half of them is scored while the server
answers the other: a call leaves beside the one that runs when half of those who were here wait again.
After a call that had none beside it, the next waits for that half, a tenth of the time that the last one
took.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from starlette.types import Message, Receive

from captious.web.service.queue.scoring_process import ScoringEnded, ScoringProcess, readable
from captious.web.service.requests import ScoreRequest
from captious.web.service.scoring.together import Answer, refusal
from captious.web.service.settings import LIMITS, Limits


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


LONGEST_WAIT = 60
AT_ONCE = 2  # calls: one that runs, and one that waits behind it
PATIENCE, LONGEST_PATIENCE = 0.1, 0.02  # of the last call's time, seconds
WATCHED_AFTER = 0.05  # seconds; most clients are answered before they could leave
ENDED_AFTER = 2.0  # seconds of a call that nobody waits for: starting a process takes about as long
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
    left: bool = False  # its client

    def __post_init__(self) -> None:
        self.captions = len(self.request.captions)


@dataclass(eq=False)
class _Call:
    """Requests that were sent to the scoring process together, and since when it works on them."""

    group: list[Waiting]
    began: float


class ScoringQueue:
    """A bounded queue before one scoring process, with a thread that carries between them."""

    def __init__(self, process: ScoringProcess, limits: Limits = LIMITS) -> None:
        self.process, self.limits = process, limits
        self.scored = self.calls = 0
        self._requests: deque[Waiting] = deque()
        self._calls: deque[_Call] = deque()
        self._rate = 0.0  # captions a second of the last calls
        self._company = 0  # requests that were here at once, waiting or being scored
        self._patience = 0.0
        self._wanted = NEVER  # requests for which the thread is to be woken
        self._too_large = False  # what waits, to be sent beside the call that runs
        self._outbox = Outbox()
        self._wake_up = WakeUp()
        self._lock = threading.Lock()
        self.stopping = False
        self._thread = threading.Thread(target=self._carry, name="captious-scoring", daemon=True)

    def start(self) -> None:
        """Begin to score."""
        self._thread.start()

    def stop(self) -> None:
        """Stop at once; what waits is answered with 503."""
        self.stopping = True
        self._wake_up.set()
        self.process.kill()
        self._thread.join()
        self.process.close()

    @property
    def waiting(self) -> int:
        """Requests that wait now."""
        return len(self._requests)

    def put(self, one: Waiting) -> None:
        """Add a request; `QueueFull` where there is no room."""
        with self._lock:
            if len(self._requests) >= self.limits.waiting:
                raise QueueFull(self.wait_seconds())
            self._requests.append(one)
            if len(self._requests) >= self._wanted:
                self._wanted = NEVER
                self._wake_up.set()

    def withdraw(self, one: Waiting) -> None:
        """Take a request back; a call of it alone that has run for a while is ended."""
        with self._lock, suppress(ValueError):
            self._requests.remove(one)
            return
        one.left = True
        calls = tuple(self._calls)
        if calls and calls[0].group == [one] and time.monotonic() - calls[0].began > ENDED_AFTER:
            self.process.kill()

    async def score(self, request: ScoreRequest, receive: Receive) -> Answer | None:
        """The answer to a request; None where its client left before, of which `receive` tells."""
        loop = asyncio.get_running_loop()
        answered: Awaited = loop.create_future()
        one = Waiting(request, partial(self._outbox.put, answered))
        self.put(one)
        watched = ClientWatch(answered, receive)
        watch = loop.call_later(WATCHED_AFTER, watched.watch)
        try:
            answer = await answered
        finally:
            watch.cancel()
            watched.stop()
            if watched.gone or not answered.done() or answered.cancelled():
                self.withdraw(one)
        return answer

    def wait_seconds(self) -> int:
        """A guess at when there will be room again."""
        captions = sum(one.captions for one in tuple(self._requests))
        seconds = captions / self._rate if self._rate else 1.0
        return min(LONGEST_WAIT, max(1, math.ceil(seconds)))

    def _carry(self) -> None:
        while not self.stopping:
            if self._calls:
                self._attend()
            elif self._requests:
                self._wait_for_company()
                self._begin()
            else:
                self._wait(1)
        left = [*(one for call in self._calls for one in call.group), *self._requests]
        self._deliver(left, [STOPPING] * len(left))

    def _attend(self) -> None:
        """Until the call that runs is answered, or another can be sent beside it."""
        left = self._calls[0].began + self.limits.seconds - time.monotonic()
        wanted = self._enough() if len(self._calls) < AT_ONCE and not self._too_large else NEVER
        if self._wait(wanted, left):
            self._hear()
        elif len(self._requests) >= wanted:
            self._begin(beside=True)
        elif self._calls[0].began + self.limits.seconds <= time.monotonic():
            self._hear(late=True)

    def _wait(self, requests: int, seconds: float | None = None) -> bool:
        """Until so many requests wait, an answer has come, or the time is over; whether one has come."""
        with self._lock:
            if len(self._requests) >= requests or self.stopping:
                return False
            self._wanted = requests
        outlet = self.process.outlet if self._calls else None
        found = readable([self._wake_up.descriptor, *([outlet] if outlet is not None else [])], seconds)
        self._wanted = NEVER
        if self._wake_up.descriptor in found:
            self._wake_up.clear()
        return outlet in found

    def _enough(self) -> int:
        """As many requests as half of those who were here lately; one client is never two halves."""
        return math.ceil(self._company / AT_ONCE) if self._company > 1 else NEVER

    def _wait_for_company(self) -> None:
        wanted, until = self._enough(), time.monotonic() + self._patience
        while 0 < len(self._requests) < wanted < NEVER and not self.stopping:
            left = until - time.monotonic()
            if left <= 0:
                break
            self._wait(wanted, left)

    def _group(self) -> list[Waiting]:
        """The oldest request and the others of its kind."""
        queue = self._requests
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

    def _begin(self, *, beside: bool = False) -> None:
        with self._lock:
            group = self._group()
        if not group:  # who waited has left
            return
        call = _Call(group, time.monotonic())
        try:
            sent = self.process.send([one.request for one in group], beside=beside)
        except ScoringEnded as error:
            # Beside another call, that one ended the process.
            self._after_the_end(self._calls.popleft() if beside else call, error, [call] if beside else [])
            return
        if sent:
            self._calls.append(call)
        else:
            self._too_large = True
            self._put_back([call])

    def _hear(self, *, late: bool = False) -> None:
        """Take the answers to the oldest call, or end it where it is late."""
        call = self._calls.popleft()
        self._too_large = False
        try:
            if late:
                self.process.give_up()
            answers = self.process.receive()
        except ScoringEnded as error:
            self._after_the_end(call, error)
            return
        now = time.monotonic()
        captions = sum(one.captions for one in call.group)
        self.scored, self.calls = self.scored + captions, self.calls + 1
        took = max(now - call.began, 1e-6)
        self._company = sum(len(one.group) for one in (call, *self._calls)) + len(self._requests)
        self._patience = min(PATIENCE * took, LONGEST_PATIENCE)
        rate = captions / took
        self._rate = rate if not self._rate else 0.8 * self._rate + 0.2 * rate
        for other in self._calls:
            other.began = now
        self._deliver(call.group, answers)

    def _deliver(self, group: Sequence[Waiting], answers: Sequence[Answer]) -> None:
        for one, answer in zip(group, answers, strict=True):
            one.deliver(answer)
        self._outbox.send()

    def _put_back(self, calls: Iterable[_Call]) -> None:
        """Requests of calls that were not begun wait again, before all others."""
        with self._lock:
            for call in calls:
                self._requests.extendleft(reversed(call.group))

    def _after_the_end(self, call: _Call, error: ScoringEnded, unsent: Iterable[_Call] = ()) -> None:
        """One request may have ended the process for all: each is tried again alone, once."""
        self._put_back([*unsent, *self._calls])
        self._calls.clear()
        if len(call.group) == 1 and not self.stopping:
            (one,) = call.group
            self._deliver([one], [STOPPING if one.left else _said(error)])
            return
        for one in call.group:
            self._deliver([one], [STOPPING if self.stopping else self._alone(one)])

    def _alone(self, one: Waiting) -> Answer:
        try:
            (answer,) = self.process.ask([one.request])
        except ScoringEnded as error:
            return STOPPING if self.stopping else _said(error)
        return answer


STOPPING = refusal("The service is stopping. Send the request again later.", 503)


def _said(error: ScoringEnded) -> Answer:
    """What the request that ended the process is told; the log hears it too."""
    _log.error("scoring: %s", error)
    return refusal(f"{str(error)[0].upper()}{str(error)[1:]}. Send less in one request.", 503)
