"""Rows that are added where they are not there yet, and the ids of those that are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import orjson
from sqlalchemy import Connection, Insert, Select, Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from captious.campaigns.records import Campaign
from captious.campaigns.store.columns import Json
from captious.campaigns.store.prepared import Prepared

# As many as both engines take in one statement with room to spare.
MANY = 500


def insert_new(connection: Connection, table: Table, values: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows and return how many; one whose unique key is there already is left as it is."""
    if not values:
        return 0
    if len(values) == 1:
        return insert_one(table, tuple(values[0])).change(connection, driver_values(table, values[0]))
    return connection.execute(_insert_new(connection.dialect.name, table), [*values]).rowcount


@lru_cache(maxsize=64)
def _insert_new(dialect: str, table: Table) -> Insert:
    made = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    return made.on_conflict_do_nothing()


@lru_cache(maxsize=64)
def insert_one(table: Table, columns: tuple[str, ...], *, returning: bool = False) -> Prepared:
    """The statement for one row of these columns; with `returning` it gives the id of a row that is new."""
    given = {name: bindparam(name, type_=table.c[name].type) for name in columns}
    made = {dialect: _insert_new(dialect, table).values(given) for dialect in ("sqlite", "postgresql")}
    if returning:
        return Prepared({dialect: one.returning(table.c.id) for dialect, one in made.items()})
    return Prepared(made)


def driver_values(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as a driver takes them: JSON as text."""
    return {
        name: orjson.dumps(value).decode()
        if value is not None and isinstance(table.c[name].type, Json)
        else value
        for name, value in values.items()
    }


def ids_of(
    connection: Connection,
    table: Table,
    column: Literal["key", "pseudonym"],
    campaign: Campaign,
    names: Sequence[str],
) -> dict[str, int]:
    """The ids of some rows of a campaign by a name of theirs."""
    if len(names) == 1:
        id_ = _id(table, column).value(connection, {"campaign": campaign.id, "name": names[0]})
        return {} if id_ is None else {names[0]: id_}
    found: dict[str, int] = {}
    for start in range(0, len(names), MANY):
        given = {"campaign": campaign.id, "names": names[start : start + MANY]}
        found.update((row[0], row[1]) for row in connection.execute(_ids(table, column), given))
    return found


@lru_cache(maxsize=8)
def _id(table: Table, column: str) -> Prepared:
    own = table.c.campaign_id == bindparam("campaign")
    return Prepared(select(table.c.id).where(own, table.c[column] == bindparam("name")))


@lru_cache(maxsize=8)
def _ids(table: Table, column: str) -> Select[Any]:
    return select(table.c[column], table.c.id).where(
        table.c.campaign_id == bindparam("campaign"), table.c[column].in_(bindparam("names", expanding=True))
    )
