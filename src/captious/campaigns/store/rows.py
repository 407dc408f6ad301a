"""Rows of the database as records and items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import orjson
from sqlalchemy import Connection, Insert, Select, Table, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from captious.campaigns.records import Account, Campaign, Rater, Settings
from captious.campaigns.store import schema
from captious.campaigns.store.columns import Json, checked_id
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared, given_rows
from captious.protocols import Caption, Form, Item
from captious.protocols.item import item_from_dict, item_to_dict

# As many as both engines take in one statement with room to spare.
MANY = 500
_NO_FORM = Form(())
_BESIDE_CONTENT = ("key", "image", "stage", "fields", "target", "balance", "not_before")
_LIMITED = {
    "campaign_id": "integer",
    "key": "text",
    "image": "text",
    "stage": "text",
    "form_id": "integer",
    "content": "text",
    "target": "bigint",
    "balance": "text",
    "is_check": "boolean",
    "restricted": "boolean",
    "not_before": "double precision",
    "place": "double precision",
    "from_response": "integer",
    "rater_id": "integer",
    "allowed": "boolean",
}
_OF_ITEM = tuple(name for name in _LIMITED if name not in ("rater_id", "allowed"))


def _given(table: Table, names: Iterable[str]) -> dict[str, Any]:
    return {name: bindparam(name, type_=table.c[name].type) for name in names}


# An item that an answer calls for, with one rater who alone may or must not be given it; its number, or
# nothing where it is there already. Where several works call for the same, the first adds it.
ADD_LIMITED = Prepared(
    {
        "sqlite": (
            sqlite.insert(schema.item)
            .values(_given(schema.item, _OF_ITEM))
            .on_conflict_do_nothing()
            .returning(schema.item.c.id),
            sqlite.insert(schema.item_rater).values(
                item_id=func.last_insert_rowid(),
                **_given(schema.item_rater, ("rater_id", "allowed", "not_before")),
            ),
        ),
        "postgresql": f"""
        WITH wanted AS MATERIALIZED (
            SELECT DISTINCT ON (campaign_id, key) * FROM {given_rows(_LIMITED)} ORDER BY campaign_id, key, n
        ), made AS (
            INSERT INTO item ({", ".join(_OF_ITEM)})
            SELECT {", ".join(_OF_ITEM)}
            FROM wanted ORDER BY n
            ON CONFLICT DO NOTHING RETURNING id, campaign_id, key
        ), limited AS (
            INSERT INTO item_rater (item_id, rater_id, allowed, not_before)
            SELECT made.id, wanted.rater_id, wanted.allowed, wanted.not_before
            FROM made JOIN wanted USING (campaign_id, key)
        )
        SELECT wanted.n, made.id FROM made JOIN wanted USING (campaign_id, key)
        """,
    }
)


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


def content_of(item: Item) -> dict[str, Any]:
    """What an item's JSON column holds."""
    stored = item_to_dict(replace(item, form=_NO_FORM))
    return {name: value for name, value in stored.items() if name not in _BESIDE_CONTENT}


