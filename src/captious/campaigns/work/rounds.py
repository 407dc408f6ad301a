"""A protocol's extra rounds as items of a running campaign."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.inserts import add_items, add_limits, content_of
from captious.campaigns.work.reading import latest_responses
from captious.errors import UnknownNameError
from captious.protocols import Item
from captious.protocols.base import RoundData
from captious.protocols.capabilities import Rounds


def start_round(db: Database, campaign: Campaign, name: str, *, actor: str, **values: object) -> list[Item]:
    """Start one of the protocol's extra rounds with what it asks for, such as `captions=50`.

    Started again, a round adds what is new: items that someone has begun stay as they are.
    """
    rules = campaign.rules()
    found = next((one for one in Rounds.of(rules).rounds if one.name == name), None)
    if found is None:
        raise UnknownNameError(
            f"round of {campaign.protocol}", name, [one.name for one in Rounds.of(rules).rounds]
        )
    given = {one.name: values.get(one.name, one.default) for one in found.asks}
    items, responses = latest_responses(db, campaign)
    data = RoundData(items, responses, _native(db, campaign), campaign.seed, given)
    return _add(db, campaign, Rounds.of(rules).start_round(name, data), found.action, actor)


def _native(db: Database, campaign: Campaign) -> frozenset[str]:
    table = schema.rater
    wanted = select(table.c.pseudonym).where(
        table.c.campaign_id == campaign.id, table.c.native.is_(True), table.c.state == "active"
    )
    with db.read() as connection:
        return frozenset(connection.execute(wanted).scalars())


def _add(db: Database, campaign: Campaign, new: list[Item], action: str, actor: str) -> list[Item]:
    def work(connection: Connection) -> list[Item]:
        _refresh(connection, campaign, new)
        add_items(connection, campaign, new)
        log.record(
            connection,
            actor,
            action,
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"items": len(new)},
        )
        return new

    return db.transact(work)


def _refresh(connection: Connection, campaign: Campaign, new: list[Item]) -> None:
    """An item of the round that nobody has begun takes the scores and the raters of today."""
    table, limit = schema.item, schema.item_rater
    for item in new:
        own = (table.c.campaign_id == campaign.id) & (table.c.key == item.key)
        found = connection.execute(
            update(table)
            .where(own, table.c.taken == 0)
            .values(content=content_of(item))
            .returning(table.c.id)
        ).scalar()
        if found is not None:
            connection.execute(delete(limit).where(limit.c.item_id == found))
            add_limits(connection, campaign, [item])
