"""Items that an answer calls for: a second stage, a second round."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, false, select, true, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.new_items import add_item, add_limits, content_of
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.races import LostRaceError
from captious.protocols import Item, Response

_THERE = Prepared(
    select(schema.item.c.id, schema.item.c.taken, schema.item.c.closed, schema.item.c.from_response)
    .where(schema.item.c.campaign_id == bindparam("campaign"), schema.item.c.key == bindparam("item"))
    .with_for_update()
)


def add_follow_ups(
    connection: Connection,
    campaign: Campaign,
    item: Item,
    response: Response,
    response_id: int,
    replaces: int | None,
    *,
    form_id: int,
    rater_id: int,
) -> None:
    """Store what a response calls for.

    Where the item is there already and nobody has begun it, it is brought up to date if this
    response corrects the one that called for it, or if that one no longer counts.
    """
    table = schema.item
    raters = {response.rater: rater_id}
    for new in campaign.rules().follow_ups(item, response):
        made = add_item(
            connection, campaign, new, from_response=response_id, form=(item.form, form_id), raters=raters
        )
        if made:
            continue
        there = _THERE.first(connection, {"campaign": campaign.id, "item": new.key})
        if there is None:
            raise LostRaceError
        if there.taken == 0 and (there.closed or there.from_response == replaces):
            connection.execute(
                update(table)
                .where(table.c.id == there.id)
                .values(
                    content=content_of(new),
                    not_before=new.not_before,
                    closed=false(),
                    from_response=response_id,
                )
            )
            limit = schema.item_rater
            connection.execute(delete(limit).where(limit.c.item_id == there.id))
            add_limits(connection, campaign, [new], raters)


def drop_limit(connection: Connection, item: Item, item_id: int, rater_id: int) -> None:
    """A rater who has answered an item that was for them alone need not find it again."""
    if item.only_for is not None:
        table = schema.item_rater
        connection.execute(
            delete(table).where(
                table.c.item_id == item_id, table.c.rater_id == rater_id, table.c.allowed == true()
            )
        )
