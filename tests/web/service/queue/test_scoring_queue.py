"""The queue: bounded, in groups, and nobody is scored who has left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from captious.web.service.queue import scoring_queue
from captious.web.service.queue.scoring_process import ScoringProcess
from captious.web.service.queue.scoring_queue import QueueFull, ScoringQueue, Waiting
from captious.web.service.requests import Offer, ScoreRequest
from captious.web.service.settings import Limits

LIMITS = Limits(waiting=6, together=4, seconds=60)


def request(*captions: str, metric: str = "bleu1") -> ScoreRequest:
    count = len(captions)
    images = [str(place) for place in range(count)]
    return ScoreRequest((metric,), [*captions], images, ["candidates"] * count, [["a dog"]] * count)


class Held(ScoringProcess):
    """The scoring process behind a gate, so that a test decides when a call begins."""

    def __init__(self) -> None:
        super().__init__(Offer("bleu1,bleu4,rouge_l"), LIMITS)
        self.gate = threading.Semaphore(0)
        self.began = threading.Semaphore(0)
        self.calls: list[int] = []
        self.beside: list[int] = []  # of the calls, those that were sent while another ran
        self.dying = False

    def start(self) -> None:
        super().start()
        if self.dying:
            self.dying = False
            assert self.process_id is not None
            os.kill(self.process_id, signal.SIGKILL)

    def send(self, requests: Any, *, beside: bool = False) -> bool:
        self.calls.append(len(requests))
        self.beside += [len(requests)] if beside else []
        self.began.release()
        assert self.gate.acquire(timeout=60)
        return super().send(requests, beside=beside)


@pytest.fixture(scope="module")
def process() -> Iterator[Held]:
    process = Held()
    yield process
    process.close()


@pytest.fixture
def queue(process: Held) -> Iterator[ScoringQueue]:
    process.calls.clear()
    process.beside.clear()
    queue = ScoringQueue(process, LIMITS)
    queue.start()
    yield queue
    for _ in range(20):
        process.gate.release()
    queue.stop()
    while process.gate.acquire(blocking=False) or process.began.acquire(blocking=False):
        pass


class Answers:
    """Answers as they come, in order."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self.count = threading.Semaphore(0)

    def waiting(self, name: str, *captions: str, metric: str = "bleu1") -> Waiting:
        def deliver(answer: Any) -> None:
            self.found.append((name, answer.status))
            self.count.release()

        return Waiting(request(*(captions or (name,)), metric=metric), deliver)

    def wait(self, number: int) -> None:
        for _ in range(number):
            assert self.count.acquire(timeout=60)


def test_what_gathers_during_a_call_is_the_next_call(queue: ScoringQueue, process: Held) -> None:
    """The first goes alone; of six more, four captions of one kind at a time, kinds apart."""
    answers = Answers()
    queue.put(answers.waiting("first"))
    assert process.began.acquire(timeout=60)
    for name in ("a", "b", "c", "d", "e"):
        queue.put(answers.waiting(name))
    queue.put(answers.waiting("other", metric="rouge_l"))
    for _ in range(4):
        process.gate.release()
    answers.wait(7)
    assert process.calls == [1, 4, 1, 1]
    assert {status for _, status in answers.found} == {200}
    assert [name for name, _ in answers.found] == ["first", "a", "b", "c", "d", "e", "other"]


def test_a_full_queue_says_when_to_come_back(queue: ScoringQueue, process: Held) -> None:
    answers = Answers()
    queue.put(answers.waiting("first"))
    assert process.began.acquire(timeout=60)
    for number in range(LIMITS.waiting):
        queue.put(answers.waiting(str(number)))
    with pytest.raises(QueueFull) as full:
        queue.put(answers.waiting("too many"))
    assert 1 <= full.value.wait_seconds <= 60


def test_a_client_that_left_is_not_scored(queue: ScoringQueue, process: Held) -> None:
    async def clients() -> list[Any]:
        stay, leave = asyncio.Event(), asyncio.Event()
        first = asyncio.ensure_future(queue.score(request("first"), stay.wait))
        await asyncio.to_thread(process.began.acquire, timeout=60)
        gone = asyncio.ensure_future(queue.score(request("gone"), leave.wait))
        await asyncio.sleep(0)
        assert queue.waiting == 1
        leave.set()
        assert await gone is None
        assert queue.waiting == 0
        process.gate.release()
        return [await first]

    (answer,) = asyncio.run(clients())
    assert answer.status == 200
    assert process.calls == [1]


