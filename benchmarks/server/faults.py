"""Faults for drills.py: each brings something about, waits, and puts it right again.

Two of them need rights over the machine: a small disk of its own for PostgreSQL is mounted, and SQLite's
files are made unchangeable (`chattr +i`), which also holds for who has them open. Where that is not
allowed, `NotPossibleHereError` says so.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import sqlalchemy as sa

from captious.campaigns.store.database import database_url
from traffic.databases import Place, start_postgresql, stop_postgresql
from traffic.server import Server

FAULT_SECONDS = 2.0
SMALL = 64 * 1024  # bytes: every database is longer, so no page can be added
SMALL_DISK_MB = 96
Fault = Callable[[Server], Awaitable[None]]


class NotPossibleHereError(Exception):
    """The drill needs rights that this user has not."""


async def kill(server: Server) -> None:
    """The server is gone at once, and comes back."""
    server.stop(signal.SIGKILL)
    await asyncio.to_thread(server.start)


async def crash(server: Server) -> None:
    """The server and PostgreSQL are gone at once, and come back."""
    server.stop(signal.SIGKILL)
    await asyncio.to_thread(stop_postgresql, server.place.folder, signal.SIGKILL)
    await asyncio.to_thread(start_postgresql, server.place.folder)
    await asyncio.to_thread(server.start)


async def restart(server: Server) -> None:
    """PostgreSQL is stopped as for maintenance, and started again; the server stays."""
    await asyncio.to_thread(stop_postgresql, server.place.folder)
    await asyncio.sleep(FAULT_SECONDS / 4)
    await asyncio.to_thread(start_postgresql, server.place.folder)


async def disk(server: Server) -> None:
    """No file of the database grows."""
    if server.place.kind == "sqlite":
        await _no_file_grows(server)
        return
    ballast = small_disk(server.place) / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:  # it is full
            pass
    await asyncio.sleep(FAULT_SECONDS)
    ballast.unlink()


async def _no_file_grows(server: Server) -> None:
    assert server.process is not None
    own = psutil.Process(server.process.pid)
    processes = [own.pid, *(one.pid for one in own.children(recursive=True))]
    before = [resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in processes]
    for pid, (_, hard) in zip(processes, before, strict=True):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (SMALL, hard))
    await asyncio.sleep(FAULT_SECONDS)
    for pid, limits in zip(processes, before, strict=True):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


async def lock(server: Server) -> None:
    """Another has what every answer needs."""
    if server.place.kind == "sqlite":
        other = sqlite3.connect(server.place.url, timeout=30, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(FAULT_SECONDS)
        other.execute("ROLLBACK")
        other.close()
        return
    engine = sa.create_engine(database_url(server.place.url))
    with engine.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE response IN ACCESS EXCLUSIVE MODE")
        await asyncio.sleep(FAULT_SECONDS)
    engine.dispose()


async def read_only(server: Server) -> None:
    """The database takes no writes."""
    if server.place.kind == "sqlite":
        files = [server.place.url, f"{server.place.url}-wal"]
        _run("chattr", "+i", *files)
        try:
            await asyncio.sleep(FAULT_SECONDS)
        finally:
            _run("chattr", "-i", *files)
        return
    engine = sa.create_engine(database_url(server.place.url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
        await asyncio.sleep(FAULT_SECONDS)
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql("ALTER SYSTEM RESET default_transaction_read_only")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    engine.dispose()


DRILLS: dict[str, Fault] = {
    "kill": kill,
    "crash": crash,
    "restart": restart,
    "disk": disk,
    "lock": lock,
    "read-only": read_only,
}
ONLY = {"crash": "postgresql", "restart": "postgresql"}


def small_disk(place: Place) -> Path:
    """Where the small disk of a PostgreSQL is mounted."""
    return place.folder / "small"


@contextmanager
def setting(place: Place, drill: str) -> Iterator[None]:
    """What a drill needs before there are tables: for a full disk, a disk that can be filled."""
    if (drill, place.kind) != ("disk", "postgresql"):
        yield
        return
    folder = small_disk(place)
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_MB}m", "tmpfs", str(folder))
    try:
        tables = folder / "tables"
        tables.mkdir(mode=0o700)
        owner = (place.folder / "data").stat()
        os.chown(tables, owner.st_uid, owner.st_gid)
        engine = sa.create_engine(database_url(place.url), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{tables}'")
            name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_tablespace = small')
        engine.dispose()
        yield
    finally:
        stop_postgresql(place.folder)
        _run("umount", str(folder))


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotPossibleHereError(f"{command[0]} is not allowed here: {error}") from error
