"""Items and responses as a protocol reads them, page by page.

Which responses count is decided here and nowhere else: the latest of each active rater.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select

from captious.campaigns.records import Campaign, StoredResponse
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import item_columns, item_of
from captious.errors import UnknownNameError
from captious.protocols import Item, Response

PAGE = 5000
LATEST_PAGE = 20_000
ACTIVE = "active"
ADJUDICATOR = "adjudicator"


def stored(
    db: Database, campaign: Campaign, *, after: int = 0, limit: int | None = None
) -> Iterator[StoredResponse]:
    """The log of responses from an id on, oldest first; a page at a time, each as it was then."""
    with db.read() as connection:
        replaced = replaced_decisions(connection, campaign)
    while limit is None or limit > 0:
        size = PAGE if limit is None else min(PAGE, limit)
        with db.read() as connection:
            page = _page(connection, campaign, after, size, replaced)
        yield from page
        if len(page) < size:
            return
        after = page[-1].id
        limit = None if limit is None else limit - size


def _page(
    connection: Connection, campaign: Campaign, after: int, size: int, replaced: frozenset[int]
) -> list[StoredResponse]:
    response, item, rater, assignment = (schema.response, schema.item, schema.rater, schema.assignment)
    wanted = (
        select(
            response,
            item.c.key.label("item_key"),
            item.c.image,
            item.c.stage,
            rater.c.pseudonym,
            rater.c.state,
            assignment.c.response_id,
        )
        .select_from(
            response.join(item, item.c.id == response.c.item_id)
            .outerjoin(rater, rater.c.id == response.c.rater_id)
            .outerjoin(assignment, assignment.c.id == response.c.assignment_id)
        )
        .where(response.c.campaign_id == campaign.id, response.c.id > after)
        .order_by(response.c.id)
        .limit(size)
    )
    return [
        StoredResponse(
            id=row.id,
            key=row.key,
            item_key=row.item_key,
            image=row.image,
            stage=row.stage,
            rater=row.pseudonym or ADJUDICATOR,
            rater_id=row.rater_id,
            answers=row.answers,
            hints=tuple(row.hints),
            time=row.time,
            seconds=row.seconds,
            kind=row.kind,
            replaces=row.replaces,
            source=row.source,
            actor=row.actor,
            standing=counts(row, replaced),
            outcome=row.outcome,
            untouched=tuple(row.untouched or ()),
        )
        for row in connection.execute(wanted)
    ]


def items(db: Database, campaign: Campaign) -> list[Item]:
    """Every item of the campaign, in the order in which they were made."""
    column = schema.item.c
    found: list[Item] = []
    after = 0
    while True:
        wanted = select(*item_columns).where(column.campaign_id == campaign.id, column.id > after)
        with db.read() as connection:
            rows = connection.execute(wanted.order_by(column.id).limit(PAGE)).all()
            found += [item_of(db, connection, row) for row in rows]
        if len(rows) < PAGE:
            return found
        after = rows[-1].item_id


def first_item(db: Database, campaign: Campaign) -> Item | None:
    """The first item that is no attention check, as an example of the work."""
    column = schema.item.c
    wanted = select(*item_columns).where(column.campaign_id == campaign.id, column.is_check.is_(False))
    with db.read() as connection:
        row = connection.execute(wanted.order_by(column.id).limit(1)).first()
        return None if row is None else item_of(db, connection, row)


def item(db: Database, campaign: Campaign, key: str) -> Item:
    """An item by its key."""
    column = schema.item.c
    wanted = select(*item_columns).where(column.campaign_id == campaign.id, column.key == key)
    with db.read() as connection:
        row = connection.execute(wanted).first()
        if row is None:
            known = select(column.key).where(column.campaign_id == campaign.id).limit(20)
            raise UnknownNameError("item", key, [*connection.execute(known).scalars()])
        return item_of(db, connection, row)


def latest_responses(
    db: Database, campaign: Campaign, *, with_removed: bool = False, real_names: bool = False
) -> tuple[list[Item], list[Response]]:
    """All items, and the latest response of each active rater to each, oldest first.

    `with_removed` adds the last responses of raters who were removed; `real_names` puts names in
    the place of pseudonyms.
    """
    found = [
        one.response for one in latest(db, campaign, real_names=real_names) if one.active or with_removed
    ]
    return items(db, campaign), found


class Latest(NamedTuple):
    """A rater's last response to an item; `active`: the rater counts."""

    response: Response
    active: bool


