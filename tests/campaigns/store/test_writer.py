"""Works that wait are written together; one that fails takes nothing of the others with it."""

from __future__ import annotations

import threading
from concurrent.futures import wait
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, LostRaceError
from captious.errors import InputError


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


def test_what_waits_is_written_before_the_database_closes(sqlite_url: str) -> None:
    db = Database.open(sqlite_url)
    futures = [db.writer.submit(lambda connection: note(connection, "late")) for _ in range(20)]
    db.close()
    assert all(future.done() for future in futures)
    with Database.open(sqlite_url) as again:
        assert actions(again) == ["late"] * 20
