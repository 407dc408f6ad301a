"""Works that go in step on PostgreSQL: what several ask is one statement, and who must wait does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Integer, bindparam, func, literal, select

from captious.campaigns.store.database import Database
from captious.campaigns.store.in_step import RolledBack, run_in_step
from captious.campaigns.store.prepared import Prepared, changes_of

_number = bindparam("number", type_=Integer)
# When the statement began is the same for all who asked it together.
ASKED = Prepared(select(_number.label("number"), func.statement_timestamp()), shared=True)
HELD = Prepared(select(_number), holds="number")
LAST = Prepared(select(literal(1)), last=True)


@pytest.fixture
def connection(postgresql_url: str) -> Iterator[Connection]:
    with Database.open(postgresql_url) as db, db.write() as found:
        yield found


def test_what_several_ask_is_one_statement_and_each_has_its_own_answer(connection: Connection) -> None:
    def work(connection: Connection, number: int) -> list[Any]:
        return [ASKED.first(connection, {"number": number * step}) for step in (1, 10)]

    found = run_in_step(connection, [partial(work, number=at) for at in range(5)], changes_of)
    assert [[row.number for row in rows] for rows in found] == [[at, 10 * at] for at in range(5)]
    assert [len({rows[step][1] for rows in found}) for step in (0, 1)] == [1, 1]
    assert found[0][0][1] < found[0][1][1]


def test_who_asks_for_what_another_holds_waits_until_that_one_ends(connection: Connection) -> None:
    seen = []

    def work(connection: Connection, name: str, number: int) -> None:
        HELD.value(connection, {"number": number})
        seen.append(f"{name} begins")
        ASKED.value(connection, {"number": number})
        seen.append(f"{name} ends")

    works = [partial(work, name=name, number=number) for name, number in (("a", 1), ("b", 1), ("c", 2))]
    run_in_step(connection, works, changes_of)
    assert seen == ["a begins", "c begins", "a ends", "c ends", "b begins", "b ends"]


def test_what_may_touch_others_comes_when_nobody_asks_for_anything_else(connection: Connection) -> None:
    seen = []

    def last(connection: Connection) -> None:
        LAST.value(connection, {})
        seen.append("last")

    def work(connection: Connection) -> None:
        for step in range(3):
            ASKED.value(connection, {"number": step})
            seen.append(str(step))

    run_in_step(connection, [last, work], changes_of)
    assert seen == ["0", "1", "2", "last"]


def test_works_that_wait_for_each_other_are_not_committed(connection: Connection) -> None:
    def work(connection: Connection, first: int, then: int) -> None:
        HELD.value(connection, {"number": first})
        HELD.value(connection, {"number": then})

    with pytest.raises(RolledBack):
        run_in_step(connection, [partial(work, first=1, then=2), partial(work, first=2, then=1)], changes_of)
