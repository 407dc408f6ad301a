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
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool, Pool

from captious.campaigns.store import schema
from captious.campaigns.store.engines import WRITES, distrust, engine_of, prepare_to_write, writes
from captious.campaigns.store.migrations import upgrade_on_open
from captious.campaigns.store.outages import is_read_only
from captious.campaigns.store.races import LostRaceError
from captious.campaigns.store.writer import Writer
from captious.errors import InputError, one_line
from captious.protocols import Form, Item

T = TypeVar("T")
DatabaseKind = Literal["sqlite", "postgresql"]
PROBE_SECONDS = 3
MOST_TRIES = 60
# PostgreSQL's codes for a transaction that may be run again: serialisation failure, deadlock.
_RACES = ("40001", "40P01")


class Database:
    """Where campaigns are kept. Safe to share between threads."""

    def __init__(self, engine: Engine, files: Path | None, clock: Callable[[], float]) -> None:
        self.engine = engine
        # PostgreSQL shows each statement the newest state anyway: no need to begin and to commit.
        plain = self.kind == "sqlite"
        self._reads = engine if plain else engine.execution_options(isolation_level="AUTOCOMMIT")
        self.forms: dict[int, Form] = {}
        self.items: dict[int, tuple[tuple[Any, ...], Item]] = {}
        # Tasks that were claimed with the answer before them and not shown yet, and when.
        self.ahead: dict[str, float] = {}
        self.left: dict[int, tuple[float, int, int, float | None, int]] = {}
        self._files = files
        self._clock = clock
        # SQLite has one writer; threads queue here in turn rather than poll its file lock.
        self._turn = threading.Lock() if self.kind == "sqlite" else nullcontext()
        self._own = threading.local()
        self._glances: list[Connection] = []
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
    ) -> Self:
        """Open a database, made on first use. A path is SQLite, `postgresql://…` is PostgreSQL.

        Images are kept in `files`, by default beside an SQLite file. A database of an older version
        is brought up to date, or with `migrate=False` refused; one of a newer version is refused.
        """
        url = database_url(url_or_path)
        if files is None and url.database and url.get_backend_name() == "sqlite":
            files = Path(url.database + ".files")
        engine = engine_of(url)
        found = cls(engine, files, clock)
        try:
            upgrade_on_open(engine, migrate=migrate)
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

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self._clock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Reads only. On PostgreSQL each statement sees what was committed before it."""
        with self._reads.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def glance(self) -> Iterator[Connection]:
        """A few `Prepared` reads that need not agree, for a thread that has to go on at once.

        SQLite's connection stays the thread's own, and does not wait where the file is locked.
        """
        if self.kind != "sqlite":
            with self.read() as connection:
                yield connection
            return
        own: Connection | None = getattr(self._own, "connection", None)
        if own is None or own.closed:
            own = self._own.connection = self.engine.connect()
            own.connection.driver_connection.execute("PRAGMA busy_timeout=0")  # type: ignore[union-attr]
            self._glances.append(own)
        try:
            yield own
        except DBAPIError:
            own.invalidate()
            own.close()
            raise

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
        for connection in self._glances:
            connection.invalidate()
            connection.close()
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


__all__ = ["Database", "DatabaseKind", "LostRaceError", "database_url", "writes"]