def place_of(seed: int, key: str) -> float:
    """Where an item stands in the campaign's random order, in [0, 1).

    >>> 0 <= place_of(1, "a") < 1 and place_of(1, "a") != place_of(2, "a")
    True
    """
    digest = hashlib.blake2b(repr((seed, "place", key)).encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48


def add_items(
    connection: Connection,
    campaign: Campaign,
    items: Sequence[Item],
    *,
    gold: Mapping[str, Mapping[str, Any]] | None = None,
    from_response: int | None = None,
    forms: Mapping[Form, int] | None = None,
    raters: Mapping[str, int] | None = None,
) -> None:
    """Store items that the campaign does not have yet.

    `forms` and `raters` are ids that the caller knows already, so that nobody has to look.
    """
    if forms is None or any(item.form not in forms for item in items):
        forms = _add_forms(connection, items)
    gold = gold or {}
    rows = [
        _item_row(campaign, item, forms[item.form], from_response)
        | {"gold": dict(gold[item.key]) if item.key in gold else None}
        for item in items
    ]
    insert_new(connection, schema.item, rows)
    _add_labels(connection, campaign, items)
    limited = [item for item in items if item.not_for or item.only_for]
    add_limits(connection, campaign, limited, raters)


def _item_row(campaign: Campaign, item: Item, form_id: int, from_response: int | None) -> dict[str, Any]:
    return {
        "campaign_id": campaign.id,
        "key": checked_id(item.key, "item"),
        "image": checked_id(item.image, "image"),
        "stage": checked_id(item.stage, "stage"),
        "form_id": form_id,
        "content": content_of(item),
        "target": item.target,
        "balance": checked_id(item.balance, "label"),
        "is_check": not item.counts,
        "restricted": item.only_for is not None,
        "not_before": item.not_before,
        "place": place_of(campaign.seed, item.key),
        "from_response": from_response,
    }


def add_item(
    connection: Connection,
    campaign: Campaign,
    item: Item,
    *,
    from_response: int,
    form: tuple[Form, int],
    raters: Mapping[str, int],
) -> bool:
    """Store one item that a response calls for; False where it is there already."""
    known, form_id = form
    if item.form is not known and item.form != known:
        form_id = _add_forms(connection, [item])[item.form]
    row = _item_row(campaign, item, form_id, from_response)
    limits = _limits(item)
    if len(limits) == 1 and limits <= raters.keys():
        (name,) = limits
        given = row | {"content": orjson.dumps(row["content"]).decode(), "rater_id": raters[name]}
        made = ADD_LIMITED.value(connection, given | {"allowed": name not in item.not_for})
        if made is not None:
            _add_labels(connection, campaign, [item])
        return made is not None
    statement = insert_one(schema.item, tuple(row), returning=True)
    id_ = statement.value(connection, driver_values(schema.item, row))
    if id_ is None:
        return False
    _add_labels(connection, campaign, [item])
    if item.not_for or item.only_for:
        add_limits(connection, campaign, [item], raters, ids={item.key: id_})
    return True


def _add_labels(connection: Connection, campaign: Campaign, items: Iterable[Item]) -> None:
    names = sorted({item.balance for item in items if item.balance and item.counts})
    rows = [{"campaign_id": campaign.id, "name": name} for name in names]
    insert_new(connection, schema.label, rows)


def add_limits(
    connection: Connection,
    campaign: Campaign,
    items: Sequence[Item],
    raters: Mapping[str, int] | None = None,
    ids: Mapping[str, int] | None = None,
) -> None:
    """Store which raters alone may, and which must not, be given the items."""
    if not items:
        return
    names = sorted({name for item in items for name in _limits(item)})
    if raters is None or any(name not in raters for name in names):
        raters = ids_of(connection, schema.rater, "pseudonym", campaign, names)
    if ids is None:
        ids = ids_of(connection, schema.item, "key", campaign, [item.key for item in items])
    rows = [
        {
            "item_id": ids[item.key],
            "rater_id": raters[name],
            "allowed": name not in item.not_for,
            "not_before": item.not_before,
        }
        for item in items
        for name in _limits(item)
        if name in raters
    ]
    insert_new(connection, schema.item_rater, rows)


def _limits(item: Item) -> frozenset[str]:
    return (item.only_for or frozenset()) | item.not_for


def _add_forms(connection: Connection, items: Iterable[Item]) -> dict[Form, int]:
    forms = dict.fromkeys(item.form for item in items)
    digests = {form: hashlib.sha256(orjson.dumps(form.public())).hexdigest() for form in forms}
    rows = [{"digest": digests[form], "fields": form.public()} for form in forms]
    insert_new(connection, schema.form, rows)
    ids: dict[str, int] = {}
    wanted = list(digests.values())
    table = schema.form
    for start in range(0, len(wanted), MANY):
        few = wanted[start : start + MANY]
        query = select(table.c.digest, table.c.id).where(table.c.digest.in_(few))
        ids.update((digest, id_) for digest, id_ in connection.execute(query))
    return {form: ids[digest] for form, digest in digests.items()}


# A row of SQLAlchemy's, or of a `Prepared` statement.
AnyRow = Any
MOST_ITEMS = 5000  # that are remembered as objects


def campaign_of(row: AnyRow) -> Campaign:
    """A campaign from its row."""
    values = dict(row._mapping)
    return Campaign(**values | {"settings": Settings.from_dict(values["settings"])})


_CAMPAIGN = tuple(schema.campaign.c.keys())


@lru_cache(maxsize=1024)
def campaign_from(*columns: Any) -> Campaign:
    """A campaign from the columns of a `Prepared` row: the same columns are the same campaign."""
    values = dict(zip(_CAMPAIGN, columns, strict=True))
    settings = Settings.from_dict(orjson.loads(values["settings"]))
    return Campaign(**values | {"settings": settings, "options": orjson.loads(values["options"])})


_RATER = tuple(Rater.__dataclass_fields__)
rater_columns = tuple(schema.rater.c[name] for name in _RATER)


def rater_of(row: AnyRow) -> Rater:
    """A rater from a row that has the columns of one."""
    return Rater(**{name: row._mapping[schema.rater.c[name]] for name in _RATER})


def account_of(row: AnyRow) -> Account:
    """An account from its row; the password stays where it is."""
    column = schema.account.c
    return Account(*(row._mapping[column[name]] for name in ("id", "name", "role", "disabled", "created")))


# What `item_of` needs of an item's row.
item_columns = tuple(
    schema.item.c[name].label(f"item_{name}")
    for name in (
        "id",
        "key",
        "image",
        "stage",
        "form_id",
        "content",
        "target",
        "taken",
        "done",
        "balance",
        "is_check",
        "not_before",
        "place",
        "room",
    )
)


def item_of(db: Database, connection: Connection, row: AnyRow) -> Item:
    """An item from a row that has `item_columns`.

    A `Prepared` row has the content as text: the same text is the same item, made once.
    """
    text = row.item_content
    if not isinstance(text, str):
        return _item_of(db, connection, row, text)
    known = db.items.get(row.item_id)
    mark = (text, row.item_target, row.item_not_before)
    if known is None or known[0] != mark:
        if len(db.items) >= MOST_ITEMS:
            db.items.clear()
        known = db.items[row.item_id] = mark, _item_of(db, connection, row, orjson.loads(text))
    return known[1]


def _item_of(db: Database, connection: Connection, row: AnyRow, content: Mapping[str, Any]) -> Item:
    return Item(
        key=row.item_key,
        image=row.item_image,
        captions=tuple(Caption(*caption) for caption in content["captions"]),
        form=_form(db, connection, row.item_form_id),
        sources={key: tuple(systems) for key, systems in content["sources"].items()},
        stage=row.item_stage,
        target=row.item_target,
        balance=row.item_balance,
        check=content["check"],
        only_for=None if content["only_for"] is None else frozenset(content["only_for"]),
        not_for=frozenset(content["not_for"]),
        not_before=row.item_not_before,
        prior=content["prior"],
        hints=tuple(content["hints"]),
        practice=content.get("practice", False),
        recording=content.get("recording", ""),
        facts=content.get("facts", {}),
    )


def _form(db: Database, connection: Connection, form_id: int) -> Form:
    # Forms never change once stored.
    known = db.forms.get(form_id)
    if known is None:
        table = schema.form
        fields = connection.execute(select(table.c.fields).where(table.c.id == form_id)).scalar()
        blank = item_to_dict(Item("", "", (), Form(()), {}))
        known = db.forms[form_id] = item_from_dict(blank | {"fields": fields or []}).form
    return known
