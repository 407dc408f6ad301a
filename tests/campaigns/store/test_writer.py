"""Works that wait are written together; one that fails takes nothing of the others with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, LostRaceError
from captious.errors import InputError

WriteTogether = Callable[..., list[Future[Any]]]


def note(connection: Connection, action: str) -> str:
    values = {"time": 0.0, "actor": "test", "action": action, "detail": {}}
    connection.execute(insert(schema.log).values(**values))
    return action


def actions(db: Database) -> list[str]:
    with db.read() as connection:
        return list(connection.execute(select(schema.log.c.action).order_by(schema.log.c.id)).scalars())


def test_many_works_at_once_are_all_there(db: Database) -> None:
    names = [f"work {at}" for at in range(150)]
    futures = [db.writer.submit(lambda connection, name=name: note(connection, name)) for name in names]
    wait(futures)
    assert [future.result() for future in futures] == names
    assert sorted(actions(db)) == sorted(names)


def test_a_work_that_fails_has_written_nothing_and_the_others_have(db: Database) -> None:
    held = threading.Event()

    def slow(connection: Connection) -> str:
        held.wait(5)
        return note(connection, "slow")

    def failing(connection: Connection) -> str:
        note(connection, "never")
        raise InputError("no.")

    # The first keeps the writer busy, so that the others wait and are written together.
    futures: list[Any] = [db.writer.submit(slow)]
    futures += [db.writer.submit(work) for work in (failing, lambda connection: note(connection, "fine"))]
    held.set()
    assert futures[0].result() == "slow"
    with pytest.raises(InputError):
        futures[1].result()
    assert futures[2].result() == "fine"
    assert sorted(actions(db)) == ["fine", "slow"]


def test_a_work_that_loses_a_race_is_run_again(db: Database) -> None:
    tries = []

    def unlucky(connection: Connection) -> str:
        note(connection, "unlucky")
        tries.append(True)
        if len(tries) < 3:
            raise LostRaceError
        return "done"

    assert db.writer.submit(unlucky).result() == "done"
    with db.read() as connection:
        assert connection.execute(select(func.count()).select_from(schema.log)).scalar_one() == 1


def test_a_work_that_breaks_the_transaction_takes_nothing_of_the_others_with_it(
    db: Database, write_together: WriteTogether
) -> None:
    def broken(connection: Connection) -> None:
        note(connection, "never")
        connection.execute(text("INSERT INTO nowhere VALUES (1)"))

    first, failed, last = write_together(
        lambda connection: note(connection, "first"), broken, lambda connection: note(connection, "last")
    )
    assert (first.result(), last.result()) == ("first", "last")
    with pytest.raises(DBAPIError):
        failed.result()
    assert sorted(actions(db)) == ["first", "last"]


def test_a_work_of_a_group_that_loses_a_race_is_run_again_and_the_others_once(
    db: Database, write_together: WriteTogether
) -> None:
    tries = []

    def unlucky(connection: Connection) -> str:
        tries.append(True)
        note(connection, "unlucky")
        if len(tries) < 4:
            raise LostRaceError
        return "done"

    futures = write_together(
        lambda connection: note(connection, "one"), unlucky, lambda connection: note(connection, "two")
    )
    assert [future.result() for future in futures] == ["one", "done", "two"]
    assert sorted(actions(db)) == ["one", "two", "unlucky"]


def test_a_work_that_waits_for_a_lock_does_not_keep_the_others(
    db: Database, write_together: WriteTogether
) -> None:
    if db.kind == "sqlite":
        pytest.skip("in SQLite who writes has the only lock")
    lock = text("SELECT pg_advisory_xact_lock(7)")

    def waiting(connection: Connection) -> str:
        connection.execute(lock)
        return note(connection, "waited")

    with db.write() as connection:
        connection.execute(lock)
        held, free = write_together(waiting, lambda connection: note(connection, "free"))
        assert free.result(30) == "free"
        assert not held.done()
    assert held.result(30) == "waited"
    assert actions(db) == ["free", "waited"]


def test_what_waits_is_written_before_the_database_closes(sqlite_url: str) -> None:
    db = Database.open(sqlite_url)
    futures = [db.writer.submit(lambda connection: note(connection, "late")) for _ in range(20)]
    db.close()
    assert all(future.done() for future in futures)
    with Database.open(sqlite_url) as again:
        assert actions(again) == ["late"] * 20
