"""Who writes in turn writes together: transactions that wait are committed as one.

SQLite has one writer, and each commit waits for the disk. Works that wait are run one after another
in one transaction and are on disk with one commit: none is told that it is done before that. A work
that fails before it has written is left out; one that fails later ends the transaction, and all are
run again, each behind a savepoint, so that it takes nothing of the others with it.
PostgreSQL commits side by side: there each work has its own connection and its own thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from captious.campaigns.store.prepared import Prepared, driver_of
from captious.campaigns.store.races import LostRaceError

if TYPE_CHECKING:
    from captious.campaigns.store.database import Database

T = TypeVar("T")
Work = Callable[[Connection], T]
MOST_TOGETHER = 64
THREADS = 6
_SAVEPOINT, _ROLLBACK, _RELEASE = (
    Prepared(text(spelled)) for spelled in ("SAVEPOINT one", "ROLLBACK TO one", "RELEASE one")
)


class _SpoiltError(Exception):
    """A work has failed after it had written."""


class _Waiting(NamedTuple):
    work: Work[Any]
    # Of the event loop that waits, or for any thread.
    future: asyncio.Future[Any] | Future[Any]


class Writer:
    """Runs works in writing transactions and tells when what they wrote is on disk."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pool = None if db.kind == "sqlite" else ThreadPoolExecutor(THREADS, "captious-writer")

    def submit(self, work: Work[T]) -> Future[T]:
        """Have a work run; the result comes once it is on disk."""
        if self._pool is not None:
            return self._pool.submit(self._db.transact, work)
        future: Future[T] = Future()
        self._put(_Waiting(work, future))
        return future

    def run(self, work: Work[T]) -> asyncio.Future[T]:
        """As `submit`, for a coroutine to await."""
        if self._pool is not None:
            return asyncio.wrap_future(self.submit(work))
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(_Waiting(work, future))
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
        if self._pool is not None:
            self._pool.shutdown()

    def _put(self, one: _Waiting) -> None:
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="captious-writer", daemon=True)
                    self._thread.start()
        self._queue.put(one)

    def _work(self) -> None:
        going_on = True
        while going_on:
            together = [self._queue.get()]
            try:
                while len(together) < MOST_TOGETHER:
                    together.append(self._queue.get_nowait())
            except Empty:
                pass
            going_on = None not in together
            works = [one for one in together if one is not None]
            if works:
                _tell(works, self._outcomes(works))

    def _outcomes(self, together: Sequence[_Waiting]) -> list[Any]:
        """What became of each work, on disk; or the error that it ended with."""
        if len(together) == 1:
            return [self._alone(together[0])]
        try:
            try:
                done = self._written(_plainly, together)
            except _SpoiltError:
                done = self._written(_behind_savepoint, together)
        except SQLAlchemyError:
            # A full disk or a lost file ends the transaction of all: each tries for itself.
            return [self._alone(one) for one in together]
        return [
            self._alone(one) if isinstance(outcome, LostRaceError) else outcome
            for one, outcome in zip(together, done, strict=True)
        ]

    def _written(
        self, how: Callable[[Connection, Work[Any]], Any], together: Sequence[_Waiting]
    ) -> list[Any]:
        with self._db.write() as connection:
            return [how(connection, one.work) for one in together]

    def _alone(self, one: _Waiting) -> Any:
        try:
            return self._db.transact(one.work)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future is told
            return error


def _tell(together: Sequence[_Waiting], outcomes: Sequence[Any]) -> None:
    """Tell all who wait; an event loop is woken once for all of its own."""
    loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for one, outcome in zip(together, outcomes, strict=True):
        if isinstance(one.future, asyncio.Future):
            loops.setdefault(one.future.get_loop(), []).append((one.future, outcome))
        elif one.future.set_running_or_notify_cancel():
            _settle(one.future, outcome)
    for loop, own in loops.items():
        try:
            loop.call_soon_threadsafe(_settle_all, own)
        except RuntimeError:  # The loop has ended: nobody waits any more.
            continue


def _settle_all(own: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, outcome in own:
        if not future.done():
            _settle(future, outcome)


def _settle(future: asyncio.Future[Any] | Future[Any], outcome: Any) -> None:
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def _plainly(connection: Connection, work: Work[Any]) -> Any:
    """What a work returns, or the error that it ended with before it had written anything."""
    driver = driver_of(connection)
    before = driver.total_changes
    try:
        return work(connection)
    except SQLAlchemyError:
        raise
    except Exception as error:
        if driver.total_changes != before:
            raise _SpoiltError from error
        return error


def _behind_savepoint(connection: Connection, work: Work[Any]) -> Any:
    """What a work returns, or the error that it ended with: then it has written nothing."""
    _SAVEPOINT.change(connection, {})
    try:
        outcome = work(connection)
    except SQLAlchemyError:
        raise
    except Exception as error:  # noqa: BLE001 - it is handed to whoever waits
        _ROLLBACK.change(connection, {})
        outcome = error
    _RELEASE.change(connection, {})
    return outcome
