"""A campaign database: one engine, its transactions, its files and its clock.

SQLite keeps every acknowledged write through a power cut (WAL, synchronous=FULL), enforces foreign
keys and takes its write lock when a writing transaction begins. PostgreSQL runs READ COMMITTED
with row locks; a transaction that loses a race is run again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from math import inf
from pathlib import Path
from typing import Any, Literal, Self, TypeVar
from weakref import WeakKeyDictionary

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.pool import NullPool, Pool

from captious.campaigns.store import schema
from captious.campaigns.store.migrations import HEAD, upgrade_on_open
from captious.campaigns.store.prepared import note_change
from captious.campaigns.store.writer import LostRaceError, Writer, is_read_only
from captious.errors import InputError, one_line
from captious.protocols import Form, Item

T = TypeVar("T")
DatabaseKind = Literal["sqlite", "postgresql"]
PROBE_SECONDS = 3
MOST_TRIES = 60
# PostgreSQL's codes for a transaction that may be run again: serialisation failure, deadlock.
_RACES = ("40001", "40P01")
BUSY_SECONDS = 30.0
POOL_SIZE = 40  # as many as the threads that a web server answers from
CONNECT_SECONDS = 5
# A connection that lay unused this long is tried before it is trusted.
IDLE_SECONDS = 5.0
WRITES = "captious_writes"
_OPENED = "captious_opened"
_LAST_USED = "captious_last_used"
# Engine to the moment before which none of its connections was opened that is used again.
_TRUSTED: WeakKeyDictionary[Engine, float] = WeakKeyDictionary()


class Database:
    """Where campaigns are kept. Safe to share between threads."""

    def __init__(self, engine: Engine, files: Path | None, clock: Callable[[], float]) -> None:
        self.engine = engine
        # PostgreSQL shows each statement the newest state anyway: no need to begin and to commit.
        plain = self.kind == "sqlite"
        self._reads = engine if plain else engine.execution_options(isolation_level="AUTOCOMMIT")
        self.forms: dict[int, Form] = {}
        self.items: dict[int, tuple[tuple[Any, ...], Item]] = {}
        self.left: dict[int, tuple[float, int, int, float | None, int]] = {}
        self._files = files
        self._clock = clock
        # SQLite has one writer; threads queue here in turn rather than poll its file lock.
        self._turn = threading.Lock() if self.kind == "sqlite" else nullcontext()
        # The connection that SQLite writes with, and the pool that it came from.
        self._writing: tuple[Pool, Connection] | None = None
        self.writer = Writer(self)

    @classmethod
    def open(
        cls,
        url_or_path: str | Path,
        *,
        files: Path | None = None,
        clock: Callable[[], float] = time.time,
        migrate: bool = True,
        new: str = HEAD,
    ) -> Self:
        """Open a database, made on first use. A path is SQLite, `postgresql://…` is PostgreSQL.

        Images are kept in `files`, by default beside an SQLite file. A database of an older version
        is brought up to date, or with `migrate=False` refused; one of a newer version is refused. An
        empty one gets the tables of the revision `new`.
        """
        url = database_url(url_or_path)
        if files is None and url.database and url.get_backend_name() == "sqlite":
            files = Path(url.database + ".files")
        engine = engine_of(url)
        found = cls(engine, files, clock)
        try:
            upgrade_on_open(engine, migrate=migrate, new=new)
        except DBAPIError as error:
            engine.dispose()
            shown = url.render_as_string(hide_password=True)
            why = one_line(str(error.orig), 200).rstrip(".")
            raise InputError(f"{shown}: cannot be opened: {why}. Give another with --database.") from None
        except InputError:
            engine.dispose()
            raise
        return found

    @property
    def kind(self) -> DatabaseKind:
        """Which engine it is."""
        return "sqlite" if self.engine.dialect.name == "sqlite" else "postgresql"

    @property
    def files(self) -> Path:
        """The folder of the images."""
        if self._files is None:
            raise InputError("images: no folder to keep them in. Give the folder of files.")
        return self._files

    @property
    def folder(self) -> Path | None:
        """The folder of the images, where one was given."""
        return self._files

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self._clock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Reads only. On PostgreSQL each statement sees what was committed before it."""
        with self._reads.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Reads only, all of them one consistent state, however long they take."""
        engine = self.engine
        if self.kind == "postgresql":
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: what it wrote is on disk when the block is left."""
        try:
            with self._turn, self._for_writing() as connection, connection.begin():
                yield connection
        except DBAPIError as error:
            if is_read_only(error):
                # A connection that was opened while the database took no writes may never take any.
                distrust(self.engine)
            raise

    @contextmanager
    def _for_writing(self) -> Iterator[Connection]:
        """A connection to write with. SQLite's is always the same: another writer empties its memory."""
        if self.kind != "sqlite":
            with self.engine.connect() as plain:
                yield plain.execution_options(**{WRITES: True})
            return
        pool, own = self._writing or (None, None)
        if own is None or own.closed or pool is not self.engine.pool:
            if own is not None:
                own.close()
            own = self.engine.connect().execution_options(**{WRITES: True})
            prepare_to_write(own)
            self._writing = self.engine.pool, own
        try:
            yield own
        except DBAPIError:
            own.invalidate()
            own.close()
            raise

    def rewrite(self) -> None:
        """Write SQLite's file anew, so that what was deleted is nowhere in it; PostgreSQL does it itself.

        While another reads, the log beside the file cannot be emptied: who reads last empties it.
        """
        if self.kind != "sqlite":
            return
        with self._turn:
            raw = self.engine.raw_connection()
            try:
                own = raw.driver_connection
                assert own is not None
                own.execute("VACUUM")
                own.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                raw.close()

    def try_to_write(self) -> None:
        """Write a row and take it back, on a connection of its own that does not wait for long.

        Whoever asks whether the database can be written to does not queue behind those who write.
        """
        url, table = self.engine.url, schema.sign_in_try
        timeout = "timeout" if self.kind == "sqlite" else "connect_timeout"
        engine = sqlalchemy.create_engine(url, poolclass=NullPool, connect_args={timeout: PROBE_SECONDS})
        try:
            with engine.begin() as connection:
                if self.kind == "postgresql":
                    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {PROBE_SECONDS * 1000}")
                values = {"source": "", "name": "", "time": 0.0}
                new = connection.execute(table.insert().values(values).returning(table.c.id)).scalar_one()
                connection.execute(table.delete().where(table.c.id == new))
        finally:
            engine.dispose()

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a writing transaction, again where it loses a race with another."""
        for attempt in range(MOST_TRIES):
            try:
                with self.write() as connection:
                    return work(connection)
            except LostRaceError:
                pass
            except DBAPIError as error:
                again = is_read_only(error) and not attempt
                if not again and getattr(error.orig, "sqlstate", None) not in _RACES:
                    raise
            time.sleep(0.001 * attempt)
        raise InputError("the database is too busy: try again in a moment.")

    def close(self) -> None:
        """Finish what is being written and close every connection."""
        self.writer.close()
        with self._turn:  # whoever still writes ends first
            _, own = self._writing or (None, None)
            self._writing = None
            if own is not None:
                own.close()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def database_url(url_or_path: str | Path) -> URL:
    """The address of a database, from a path or a URL.

    >>> database_url("postgresql://me@host/captions").drivername
    'postgresql+psycopg'
    >>> database_url("captious.db").database
    'captious.db'
    """
    given = str(url_or_path)
    if "://" not in given:
        if given in ("", ":memory:"):
            raise InputError("database: give a file, so that no response is lost.")
        return URL.create("sqlite", database=given)
    try:
        url = make_url(given)
    except ArgumentError:
        raise InputError(
            "database: this is not an address. Give a path, or postgresql://user@host/name."
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InputError(
            f'database: "{one_line(url.drivername)}" is not known. '
            "Give a path (SQLite), or postgresql://user@host/name."
        )
    if url.drivername == "sqlite" and not url.database:
        raise InputError("database: give a file, so that no response is lost.")
    return url


def engine_of(url: URL) -> Engine:
    """The engine of an address."""
    engine = _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)

    def look_at(_connection: Any, record: Any, _proxy: object) -> None:
        opened, is_new = record.info[_OPENED]
        record.info[_OPENED] = opened, False
        # Who has just opened one need not open another.
        if not is_new and opened <= _TRUSTED.get(engine, -inf):
            raise DisconnectionError

    event.listen(engine, "connect", _note_opened)
    event.listen(engine, "checkout", look_at)
    return engine


def distrust(engine: Engine) -> None:
    """Have no connection used again that is open now: whoever has one closes it when the next takes it.

    The pool stays: were it thrown away, connections in use would stay open until they are collected,
    and a server that many come back to would soon take no more.
    """
    _TRUSTED[engine] = time.monotonic()


def _note_opened(_connection: Any, record: Any) -> None:
    record.info[_OPENED] = time.monotonic(), True


def writes(connection: Connection) -> bool:
    """Whether the connection is that of a writing transaction."""
    return bool(connection.get_execution_options().get(WRITES))


def _sqlite(url: URL) -> Engine:
    if not Path(str(url.database)).resolve().parent.is_dir():
        raise InputError(f"{url.database}: the folder does not exist. Create it first.")
    engine = sqlalchemy.create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE,
        pool_use_lifo=True,  # what few can do does not fill the memory of many
        hide_parameters=True,  # answers, names and digests stay out of logs
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # Transactions are begun by `_begin_sqlite`, not by the driver.
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "temp_store=MEMORY",
        "cache_size=-16384",
    ):
        connection.execute(f"PRAGMA {pragma}")


def prepare_to_write(connection: Connection) -> None:
    """Give SQLite's one writer a large memory: what it has read stays right, for nobody else writes."""
    connection.connection.driver_connection.execute("PRAGMA cache_size=-65536")  # type: ignore[union-attr]


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes(connection) else "BEGIN")


def _postgresql(url: URL) -> Engine:
    engine = sqlalchemy.create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=10,
        pool_recycle=3600,
        hide_parameters=True,
        connect_args={"connect_timeout": CONNECT_SECONDS},
    )
    failures = engine.dialect.loaded_dbapi.Error

    def try_idle(connection: Any, record: Any, _proxy: object) -> None:
        # A server that was restarted is noticed here; a busy pool need not ask each time.
        now = time.monotonic()
        if now - record.info.get(_LAST_USED, now) > IDLE_SECONDS:
            try:
                connection.execute("SELECT 1")
                connection.rollback()
            except failures as error:
                raise DisconnectionError from error

    event.listen(engine, "before_cursor_execute", _note_change)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", try_idle)
    return engine


def _note_change(connection: Connection, _cursor: object, sql: str, *_: object) -> None:
    note_change(connection, sql)


def _note_use(_connection: Any, record: Any) -> None:
    record.info[_LAST_USED] = time.monotonic()


__all__ = ["Database", "DatabaseKind", "LostRaceError", "database_url", "writes"]
