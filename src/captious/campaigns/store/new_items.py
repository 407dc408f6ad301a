"""Items that a campaign does not have yet: their rows, forms, labels, and who may be given them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import Connection, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.item_queries import ADD_LIMITED
from captious.campaigns.store.new_rows import MANY, driver_values, ids_of, insert_new, insert_one
from captious.campaigns.store.storable import checked_id
from captious.protocols import Form, Item
from captious.protocols.store import item_to_dict

_NO_FORM = Form(())
_BESIDE_CONTENT = ("key", "image", "stage", "fields", "target", "balance", "not_before")


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
    if connection.dialect.name != "sqlite" and len(limits) == 1 and limits <= raters.keys():
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
