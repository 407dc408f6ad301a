"""Claims: the few items that a rater may be given become slots of theirs, each while it has room."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
from sqlalchemy import Connection

from captious.campaigns.records import Campaign, Task
from captious.campaigns.store.database import Database
from captious.campaigns.store.in_step import group_memory
from captious.campaigns.store.races import LostRaceError
from captious.campaigns.work import assignment_queries as queries
from captious.campaigns.work import pool
from captious.campaigns.work.holds import release_some
from captious.campaigns.work.pool import Candidate, Seeker
from captious.campaigns.work.removal import change_label

RELEASED_AT_ONCE = 200
# So often a work whose group was quicker looks for what is left.
LOOKS = 5


def claim_group(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    seeker: Seeker,
    may_be: pool.MayBe = pool.EVERYTHING,
) -> list[Task]:
    """Claim what the protocol hands the rater next; their row is locked and they hold nothing."""
    labels, found = pool.look(db, connection, campaign, seeker, may_be)
    open_items = sum(candidate.item.counts for candidate in found)
    # Someone may still think about what they held too long: others get it when nothing else is left.
    if (
        may_be.late
        and open_items < campaign.rules().group_size
        and release_some(connection, campaign.id, seeker.now, RELEASED_AT_ONCE)
    ):
        labels, found = pool.look(db, connection, campaign, seeker, may_be)
    if connection.dialect.name != "sqlite":
        for _ in range(LOOKS):
            one = _claim_one(connection, campaign, seeker, labels, found)
            if one is not None:
                return [one]
            if not found or group_memory() is None:
                break
            # Others of the group were quicker: what is left now is seen.
            labels, found = pool.look(db, connection, campaign, seeker, may_be)
    chosen = pool.choose_from(connection, campaign, seeker, labels, found)
    return _claim(connection, campaign, seeker, chosen) if chosen else []


def _claim_one(
    connection: Connection,
    campaign: Campaign,
    seeker: Seeker,
    labels: Mapping[str, int],
    found: Sequence[Candidate],
) -> Task | None:
    """Claim a single item; who finds one in another's hands tries the next. None: no way to."""
    chosen = first = pool.pick(campaign, seeker, labels, found)
    # What others of a group are about to claim.
    claims = group_memory()
    tried = False
    while len(chosen) == 1:
        (one,) = chosen
        if claims is None or not one.item.counts or claims[one.id] < one.room:
            tried = True
            task = _claim_slot(connection, campaign, seeker, one, claims)
            if task is not None:
                return task
        found = [other for other in found if other.id != one.id]
        chosen = pool.pick(campaign, seeker, labels, found)
    # Where others want all that there is, this comes after them.
    return (
        _claim_slot(connection, campaign, seeker, first[0], claims) if len(first) == 1 and not tried else None
    )


def _claim_slot(
    connection: Connection, campaign: Campaign, seeker: Seeker, one: Candidate, claims: Counter[int] | None
) -> Task | None:
    until = seeker.now + campaign.settings.hold_seconds
    given = {
        "campaign": campaign.id,
        "rater": seeker.id,
        "until": until,
        "now": seeker.now,
        "slot": secrets.token_urlsafe(18),
        "item": one.id,
        "place": one.place,
        "picture": one.item.image,
    }
    with _told(claims, one.id):
        row = queries.CLAIM.first(connection, given)
    if row is None:
        return None
    token, draft, digest, group = row
    if one.item.counts:
        change_label(connection, campaign.id, one.item.balance, 1)
    return Task(token, one.item, group, 0, 1, until, _draft(draft), None, seeker.answered + 1, digest=digest)


@contextmanager
def _told(claims: Counter[int] | None, item_id: int) -> Iterator[None]:
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
    connection: Connection, campaign: Campaign, seeker: Seeker, chosen: Sequence[Candidate]
) -> list[Task]:
    # Everyone locks items in the same order.
    for id_ in sorted(candidate.id for candidate in chosen):
        if queries.TAKE.change(connection, {"item": id_}) != 1:
            raise LostRaceError
    given = {"rater": seeker.id, "place": chosen[-1].place, "now": seeker.now}
    group = queries.COUNT_GROUP.value(connection, given)
    tasks = _hold(connection, campaign, seeker, chosen, group)
    counts = Counter(one.item.balance for one in chosen if one.item.counts)
    for name in sorted(counts):
        change_label(connection, campaign.id, name, counts[name])
    return tasks


def _hold(
    connection: Connection, campaign: Campaign, seeker: Seeker, chosen: Sequence[Candidate], group: int
) -> list[Task]:
    until = seeker.now + campaign.settings.hold_seconds
    given = {"campaign": campaign.id, "rater": seeker.id, "group": group, "until": until}
    tasks = []
    for position, candidate in enumerate(chosen):
        own = {
            "slot": secrets.token_urlsafe(18),
            "item": candidate.id,
            "picture": candidate.item.image,
            "at": position,
            "shown": seeker.now if position == 0 else None,
        }
        token, draft, digest = queries.HOLD.first(connection, given | own)
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
                seeker.answered + 1 + position,
                digest=digest,
            )
        )
    return tasks


def _draft(text: str | None) -> Any:
    return None if text is None else orjson.loads(text)
