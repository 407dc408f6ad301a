"""Slots whose time is up come back to the campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, Integer, bindparam, select, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import AnyRow
from captious.campaigns.work.removal import change_label

BATCH = 500
_OWN = schema.assignment.c
_LATE = Prepared(
    select(_OWN.id, _OWN.item_id)
    .where(
        _OWN.campaign_id == bindparam("campaign"), _OWN.state == "held", _OWN.held_until < bindparam("now")
    )
    .order_by(_OWN.held_until)
    .limit(bindparam("count", type_=Integer))
    .with_for_update(skip_locked=True),
    # Nobody of a group is to lose the slot of an answer that is on its way.
    last=True,
)


def release_expired(db: Database, campaign: Campaign | None = None) -> int:
    """Return every slot that was held too long, of one campaign or of all; how many."""
    if campaign is not None:
        ids = [campaign.id]
    else:
        with db.read() as connection:
            ids = [*connection.execute(select(schema.campaign.c.id)).scalars()]
    total = 0
    for campaign_id in ids:
        while True:
            with db.write() as connection:
                count = release_some(connection, campaign_id, db.now(), BATCH)
            total += count
            if count < BATCH:
                break
    return total


def release_some(connection: Connection, campaign_id: int, now: float, limit: int) -> int:
    """Return some slots that were held too long; those that others are at work on are skipped."""
    given = {"campaign": campaign_id, "now": now, "count": limit}
    rows = _LATE.all(connection, given)
    if rows:
        give_back(connection, campaign_id, rows, "expired")
    return len(rows)


def give_back(connection: Connection, campaign_id: int, rows: Sequence[AnyRow], state: str) -> None:
    """Slots that are held (`id`, `item_id`) get a state that others may take their items in."""
    assignment, item = schema.assignment, schema.item
    connection.execute(
        update(assignment).where(assignment.c.id.in_([row.id for row in rows])).values(state=state)
    )
    counts = Counter(row.item_id for row in rows)
    less = update(item).where(item.c.id == bindparam("item")).values(taken=item.c.taken - bindparam("by"))
    connection.execute(less, [{"item": id_, "by": counts[id_]} for id_ in sorted(counts)])
    labelled = select(item.c.id, item.c.balance).where(
        item.c.id.in_(counts), item.c.balance != "", item.c.is_check.is_(False)
    )
    labels: Counter[str] = Counter()
    for id_, name in connection.execute(labelled):
        labels[name] += counts[id_]
    for name in sorted(labels):
        change_label(connection, campaign_id, name, -labels[name])
