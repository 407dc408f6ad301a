"""Who holds what: slots are claimed in a transaction, held for a while, and come back.

No two raters hold the same slot, and no rater gets an item twice: a slot is claimed by an update
that only succeeds while the item has room, and an item and a rater meet in one row at most.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson
from sqlalchemy import Connection, update

from captious.campaigns.records import Campaign, NotYours, Rater, RaterProgress, Task
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, LostRaceError
from captious.campaigns.store.rows import AnyRow, campaign_from, is_storable, item_of
from captious.campaigns.work import pool
from captious.campaigns.work.assignment_queries import (
    AT_WORK,
    BEGUN,
    BY_TOKEN,
    CAMPAIGN_NAMES,
    COUNT_GROUP,
    HELD,
    HELD_BEFORE,
    HELD_COUNTS,
    INSERT,
    LAST_ANSWERED,
    LAST_OUTCOME,
    LOCK_ITEMS,
    LOCKED_AT_WORK,
    TAKE,
)
from captious.campaigns.work.holds import release_expired, release_some
from captious.campaigns.work.pool import Candidate, Seeker
from captious.campaigns.work.removal import change_label
from captious.errors import InputError

_OWN = schema.assignment.c
RELEASED_AT_ONCE = 200
LONGEST_DRAFT = 200_000


def next_tasks(db: Database, campaign: Campaign, rater: Rater) -> list[Task]:
    """What the rater is to do: the rest of the group they hold, in order, else a new group.

    Empty when nothing is left for them now, or when the campaign hands out nothing.
    """
    now = db.now()
    with db.read() as connection:
        campaign, state, _ = at_work(connection, rater, now)
        held = held_tasks(db, connection, rater)
    return due_tasks(db, campaign, rater, state, held)


def due_tasks(db: Database, campaign: Campaign, rater: Rater, state: str, held: list[Task]) -> list[Task]:
    """What is to be done, given how campaign and rater stand and what the rater holds."""
    now = db.now()
    if state != "active" or campaign.state == "draft":
        return []
    if campaign.state == "closed":
        return [task for task in held if task.held_until >= now]
    if held:
        renew_below = now + campaign.settings.hold_seconds / 2
        return held if held[0].held_until > renew_below else _renewed(db, campaign, rater)
    if campaign.state == "paused":
        return []
    return db.transact(lambda connection: _new_group(db, connection, rater))


def at_work(
    connection: Connection, rater: Rater, now: float, *, lock: bool = False
) -> tuple[Campaign, str, Seeker]:
    """The rater's campaign as it is now, the rater's state, and where they are in it."""
    wanted = LOCKED_AT_WORK if lock else AT_WORK
    row = connection.execute(wanted, {"rater": rater.id}).first()
    if row is None:
        raise NotYours
    state, cursor, answered, record, quota, *columns = row
    campaign = campaign_from(dict(zip(CAMPAIGN_NAMES, columns, strict=True)))
    return campaign, state, Seeker(rater.id, rater.pseudonym, cursor, now, answered, record or {}, quota)


def _new_group(db: Database, connection: Connection, rater: Rater) -> list[Task]:
    now = db.now()
    campaign, state, seeker = at_work(connection, rater, now, lock=True)
    if state != "active" or campaign.state != "open" or not seeker.wanted():
        return []
    held = held_tasks(db, connection, rater)
    if held:
        return held
    release_some(connection, campaign.id, now, RELEASED_AT_ONCE)
    chosen = pool.choose(db, connection, campaign, seeker)
    return _claim(connection, campaign, seeker, chosen) if chosen else []


def _claim(
    connection: Connection, campaign: Campaign, seeker: Seeker, chosen: Sequence[Candidate]
) -> list[Task]:
    ids = sorted(candidate.id for candidate in chosen)
    if connection.dialect.name != "sqlite":
        # Everyone locks items in the same order.
        connection.execute(LOCK_ITEMS, {"ids": ids})
    if connection.execute(TAKE, {"ids": ids}).rowcount != len(ids):
        raise LostRaceError
    given = {"rater": seeker.id, "place": chosen[-1].place, "now": seeker.now}
    group = connection.execute(COUNT_GROUP, given).scalar_one()
    tasks = _hold(connection, campaign, seeker, chosen, group)
    counts = Counter(one.item.balance for one in chosen if one.item.counts)
    for name in sorted(counts):
        change_label(connection, campaign.id, name, counts[name])
    return tasks


def _hold(
    connection: Connection, campaign: Campaign, seeker: Seeker, chosen: Sequence[Candidate], group: int
) -> list[Task]:
    table = schema.assignment
    ids = [candidate.id for candidate in chosen]
    rows = connection.execute(HELD_BEFORE, {"rater": seeker.id, "ids": ids})
    again = {row.item_id: row for row in rows}
    until = seeker.now + campaign.settings.hold_seconds
    new, tasks = [], []
    for position, candidate in enumerate(chosen):
        values = {
            "state": "held",
            "group_no": group,
            "position": position,
            "held_until": until,
            "shown_at": seeker.now if position == 0 else None,
        }
        before = again.get(candidate.id)
        token = secrets.token_urlsafe(18) if before is None else before.token
        if before is not None:
            connection.execute(update(table).where(table.c.token == token).values(**values))
        else:
            own = {"campaign_id": campaign.id, "item_id": candidate.id, "rater_id": seeker.id}
            new.append(values | own | {"token": token, "image": candidate.item.image})
        tasks.append(
            Task(
                token,
                candidate.item,
                group,
                position,
                len(chosen),
                until,
                None if before is None else before.draft,
                None,
                seeker.answered + 1 + position,
            )
        )
    if new:
        connection.execute(INSERT, new)
    return tasks


def _renewed(db: Database, campaign: Campaign, rater: Rater) -> list[Task]:
    """The rater is here: what they hold stays theirs for the whole time again."""
    table = schema.assignment

    def work(connection: Connection) -> list[Task]:
        until = db.now() + campaign.settings.hold_seconds
        connection.execute(
            update(table)
            .where(table.c.rater_id == rater.id, table.c.state == "held")
            .values(held_until=until)
        )
        return held_tasks(db, connection, rater)

    return db.transact(work)


def held_tasks(db: Database, connection: Connection, rater: Rater) -> list[Task]:
    """What the rater holds, in order."""
    rows = connection.execute(HELD, {"rater": rater.id})
    return [
        replace(task, number=task.number + at)
        for at, task in enumerate(_task(db, connection, row) for row in rows)
    ]


def _task(db: Database, connection: Connection, row: AnyRow) -> Task:
    found = row._mapping
    answered = found[schema.response.c.answers]
    outcome = found[schema.response.c.outcome] or {}
    return Task(
        token=found[_OWN.token],
        item=item_of(db, connection, row),
        group_no=found[_OWN.group_no],
        position=found[_OWN.position],
        group_size=found["group_size"],
        held_until=found[_OWN.held_until],
        draft=found[_OWN.draft],
        answered=answered,
        number=found[schema.rater.c.answered] + (1 if answered is None else 0),
        feedback=tuple(outcome.get("feedback", ())),
        noted=outcome.get("noted", {}),
    )


def task(db: Database, rater: Rater, token: str) -> Task:
    """A task of the rater's own, held or answered."""
    if not is_storable(token):
        raise NotYours
    with db.read() as connection:
        row = connection.execute(BY_TOKEN, {"rater": rater.id, "token": token}).first()
        if row is None:
            raise NotYours
        return _task(db, connection, row)


