"""The tables that a new database gets, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, database_url, engine_of
from captious.campaigns.store.migrations import HEAD, revision, revisions
from captious.errors import InputError


@contextmanager
def bare(url: str) -> Iterator[sa.Engine]:
    """The engine of a database that has not been migrated yet."""
    engine = engine_of(database_url(url))
    try:
        yield engine
    finally:
        engine.dispose()


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


def test_a_failed_migration_leaves_the_database_as_it_was(empty_url: str) -> None:
    with bare(empty_url) as engine:
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE searched (mine INTEGER)"))
        with pytest.raises(InputError):
            Database.open(empty_url)
        with engine.begin() as connection:
            assert revision(connection) is None
            assert sa.inspect(connection).get_table_names() == ["searched"]


def test_accounts_of_an_older_database_keep_their_campaigns(empty_url: str) -> None:
    with Database.open(empty_url, new="0009") as db, db.write() as connection:
        assert revision(connection) == "0009"
        for name, role in (("lea", "owner"), ("max", "manager"), ("vic", "viewer")):
            connection.execute(
                sa.text("INSERT INTO account (name, password, role, created) VALUES (:name, '', :role, 1)"),
                {"name": name, "role": role},
            )
        connection.execute(
            sa.text(
                "INSERT INTO campaign (slug, title, protocol, options, seed, state, settings, created) "
                "VALUES ('dogs', 'Dogs', 'tagging', '{}', 1, 'open', '{}', 1)"
            )
        )
    with Database.open(empty_url) as db, db.read() as connection:
        assert revision(connection) == HEAD
        rows = connection.execute(sa.select(schema.member.c.role).order_by(schema.member.c.role))
        assert rows.scalars().all() == ["manager", "viewer"]  # an owner needs no row


@pytest.mark.parametrize("other", ["0008", "9999"])
def test_a_database_of_another_version_is_refused(empty_url: str, other: str) -> None:
    with Database.open(empty_url) as db, db.write() as connection:
        connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{other}'"))
    with pytest.raises(InputError, match=f"another version of captious made it .revision {other}"):
        Database.open(empty_url)