def test_a_process_that_dies_takes_no_neighbour_with_it(queue: ScoringQueue, process: Held) -> None:
    """It is killed during a call of three: each is scored again alone, by a fresh process."""
    answers = Answers()
    queue.put(answers.waiting("first"))
    assert process.began.acquire(timeout=60)
    for name in "abc":
        queue.put(answers.waiting(name))
    process.gate.release()
    answers.wait(1)
    assert process.began.acquire(timeout=60)
    process.dying = True
    for _ in range(4):
        process.gate.release()
    answers.wait(3)
    assert [status for _, status in answers.found] == [200, 200, 200, 200]
    assert process.calls == [1, 3, 1, 1, 1]


def sent_beside(queue: ScoringQueue, process: Held) -> Answers:
    """Three requests are with the process, which had four to do, when two more are sent after them."""
    answers = Answers()
    queue.put(answers.waiting("first"))
    assert process.began.acquire(timeout=60)
    for name in "abc":
        queue.put(answers.waiting(name))
    process.gate.release()
    answers.wait(1)
    assert process.began.acquire(timeout=60)
    for name in "de":
        queue.put(answers.waiting(name))
    process.gate.release()
    assert process.began.acquire(timeout=60)
    return answers


def test_half_of_the_clients_are_sent_while_the_others_are_scored(queue: ScoringQueue, process: Held) -> None:
    answers = sent_beside(queue, process)
    process.gate.release()
    answers.wait(5)
    assert (process.calls, process.beside) == ([1, 3, 2], [2])
    assert answers.found == [(name, 200) for name in ("first", "a", "b", "c", "d", "e")]


def test_a_process_that_dies_is_no_fault_of_what_waits_behind(queue: ScoringQueue, process: Held) -> None:
    """Of two calls the first is scored again one by one, the second as it was."""
    answers = sent_beside(queue, process)
    assert process.process_id is not None
    os.kill(process.process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process.process_id, os.WEXITED | os.WNOWAIT)
    for _ in range(5):
        process.gate.release()
    answers.wait(5)
    assert process.calls == [1, 3, 2, 1, 1, 1, 2]
    assert answers.found == [(name, 200) for name in ("first", "a", "b", "c", "d", "e")]


def test_large_requests_are_not_sent_beside_others(queue: ScoringQueue, process: Held) -> None:
    """What the pipe cannot hold would block: it waits until the process reads again."""
    answers = Answers()
    queue.put(answers.waiting("first"))
    assert process.began.acquire(timeout=60)
    for name in "abc":
        queue.put(answers.waiting(name))
    process.gate.release()
    answers.wait(1)
    assert process.began.acquire(timeout=60)
    for name in "de":
        queue.put(answers.waiting(name, "a dog " * 200_000))
    for _ in range(3):
        process.gate.release()
    answers.wait(5)
    assert (process.calls, process.beside) == ([1, 3, 2, 2], [2])
    assert answers.found == [(name, 200) for name in ("first", "a", "b", "c", "d", "e")]


def test_a_call_that_takes_too_long_is_ended() -> None:
    process = ScoringProcess(Offer("bleu1"), Limits(seconds=0.0))
    queue = ScoringQueue(process, Limits(seconds=0.0))
    queue.start()
    found: list[Any] = []
    done = threading.Event()
    queue.put(Waiting(request("a dog"), lambda answer: (found.append(answer), done.set())))
    assert done.wait(60)
    queue.stop()
    assert found[0].status == 503
    assert "took longer than 0 seconds" in json.loads(found[0].body)["error"]


def test_a_call_whose_client_has_left_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_queue, "ENDED_AFTER", 0.0)
    process = ScoringProcess(Offer("bleu1"), LIMITS)
    process.start()
    assert process.process_id is not None
    os.kill(process.process_id, signal.SIGSTOP)  # as if it took for ever
    queue = ScoringQueue(process, LIMITS)
    queue.start()
    gone, answers = Waiting(request("a dog"), lambda _: None), Answers()
    queue.put(gone)
    while not queue._calls:
        time.sleep(0.01)
    queue.withdraw(gone)
    queue.put(answers.waiting("other"))
    answers.wait(1)
    queue.stop()
    assert answers.found == [("other", 200)]


def test_a_process_that_has_grown_is_replaced() -> None:
    process = ScoringProcess(Offer("bleu1"), Limits(process_bytes=1))
    assert process.ask([request("a dog")])[0].status == 200
    assert process.process_id is None
    assert process.ask([request("a dog")])[0].status == 200
    process.close()
