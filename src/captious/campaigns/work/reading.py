"""Items and responses as a protocol reads them, page by page."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from captious.campaigns.records import Campaign, StoredResponse
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import item_columns, item_of
from captious.campaigns.work import counted
from captious.errors import UnknownNameError
from captious.protocols import Item, Response

PAGE = 5000
ADJUDICATOR = "adjudicator"


def stored(
    db: Database, campaign: Campaign, *, after: int = 0, limit: int | None = None
) -> Iterator[StoredResponse]:
    """The log of responses from an id on, oldest first; a page at a time, each as it was then."""
    with db.read() as connection:
        replaced = counted.replaced_decisions(connection, campaign)
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
            standing=counted.counts(row, replaced),
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
        one.response
        for one in counted.latest(db, campaign, real_names=real_names)
        if one.active or with_removed
    ]
    return items(db, campaign), found
