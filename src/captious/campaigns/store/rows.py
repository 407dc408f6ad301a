"""Rows of the database as records and items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import Connection, select

from captious.campaigns.records import Account, Campaign, Rater, Settings
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.protocols import Caption, Form, Item
from captious.protocols.item import item_from_dict, item_to_dict

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
