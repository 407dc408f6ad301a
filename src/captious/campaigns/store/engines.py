"""The engines of campaign databases, and which of their connections are still trusted."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DisconnectionError

from captious.campaigns.store.prepared import note_change
from captious.errors import InputError

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
