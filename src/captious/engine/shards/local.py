"""The local engine: items one after the other in this process, or over processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from captious.engine.workers import Worker
from captious.errors import CaptiousError, one_line
from captious.files import WriteError

TRIES = 3
Do = Callable[[Any, Any], Any]

# What code raises on data that it cannot take. An interrupt and an exit are none of these.
FAILURES = (
    CaptiousError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
ENDED = "its process ended early, often because memory ran out"


class Failure(NamedTuple):
    """Why an item could not be done, in one line."""

    reason: str


def attempt(do: Do, work: Any, item: Any) -> Any:
    """What `do` returns, or why it failed; a disk that cannot be written to ends the run."""
    try:
        return do(work, item)
    except WriteError as error:
        return error
    except CaptiousError as error:
        return Failure(error.typed)
    except FAILURES as error:
        return Failure(f"{type(error).__name__}: {one_line(str(error), 200)}")


@dataclass
class LocalEngine:
    """Runs items in this process, or, with `jobs` of more than 1, in that many."""

    jobs: int = 1
    name: str = "local"

    def each(self, do: Do, work: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each item with what `do` returned, or with a `Failure` once it has failed three times."""
        wanted = list(items)
        if self.jobs == 1 or len(wanted) < 2:
            return _here(do, work, wanted)
        return _apart(do, work, wanted, min(self.jobs, len(wanted)))

    def close(self) -> None:
        """Nothing is left running."""


def _here(do: Do, work: Any, items: list[Any]) -> Iterator[tuple[Any, Any]]:
    for item in items:
        for _ in range(TRIES):
            found = attempt(do, work, item)
            if not isinstance(found, Failure):
                break
        if isinstance(found, WriteError):
            raise found
        yield item, found


class _OneByOne(Worker):
    """A process that does one item at a time."""

    def __init__(self, do: Do, work: Any) -> None:
        super().__init__(_serve, do, work)
        self.task: tuple[Any, int] | None = None

    def give(self, item: Any, tries: int) -> None:
        self.task = (item, tries)
        self.pipe.send(item)


def _serve(pipe: Connection, do: Do, work: Any) -> None:
    while True:
        try:
            pipe.send(attempt(do, work, pipe.recv()))
        except (EOFError, OSError):
            return  # the parent is gone


def _apart(do: Do, work: Any, items: list[Any], jobs: int) -> Iterator[tuple[Any, Any]]:
    left = deque((item, 1) for item in items)
    workers = [_OneByOne(do, work) for _ in range(jobs)]
    try:
        while left or any(one.task for one in workers):
            for one in workers:
                if one.task is None and left:
                    one.give(*left.popleft())
            busy: dict[Any, _OneByOne] = {one.pipe: one for one in workers if one.task}
            for pipe in wait(list(busy)):
                one = busy[pipe]
                assert one.task is not None
                item, tries = one.task
                try:
                    found = one.pipe.recv()
                except EOFError:
                    found = Failure(ENDED)
                    one.end()
                    workers[workers.index(one)] = _OneByOne(do, work)
                one.task = None
                if isinstance(found, WriteError):
                    raise found
                if isinstance(found, Failure) and tries < TRIES:
                    left.append((item, tries + 1))
                else:
                    yield item, found
    finally:
        for one in workers:
            one.end()