def save_draft(db: Database, rater: Rater, token: str, answers: Mapping[str, object]) -> None:
    """Keep unfinished answers, so that a reload or another device shows them again."""
    try:
        kept = orjson.loads(orjson.dumps(dict(answers)))
    except (TypeError, ValueError):
        raise InputError("draft: it holds a value that cannot be stored.") from None
    if len(orjson.dumps(kept)) > LONGEST_DRAFT:
        raise InputError(f"draft: it is too long. Keep it under {LONGEST_DRAFT:,} bytes.")
    task(db, rater, token)
    table = schema.assignment
    with db.write() as connection:
        connection.execute(
            update(table).where(table.c.token == token, table.c.rater_id == rater.id).values(draft=kept)
        )


def previous_task(db: Database, rater: Rater) -> Task | None:
    """What the rater answered last, while it may still be corrected."""
    with db.read() as connection:
        campaign, state, _ = at_work(connection, rater, db.now())
        return last_answered(db, connection, campaign, rater, state)


def last_answered(
    db: Database, connection: Connection, campaign: Campaign, rater: Rater, state: str
) -> Task | None:
    """As `previous_task`, given how campaign and rater stand."""
    if state != "active" or campaign.state == "closed":
        return None
    row = connection.execute(LAST_ANSWERED, {"rater": rater.id}).first()
    if row is None or next_stage_begun(connection, row._mapping[_OWN.response_id]):
        return None
    last = _task(db, connection, row)
    return last if campaign.rules().may_correct(last.item) else None


def last_feedback(connection: Connection, rater: Rater) -> tuple[str, ...]:
    """What the protocol said about the rater's last answer."""
    outcome = connection.execute(LAST_OUTCOME, {"rater": rater.id}).scalar()
    return tuple((outcome or {}).get("feedback", ()))


def next_stage_begun(connection: Connection, response_id: int) -> bool:
    """Whether someone holds or has answered an item that a response called for."""
    return bool(connection.execute(BEGUN, {"response": response_id}).scalar())


def rater_progress(db: Database, campaign: Campaign, rater: Rater) -> RaterProgress:
    """How far the rater is in their group and in the campaign."""
    with db.read() as connection:
        campaign, state, seeker = at_work(connection, rater, db.now())
        held = connection.execute(HELD_COUNTS, {"rater": rater.id}).all()
        works = state == "active" and campaign.state != "closed" and seeker.wanted() > 0
        left = sum(row.held for row in held)
        if works:
            left += pool.count_left(connection, campaign, seeker, left)
        wait = pool.next_time(connection, seeker) if works and not left else None
    return RaterProgress(
        answered=seeker.answered,
        left=left,
        group_done=held[0].group_size - held[0].held if held else 0,
        group_size=held[0].group_size if held else 0,
        done=not left and wait is None,
        wait_until=wait,
    )


__all__ = [
    "NotYours",
    "at_work",
    "due_tasks",
    "held_tasks",
    "last_answered",
    "last_feedback",
    "next_stage_begun",
    "next_tasks",
    "previous_task",
    "rater_progress",
    "release_expired",
    "save_draft",
    "task",
]
