"""Migrations from an empty and from a filled database, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import migrations, schema
from captious.campaigns.store.database import Database, database_url
from captious.campaigns.store.engines import engine_of
from captious.campaigns.store.migrations import HEAD, migrate_to, revision, revisions
from captious.campaigns.work import assignment, responses
from captious.errors import InputError

FILLED = {
    "campaign": {
        "id": 1,
        "slug": "dogs",
        "title": "Dogs",
        "protocol": "tagging",
        "options": '{"raters":2,"two_rounds":false}',
        "seed": 1,
        "state": "open",
        "settings": "{}",
        "created": 1.0,
    },
    "form": {"id": 1, "digest": "d", "fields": "[]"},
    "item": {
        "id": 1,
        "campaign_id": 1,
        "key": "k1",
        "image": "i7",
        "stage": "first",
        "form_id": 1,
        "content": '{"captions":[["A","A dog."]],"sources":{"A":["m"]},"check":"",'
        '"only_for":null,"not_for":[],"prior":{},"hints":[]}',
        "target": 2,
        "taken": 1,
        "done": 1,
        "place": 0.5,
    },
    "rater": {"id": 1, "campaign_id": 1, "name": "Ada", "pseudonym": "r001", "created": 1.0, "answered": 1},
    "response": {
        "id": 1,
        "campaign_id": 1,
        "item_id": 1,
        "rater_id": 1,
        "assignment_id": 1,
        "key": "a",
        "answers": '{"verdict":"complete"}',
        "hints": "[]",
        "time": 2.0,
        "kind": "answer",
        "source": "web",
    },
    "assignment": {
        "id": 1,
        "token": "t",
        "campaign_id": 1,
        "item_id": 1,
        "rater_id": 1,
        "state": "answered",
        "group_no": 1,
        "position": 0,
        "held_until": 9.0,
        "response_id": 1,
    },
}


@contextmanager
def bare(url: str) -> Iterator[sa.Engine]:
    """The engine of a database that has not been migrated yet."""
    engine = engine_of(database_url(url))
    try:
        yield engine
    finally:
        engine.dispose()


def fill(connection: sa.Connection) -> None:
    then = sa.MetaData()
    then.reflect(connection)
    for name, values in FILLED.items():
        connection.execute(then.tables[name].insert().values(**values))
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), 1)"))


def test_an_empty_database_is_brought_up_to_date(empty_url: str) -> None:
    with bare(empty_url) as engine, engine.begin() as connection:
        assert revision(connection) is None
    with Database.open(empty_url) as db, db.read() as connection:
        assert revision(connection) == HEAD == revisions()[0]


def test_migrations_build_what_the_code_expects(empty_url: str) -> None:
    with Database.open(empty_url) as db, db.read() as connection:
        context = MigrationContext.configure(connection)
        # SQLite cannot show an index on an expression; its test is that of idempotency keys.
        seen = [
            change
            for change in compare_metadata(context, schema.metadata)
            if getattr(change[1], "name", "") != "uq_response_key"
        ]
    assert seen == []


def test_a_filled_database_keeps_its_data(empty_url: str) -> None:
    with bare(empty_url) as engine, engine.begin() as connection:
        migrate_to(connection, "0001")
        columns = {column["name"] for column in sa.inspect(connection).get_columns("assignment")}
        assert "image" not in columns
        fill(connection)
    with Database.open(empty_url) as db:
        with db.read() as connection:
            assert revision(connection) == HEAD
            assert connection.execute(sa.select(schema.assignment.c.image)).scalar() == "i7"
        campaign = lifecycle.find(db, "dogs")
        (kept,) = responses.stored(db, campaign)
        assert (kept.answers, kept.rater, kept.standing) == ({"verdict": "complete"}, "r001", True)
        # What protocols may keep is empty in what was stored before.
        assert kept.outcome is None
        assert [one.record for one in raters.listed(db, campaign)] == [None]
        # The carried-over column works: Ada has seen the item, a new rater has not.
        (ada,) = raters.listed(db, campaign)
        assert assignment.next_tasks(db, campaign, ada) == []
        (bob,) = raters.add(db, campaign, [raters.NewRater("Bob")], actor="lea")
        assert [task.item.image for task in assignment.next_tasks(db, campaign, bob)] == ["i7"]


def test_a_downgrade_keeps_the_data_too(empty_url: str) -> None:
    with bare(empty_url) as engine, engine.begin() as connection:
        migrate_to(connection, "0001")
        fill(connection)
        migrate_to(connection, HEAD)
        migrate_to(connection, "0001")
        assert revision(connection) == "0001"
        columns = {column["name"] for column in sa.inspect(connection).get_columns("assignment")}
        assert "image" not in columns
        assert connection.execute(sa.text("SELECT answers FROM response")).scalar() == (
            '{"verdict":"complete"}'
        )
        migrate_to(connection, HEAD)
        assert connection.execute(sa.text("SELECT image FROM assignment")).scalar() == "i7"


def test_down_to_nothing_and_up_again(empty_url: str) -> None:
    with bare(empty_url) as engine:
        with engine.begin() as connection:
            migrate_to(connection, HEAD)
        with engine.begin() as connection:
            migrate_to(connection, "base")
            assert sa.inspect(connection).get_table_names() == ["alembic_version"]
        with engine.begin() as connection:
            migrate_to(connection, HEAD)
            assert sa.inspect(connection).has_table("response")


def test_a_failed_migration_leaves_the_database_as_it_was(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bare(empty_url) as engine:
        with engine.begin() as connection:
            migrate_to(connection, "0001")
            fill(connection)
            # The name that the migration wants for its index is taken.
            connection.execute(sa.text("CREATE INDEX ix_assignment_image ON assignment (token)"))
        with pytest.raises(InputError):
            Database.open(empty_url)
        with engine.begin() as connection:
            assert revision(connection) == "0001"
            names = {column["name"] for column in sa.inspect(connection).get_columns("assignment")}
            assert "image" not in names


def test_an_older_database_can_be_refused(empty_url: str) -> None:
    with bare(empty_url) as engine, engine.begin() as connection:
        migrate_to(connection, "0001")
    with pytest.raises(InputError, match="captious campaign migrate"):
        Database.open(empty_url, migrate=False)


def test_a_newer_database_is_refused(empty_url: str) -> None:
    with Database.open(empty_url) as db, db.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match="newer version"):
        Database.open(empty_url)


def test_every_revision_is_known_in_order() -> None:
    assert revisions() == [f"{number:04}" for number in range(int(migrations.HEAD), 0, -1)]
