"""Who writes in turn writes together: transactions that wait are committed as one.

SQLite has one writer, and each commit waits for the disk. Works that wait are run one after another
in one transaction, each behind a savepoint of its own, and are on disk with one commit: none is
told that it is done before that. A work that fails takes nothing of the others with it.
PostgreSQL commits side by side: there each work has its own connection and its own thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from captious.campaigns.store.prepared import Prepared
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


class _Waiting(NamedTuple):
    work: Work[Any]
    future: Future[Any]


class Writer:
    """Runs works in writing transactions and tells when what they wrote is on disk."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._queue: deque[_Waiting] = deque()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._pool = None if db.kind == "sqlite" else ThreadPoolExecutor(THREADS, "captious-writer")

    def submit(self, work: Work[T]) -> Future[T]:
        """Have a work run; the result comes once it is on disk."""
        if self._pool is not None:
            return self._pool.submit(self._db.transact, work)
        future: Future[T] = Future()
        with self._news:
            self._queue.append(_Waiting(work, future))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="captious-writer", daemon=True)
                self._thread.start()
            self._news.notify()
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        with self._news:
            self._closed = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join()
        if self._pool is not None:
            self._pool.shutdown()

    def _run(self) -> None:
        while True:
            with self._news:
                while not self._queue and not self._closed:
                    self._news.wait()
                if not self._queue:
                    return
                count = min(len(self._queue), MOST_TOGETHER)
                together = [self._queue.popleft() for _ in range(count)]
            self._commit(together)

    def _commit(self, together: list[_Waiting]) -> None:
        if len(together) == 1:
            self._alone(together[0])
            return
        try:
            with self._db.write() as connection:
                done = [_behind_savepoint(connection, one.work) for one in together]
        except SQLAlchemyError:
            # A full disk or a lost file ends the transaction of all: each tries for itself.
            for one in together:
                self._alone(one)
            return
        for one, outcome in zip(together, done, strict=True):
            if isinstance(outcome, LostRaceError):
                self._alone(one)
            else:
                _tell(one.future, outcome)

    def _alone(self, one: _Waiting) -> None:
        try:
            outcome = self._db.transact(one.work)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future is told
            _tell(one.future, error)
        else:
            _tell(one.future, outcome)


def _tell(future: Future[Any], outcome: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


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
