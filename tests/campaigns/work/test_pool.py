"""Open items are found through indexes, however many there are."""

from __future__ import annotations

import itertools
import re
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared, driver_of
from captious.campaigns.store.rows import place_of
from captious.campaigns.work import assignment, pool, pool_queries, responses
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.response_queries import EARLIER, HELD_BY
from captious.corpus import Corpus

GIVEN: dict[str, Any] = {
    "campaign": 1,
    "rater": 1,
    "now": 1.0,
    "cursor": 0.5,
    "checks": False,
    "label": "m",
    "room": 1,
    "count": 3,
    "labels": ["m", ""],
    "sent_key": "k",
    "token": "t",
    "session": "s",
    "low": 0.1,
    "high": 0.9,
    "moved": 7,
}


def plan(db: Database, prepared: Any) -> str:
    query: Any = prepared.statement if isinstance(prepared, Prepared) else prepared
    wanted = {name: value for name, value in GIVEN.items() if name in query.compile().params}
    text = query.params(**wanted).compile(db.engine, compile_kwargs={"literal_binds": True})
    with db.read() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")
        return "\n".join(str(row[-1]) for row in rows)


@pytest.mark.parametrize("once_per_image", [False, True])
def test_sqlite_searches_and_never_scans(sqlite_url: str, once_per_image: bool) -> None:
    with Database.open(sqlite_url) as db:
        search = pool_queries.SEARCH[once_per_image]
        for query in (search.nearest, search.sample, search.extent, search.ahead, search.behind):
            found = plan(db, query)
            assert "ix_item_open (campaign_id=? AND is_check=? AND restricted=?" in found
            assert "room=? AND place" in found
            assert "TEMP B-TREE" not in found  # the order is the index's own
        assert "room=? AND moved>?" in plan(db, search.changed)
        for query in (*search, pool_queries.NEXT_ROOM, pool_queries.NEXT_TIME, EARLIER, HELD_BY):
            scans = [line for line in plan(db, query).splitlines() if line.startswith("SCAN")]
            # Only the few rows that a subquery has found are gone through.
            few = ("anon", "subquery", "constant row")
            assert all(any(name in line.lower() for name in few) for line in scans), scans


@pytest.mark.parametrize("query", [EARLIER, HELD_BY])
def test_the_idempotency_key_is_looked_up_in_its_index(sqlite_url: str, query: Prepared) -> None:
    # The whole of it: a search by the campaign alone would go through all of its responses.
    with Database.open(sqlite_url) as db:
        assert "uq_response_key (campaign_id=? AND <expr>=? AND key=?)" in plan(db, query)


def plans(connection: sa.Connection, prepared: Prepared, given: dict[str, Any]) -> list[str]:
    """How PostgreSQL answers a question for one rater, and for several at once where it can be asked so."""
    made = prepared._compile(connection.dialect)
    run = driver_of(connection).execute
    asked = [(made.sql, made.values(given))]
    if made.many:
        rows = [{**given, "n": at} for at in range(20)]
        asked.append((made.many, {**made.constants, "given": orjson.dumps(rows).decode()}))
    return ["\n".join(row[0] for row in run(f"EXPLAIN {sql}", values)) for sql, values in asked]


@pytest.mark.parametrize("once_per_image", [False, True])
def test_postgresql_that_knows_its_tables_reads_the_index_in_order(
    postgresql_url: str, tmp_path: Any, once_per_image: bool
) -> None:
    # With statistics PostgreSQL may believe that hardly an item is free for a rater, and then reads and sorts
    # all open items of a campaign for each answer.
    corpus = Corpus.from_lists(["A dog."], [["Dog."]], image_ids=["7"], systems=["m"])
    with Database.open(postgresql_url, files=tmp_path / "files") as db:
        campaign = create.create(db, create.draft("audit", corpus, title="Dogs"), actor="lea")
        columns = ", ".join(
            column.name for column in schema.item.c if column.name not in {"id", "key", "place", "room"}
        )
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(
                f"INSERT INTO item (key, place, {columns}) "
                f"SELECT key || n, n / 20001.0, {columns} FROM item, generate_series(1, 20000) AS n"
            )
            connection.exec_driver_sql("ANALYZE")
            kind = connection.execute(sa.select(schema.item.c.balance, schema.item.c.room).limit(1)).one()
            given = GIVEN | {"campaign": campaign.id, "label": kind.balance, "room": kind.room, "now": 2e9}
            search = pool_queries.SEARCH[once_per_image]
            level = (search.ahead, search.behind, search.between, search.open)
            lowest = given | {"room": kind.room - 1}
            first = (search.nearest, search.sample, search.extent)
            for prepared in (*first, *level):
                for found in plans(connection, prepared, lowest if prepared in first else given):
                    assert re.search("Index (Only )?Scan using ix_item_open on item", found)
                    assert "Sort" not in found


def test_places_are_spread_evenly() -> None:
    places = sorted(place_of(7, f"key {at}") for at in range(1000))
    # The largest gap of 1000 uniform draws is about ln(1000)/1000; 2/100 is three times that.
    assert max(b - a for a, b in itertools.pairwise(places)) < 0.02
    assert places[0] >= 0
    assert places[-1] < 1


def test_raters_begin_at_different_places(db: Database, make_campaign) -> None:
    campaign, people = make_campaign("audit", images=40, people=6)
    firsts = [next_tasks(db, campaign, rater)[0].item.key for rater in people]
    assert len(set(firsts)) == 6
    order = [item.key for item in responses.items(db, campaign)]
    assert [order.index(key) for key in firsts] != sorted(order.index(key) for key in firsts)


def chosen(db: Database, connection: sa.Connection, campaign: Any, rater: pool.WorkingRater) -> Any:
    return pool.choose_unlocked(connection, campaign, rater, *pool.search(db, connection, campaign, rater))


def test_an_item_in_anothers_hands_is_passed_over(postgresql_url: str, tmp_path: Any, clock: Any) -> None:
    corpus = Corpus.from_lists(
        ["A dog.", "A cat."], [["Dog."], ["Cat."]], image_ids=["7", "9"], systems=["m", "m"]
    )
    with Database.open(postgresql_url, files=tmp_path / "files", clock=clock) as db:
        draft = create.draft("audit", corpus, title="Dogs")
        campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
        (ada,) = raters.add(db, campaign, [NewRater("Ada")], actor="lea")
        with db.engine.connect() as connection:
            rater = assignment.working_rater(connection, ada, db.now())[1]
            (free,) = chosen(db, connection, campaign, rater)
            (again,) = chosen(db, connection, campaign, rater)
        assert again.id == free.id
        with db.engine.connect() as other, db.engine.connect() as connection:
            # Somebody else is taking it at this very moment.
            other.execute(sa.select(schema.item.c.id).where(schema.item.c.id == free.id).with_for_update())
            (next_one,) = chosen(db, connection, campaign, rater)
        assert next_one.id != free.id
