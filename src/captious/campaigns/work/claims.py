"""Slots: items become a rater's for a while, each while it has room, and come back.

Two raters never hold the same slot: a claim is an update that only succeeds while the item has room.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
from sqlalchemy import Connection, Integer, bindparam, select, update

from captious.campaigns.records import Campaign, Task
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.in_step import group_memory
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import AnyRow
from captious.campaigns.store.writer import LostRaceError
from captious.campaigns.work import assignment_queries as queries
from captious.campaigns.work import pool
from captious.campaigns.work.pool import EVERYTHING, Candidate, SearchScope, WorkingRater, change_label

RELEASED_AT_ONCE = 200
BATCH = 500
# So often a work whose group was quicker searches for what is left.
SEARCHES = 5

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


def claim_group(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    rater: WorkingRater,
    scope: SearchScope = EVERYTHING,
) -> list[Task]:
    """Claim what the protocol hands the rater next; their row is locked and they hold nothing."""
    labels, found = pool.search(db, connection, campaign, rater, scope)
    open_items = sum(candidate.item.counts for candidate in found)
    # Someone may still think about what they held too long: others get it when nothing else is left.
    if (
        scope.late
        and open_items < campaign.rules().group_size
        and release_some(connection, campaign.id, rater.now, RELEASED_AT_ONCE)
    ):
        labels, found = pool.search(db, connection, campaign, rater, scope)
    # What others of a group of works are about to claim; on SQLite works are run one after another.
    claims = None if connection.dialect.name == "sqlite" else group_memory()
    for _ in range(SEARCHES):
        chosen = pool.choose(campaign, rater, labels, found)
        if len(chosen) != 1:
            return _claim(connection, campaign, rater, chosen) if chosen else []
        task = _claim_one(connection, campaign, rater, labels, found, chosen, claims)
        if task is not None:
            return [task]
        if claims is None:
            break
        # Others of the group were quicker: what is left now is seen.
        labels, found = pool.search(db, connection, campaign, rater, scope)
    chosen = pool.choose_unlocked(connection, campaign, rater, labels, found)
    return _claim(connection, campaign, rater, chosen) if chosen else []


def _claim_one(
    connection: Connection,
    campaign: Campaign,
    rater: WorkingRater,
    labels: Mapping[str, int],
    found: Sequence[Candidate],
    chosen: Sequence[Candidate],
    claims: Counter[int] | None,
) -> Task | None:
    """Claim a single item; who finds one in another's hands tries the next. None: no way to."""
    (first,) = chosen
    tried = False
    while len(chosen) == 1:
        (one,) = chosen
        if claims is None or not one.item.counts or claims[one.id] < one.room:
            tried = True
            task = _claim_slot(connection, campaign, rater, one, claims)
            if task is not None:
                return task
        found = [other for other in found if other.id != one.id]
        chosen = pool.choose(campaign, rater, labels, found)
    # Where others want all that there is, this comes after them.
    return None if tried else _claim_slot(connection, campaign, rater, first, claims)


def _claim_slot(
    connection: Connection,
    campaign: Campaign,
    rater: WorkingRater,
    one: Candidate,
    claims: Counter[int] | None,
) -> Task | None:
    until = rater.now + campaign.settings.hold_seconds
    given = {
        "campaign": campaign.id,
        "rater": rater.id,
        "until": until,
        "now": rater.now,
        "slot": secrets.token_urlsafe(18),
        "item": one.id,
        "place": one.place,
        "picture": one.item.image,
    }
    with _announced(claims, one.id):
        row = queries.CLAIM.first(connection, given)
    if row is None:
        return None
    token, draft, digest, group = row
    if one.item.counts:
        change_label(connection, campaign.id, one.item.balance, 1)
    return Task(token, one.item, group, 0, 1, until, _draft(draft), None, rater.answered + 1, digest=digest)


@contextmanager
def _announced(claims: Counter[int] | None, item_id: int) -> Iterator[None]:
    """Others of a group know of a claim while it is on its way."""
    if claims is None:
        yield
        return
    claims[item_id] += 1
    try:
        yield
    finally:
        claims[item_id] -= 1


def _claim(
    connection: Connection, campaign: Campaign, rater: WorkingRater, chosen: Sequence[Candidate]
) -> list[Task]:
    # Everyone locks items in the same order.
    for id_ in sorted(candidate.id for candidate in chosen):
        if queries.TAKE.change(connection, {"item": id_}) != 1:
            raise LostRaceError
    given = {"rater": rater.id, "place": chosen[-1].place, "now": rater.now}
    group = queries.COUNT_GROUP.value(connection, given)
    tasks = _hold_group(connection, campaign, rater, chosen, group)
    counts = Counter(one.item.balance for one in chosen if one.item.counts)
    for name in sorted(counts):
        change_label(connection, campaign.id, name, counts[name])
    return tasks


def _hold_group(
    connection: Connection, campaign: Campaign, rater: WorkingRater, chosen: Sequence[Candidate], group: int
) -> list[Task]:
    until = rater.now + campaign.settings.hold_seconds
    given = {"campaign": campaign.id, "rater": rater.id, "group": group, "until": until}
    tasks = []
    for position, candidate in enumerate(chosen):
        own = {
            "slot": secrets.token_urlsafe(18),
            "item": candidate.id,
            "picture": candidate.item.image,
            "at": position,
            "shown": rater.now if position == 0 else None,
        }
        token, draft, digest, _ = queries.HOLD.first(connection, given | own)
        tasks.append(
            Task(
                token,
                candidate.item,
                group,
                position,
                len(chosen),
                until,
                _draft(draft),
                None,
                rater.answered + 1 + position,
                digest=digest,
            )
        )
    return tasks


def _draft(text: str | None) -> Any:
    return None if text is None else orjson.loads(text)


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
