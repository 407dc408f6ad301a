"""Work beside the pages takes turns, and nothing is begun twice."""

from __future__ import annotations

import threading

import pytest

from captious.web.admin.figures.one_at_a_time import OneAtATime

PATIENCE = 60.0


def test_work_takes_turns_and_a_key_that_waits_or_runs_is_not_begun_again() -> None:
    queue, done, begun, let_go, finished = OneAtATime(), [], *(threading.Event() for _ in range(3))

    def first() -> None:
        begun.set()
        let_go.wait(PATIENCE)
        done.append("first")

    def second() -> None:
        done.append("second")
        finished.set()

    queue.begin("a", "one", first)
    assert begun.wait(PATIENCE)
    queue.begin("a", "one again", lambda: done.append("again"))
    queue.begin("b", "two", second)
    assert done == []
    let_go.set()
    assert finished.wait(PATIENCE)
    assert done == ["first", "second"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_work_that_fails_can_be_begun_again() -> None:
    queue = OneAtATime()

    def fail() -> None:
        raise ValueError

    for name in ("captious-fail-1", "captious-fail-2"):
        queue.begin("a", name, fail)
        for thread in threading.enumerate():
            if thread.name == name:
                thread.join(PATIENCE)
    finished = threading.Event()
    queue.begin("a", "captious-works", finished.set)
    assert finished.wait(PATIENCE)