def kept_with(outcome: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was derived of a response and noted about it, as `Response` takes it."""
    return {name: outcome[name] for name in ("derived", "noted") if name in outcome} if outcome else {}


def latest(db: Database, campaign: Campaign, *, real_names: bool = False) -> Iterator[Latest]:
    """Every rater's last response to each item, oldest first; removed raters' too.

    A response finds its slot by the slot's own key, and counts where the slot names it.
    """
    response, slot = schema.response.c, schema.assignment.c
    names = _raters(db, campaign, real_names=real_names)
    keys = _items(db, campaign)
    own = and_(slot.id == response.assignment_id, slot.response_id == response.id)
    wanted = (
        select(
            response.id,
            response.item_id,
            response.rater_id,
            response.answers,
            response.time,
            response.hints,
            response.outcome,
            response.seconds,
            response.untouched,
        )
        .select_from(schema.response.join(schema.assignment, own))
        .where(response.campaign_id == campaign.id)
        .order_by(response.id)
        .limit(LATEST_PAGE)
    )
    after = 0
    while True:
        with db.read() as connection:
            rows = connection.execute(wanted.where(response.id > after)).all()
        for _, item, rater, answers, time, hints, outcome, seconds, left in rows:
            name, active = names[rater]
            kept = kept_with(outcome) | {"seconds": seconds, "untouched": tuple(left or ())}
            response_of = Response(keys[item], answers, name, time, tuple(hints), **kept)
            yield Latest(response_of, active)
        if len(rows) < LATEST_PAGE:
            return
        after = rows[-1].id


def active_responses(db: Database, campaign: Campaign) -> list[Response]:
    """The latest responses of raters who count."""
    return [one.response for one in latest(db, campaign) if one.active]


def count(connection: Connection, campaign: Campaign) -> int:
    """How many responses count: the latest of each active rater to each item."""
    slot, rater = schema.assignment, schema.rater
    wanted = (
        select(func.count())
        .select_from(slot.join(rater, rater.c.id == slot.c.rater_id))
        .where(slot.c.campaign_id == campaign.id, slot.c.response_id.is_not(None), rater.c.state == ACTIVE)
    )
    return int(connection.execute(wanted).scalar_one())


def replaced_decisions(connection: Connection, campaign: Campaign) -> frozenset[int]:
    """The decisions of adjudicators that a later one replaced: they count no more."""
    table = schema.response
    wanted = select(table.c.replaces).where(
        table.c.campaign_id == campaign.id, table.c.kind == "adjudication", table.c.replaces.is_not(None)
    )
    return frozenset(connection.execute(wanted).scalars())


def counts(row: Any, replaced: frozenset[int]) -> bool:
    """Whether a row of the log counts today.

    A rater's response does where its slot names it and the rater is active; an adjudicator's where
    no later decision replaced it. `row` has the response's id and kind, its slot's `response_id`
    and its rater's `state`.
    """
    if row.kind == "adjudication":
        return row.id not in replaced
    return bool(row.response_id == row.id and row.state == ACTIVE)


def _raters(db: Database, campaign: Campaign, *, real_names: bool) -> dict[int, tuple[str, bool]]:
    table = schema.rater
    name = table.c.name if real_names else table.c.pseudonym
    wanted = select(table.c.id, name, table.c.state).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {id_: (name, state == ACTIVE) for id_, name, state in connection.execute(wanted)}


def _items(db: Database, campaign: Campaign) -> dict[int, str]:
    table = schema.item
    wanted = select(table.c.id, table.c.key).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {row.id: row.key for row in connection.execute(wanted)}
