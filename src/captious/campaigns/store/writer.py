"""Who writes in turn writes together: transactions that wait are committed as one.

Each commit waits for the disk. Works that wait are run one after another in one transaction and are
on disk with one commit: none is told that it is done before that. A work that fails before it has
written is left out; one that fails later ends the transaction, and all are run again, each behind a
savepoint, so that it takes nothing of the others with it.

SQLite has one writer. On PostgreSQL the works of a group go forward in step (`in_step`), and several
processes may write: one group at a time has the turn (an advisory lock), for two groups would wait for
each other's rows. Who else writes (a manager, an import) needs no turn: a group that waits too long for
a row, or is chosen to end a deadlock, is taken apart, and its works run each for itself, side by side.
"""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from captious.campaigns.store.in_step import RolledBack, run_in_step
from captious.campaigns.store.prepared import Prepared, changes_of

if TYPE_CHECKING:
    from captious.campaigns.store.database import Database

# PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html. Connection exceptions,
# insufficient resources (full disk, too many connections), operator intervention, system errors.
_CLASSES = ("08", "53", "57", "58")
READ_ONLY = "25006"
_STATES = (READ_ONLY, "55P03")  # and a lock that is not available
_SQLITE = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_READONLY",
    "SQLITE_CANTOPEN",
)
_FILES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


class LostRaceError(Exception):
    """Another transaction was faster: this one is rolled back and run again."""


def is_outage(error: BaseException) -> bool:
    """Whether an error is that of a database or a disk which may be well again soon.

    >>> is_outage(OSError(errno.ENOSPC, "No space left on device")), is_outage(ValueError())
    (True, False)
    """
    if isinstance(error, NoConnectionError):
        return True
    if not isinstance(error, DBAPIError):
        return isinstance(error, OSError) and error.errno in _FILES
    if error.connection_invalidated:
        return True
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_SQLITE)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        # The driver itself could not connect, or lost the connection.
        return type(error.orig).__name__ in ("OperationalError", "ConnectionTimeout")
    return str(state).startswith(_CLASSES) or state in _STATES


def is_read_only(error: DBAPIError) -> bool:
    """Whether the database took no writes: connections that were opened then may stay so."""
    name = getattr(error.orig, "sqlite_errorname", None) or ""
    return getattr(error.orig, "sqlstate", None) == READ_ONLY or name.startswith("SQLITE_READONLY")


T = TypeVar("T")
Work = Callable[[Connection], T]
MOST_TOGETHER = 64
# Works of a group that was taken apart run so many at a time on PostgreSQL.
THREADS = 6
_SAVEPOINT, _ROLLBACK, _RELEASE = (
    Prepared(text(spelled)) for spelled in ("SAVEPOINT one", "ROLLBACK TO one", "RELEASE one")
)
# One after another, as they are spelled: who waits for the turn waits longer than for a row that
# someone else has, and a process that stands still with the turn loses it before that.
# What a group asks is a few rows of large tables, each found by its key: nothing is worth reading whole.
_TAKE_TURN = Prepared(
    text(
        "SELECT set_config('lock_timeout', '8s', true), "
        "set_config('idle_in_transaction_session_timeout', '5s', true), "
        "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), "
        "set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), "
        "pg_advisory_xact_lock(hashtext('captious writer')), set_config('lock_timeout', '1s', true)"
    )
)


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
        self._apart = None if db.kind == "sqlite" else ThreadPoolExecutor(THREADS, "captious-apart")

    def submit(self, work: Work[T]) -> Future[T]:
        """Have a work run; the result comes once it is on disk."""
        future: Future[T] = Future()
        self._put(_Waiting(work, future))
        return future

    def run(self, work: Work[T]) -> asyncio.Future[T]:
        """As `submit`, for a coroutine to await."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(_Waiting(work, future))
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
        if self._apart is not None:
            self._apart.shutdown()

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
                self._finish(works)

    def _finish(self, together: Sequence[_Waiting]) -> None:
        """Write works and tell who waits for them."""
        if len(together) == 1 and self._apart is None:
            self._finish_alone(together[0])
            return
        try:
            try:
                done = self._written(_plainly if self._apart is None else _in_step, together)
            except RolledBack:
                done = self._written(_behind_savepoints, together)
        except SQLAlchemyError:
            # A full disk, a lost connection or a lock ends the transaction of all: each tries for itself.
            again, settled = [*together], []
        else:
            both = [*zip(together, done, strict=True)]
            again = [one for one, outcome in both if isinstance(outcome, LostRaceError)]
            settled = [pair for pair in both if not isinstance(pair[1], LostRaceError)]
        _tell(settled)
        for one in again:
            if self._apart is None:
                self._finish_alone(one)
            else:
                self._apart.submit(self._finish_alone, one)

    def _finish_alone(self, one: _Waiting) -> None:
        _tell([(one, self._alone(one))])

    def _written(
        self, how: Callable[[Connection, Sequence[Work[Any]]], list[Any]], together: Sequence[_Waiting]
    ) -> list[Any]:
        with self._db.write() as connection:
            if self._apart is not None:
                _TAKE_TURN.first(connection, {})
            return how(connection, [one.work for one in together])

    def _alone(self, one: _Waiting) -> Any:
        try:
            return self._db.transact(one.work)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future is told
            return error


def _tell(settled: Sequence[tuple[_Waiting, Any]]) -> None:
    """Tell all who wait; an event loop is woken once for all of its own."""
    loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for one, outcome in settled:
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


def _plainly(connection: Connection, works: Sequence[Work[Any]]) -> list[Any]:
    """What each work returns, or the error that it ended with before it had written anything."""
    outcomes = []
    for work in works:
        before = changes_of(connection)
        try:
            outcomes.append(work(connection))
        except SQLAlchemyError:
            raise
        except Exception as error:
            if changes_of(connection) != before:
                raise RolledBack from error
            outcomes.append(error)
    return outcomes


def _in_step(connection: Connection, works: Sequence[Work[Any]]) -> list[Any]:
    """As `_plainly`, with what several works ask asked at once."""
    if len(works) == 1:
        return _plainly(connection, works)
    return run_in_step(connection, works, changes_of)


def _behind_savepoints(connection: Connection, works: Sequence[Work[Any]]) -> list[Any]:
    """What each work returns, or the error that it ended with: then it has written nothing."""
    outcomes = []
    for work in works:
        _SAVEPOINT.change(connection, {})
        try:
            outcomes.append(work(connection))
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - it is handed to whoever waits
            _ROLLBACK.change(connection, {})
            outcomes.append(error)
        _RELEASE.change(connection, {})
    return outcomes
