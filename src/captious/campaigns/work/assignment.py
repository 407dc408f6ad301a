"""Who holds what: slots are claimed in a transaction, held for a while, and come back.

No two raters hold the same slot, and no rater gets an item twice: a slot is claimed by an update
that only succeeds while the item has room, and an item and a rater meet in one row at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import Connection

from captious.campaigns.records import Campaign, NotYours, Rater, RaterProgress, Task
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow, campaign_from, item_of
from captious.campaigns.store.storable import is_storable
from captious.campaigns.work import assignment_queries as queries
from captious.campaigns.work import pool
from captious.campaigns.work.claims import claim_group
from captious.campaigns.work.holds import release_expired
from captious.campaigns.work.pool import Seeker
from captious.campaigns.work.skipped import count_skipped
from captious.errors import InputError

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
    wanted = queries.LOCKED_AT_WORK if lock else queries.AT_WORK
    row = wanted.first(connection, {"rater": rater.id})
    if row is None:
        raise NotYours
    state, cursor, answered, record, quota, *columns = row
    seeker = Seeker(rater.id, rater.pseudonym, cursor, now, answered, _json(record) or {}, quota)
    return campaign_from(*columns), state, seeker


def _json(text: str | None) -> Any:
    return None if text is None else orjson.loads(text)


def _new_group(db: Database, connection: Connection, rater: Rater) -> list[Task]:
    campaign, state, seeker = at_work(connection, rater, db.now(), lock=True)
    if state != "active" or campaign.state != "open" or not seeker.wanted():
        return []
    return held_tasks(db, connection, rater) or claim_group(db, connection, campaign, seeker)


def _renewed(db: Database, campaign: Campaign, rater: Rater) -> list[Task]:
    """The rater is here: what they hold stays theirs for the whole time again."""

    def work(connection: Connection) -> list[Task]:
        _renew(db, connection, campaign, rater)
        return held_tasks(db, connection, rater)

    return db.transact(work)


def _renew(db: Database, connection: Connection, campaign: Campaign, rater: Rater) -> None:
    until = db.now() + campaign.settings.hold_seconds
    queries.RENEW.change(connection, {"rater": rater.id, "until": until})


def held_tasks(db: Database, connection: Connection, rater: Rater) -> list[Task]:
    """What the rater holds, in order."""
    rows = queries.HELD.all(connection, {"rater": rater.id})
    return [
        replace(task, number=task.number + at)
        for at, task in enumerate(_task(db, connection, row) for row in rows)
    ]


def _task(db: Database, connection: Connection, row: AnyRow) -> Task:
    answered = _json(row.answers)
    outcome = _json(row.outcome) or {}
    return Task(
        token=row.token,
        item=item_of(db, connection, row),
        group_no=row.group_no,
        position=row.position,
        group_size=row.group_size,
        held_until=row.held_until,
        draft=_json(row.draft),
        answered=answered,
        number=row.rater_answered + (1 if answered is None else 0),
        feedback=tuple(outcome.get("feedback", ())),
        noted=outcome.get("noted", {}),
        digest=row.digest,
        response_id=row.response_id,
        untouched=tuple(_json(row.untouched) or ()),
        answered_at=row.answered_at,
    )


def task(db: Database, rater: Rater, token: str) -> Task:
    """A task of the rater's own, held or answered."""
    if not is_storable(token):
        raise NotYours
    with db.read() as connection:
        row = queries.BY_TOKEN.first(connection, {"rater": rater.id, "token": token})
        if row is None:
            raise NotYours
        return _task(db, connection, row)


def save_draft(db: Database, rater: Rater, token: str, answers: Mapping[str, object]) -> None:
    """Keep unfinished answers, so that a reload or another device shows them again.

    Who saves a draft is at work: what they hold stays theirs for the whole time again.
    """
    try:
        kept = orjson.dumps(dict(answers))
    except (TypeError, ValueError):
        raise InputError("draft: it holds a value that cannot be stored.") from None
    if len(kept) > LONGEST_DRAFT:
        raise InputError(f"draft: it is too long. Keep it under {LONGEST_DRAFT:,} bytes.")
    task(db, rater, token)

    def work(connection: Connection) -> None:
        campaign, state, _ = at_work(connection, rater, db.now(), lock=True)
        given = {"slot": token, "rater": rater.id, "kept": kept.decode()}
        queries.KEEP_DRAFT.change(connection, given)
        if state == "active" and campaign.state == "open":
            _renew(db, connection, campaign, rater)

    db.transact(work)


def previous_task(db: Database, rater: Rater) -> Task | None:
    """What the rater answered last, while it may still be corrected."""
    with db.read() as connection:
        campaign, state, _ = at_work(connection, rater, db.now())
        return last_answered(db, connection, campaign, rater, state)


def may_change(db: Database, rater: Rater, found: Task) -> bool:
    """Whether the rater may still replace their answer to a task."""
    with db.read() as connection:
        campaign, state, _ = at_work(connection, rater, db.now())
        open_ = state == "active" and campaign.state != "closed"
        if not open_ or found.response_id is None or next_stage_begun(connection, found.response_id):
            return False
        last = queries.LAST_ANSWERED.first(connection, {"rater": rater.id})
    rules = campaign.rules()
    fresh = db.now() - (found.answered_at or 0.0) <= rules.look_back_seconds(found.item)
    is_last = last is not None and last.token == found.token
    return rules.may_correct(found.item) and (fresh or is_last)


def open_again(db: Database, rater: Rater, token: str) -> None:
    """The rater looks at an answer of theirs again: the time of a correction runs from now on."""
    given = {"rater": rater.id, "slot": token, "now": db.now()}
    db.transact(lambda connection: queries.OPENED.change(connection, given))


def own_answers(db: Database, rater: Rater, *, before: int, count: int) -> list[Task]:
    """What the rater has answered, newest first, from before a response on."""
    with db.read() as connection:
        given = {"rater": rater.id, "before": before, "count": count}
        return [_task(db, connection, row) for row in queries.OWN_ANSWERS.all(connection, given)]


def last_answered(
    db: Database, connection: Connection, campaign: Campaign, rater: Rater, state: str
) -> Task | None:
    """As `previous_task`, given how campaign and rater stand."""
    if state != "active" or campaign.state == "closed":
        return None
    row = queries.LAST_ANSWERED.first(connection, {"rater": rater.id})
    if row is None or next_stage_begun(connection, row.response_id):
        return None
    last = _task(db, connection, row)
    return last if campaign.rules().may_correct(last.item) else None


def last_feedback(connection: Connection, rater: Rater) -> tuple[str, ...]:
    """What the protocol said about the rater's last answer."""
    outcome = _json(queries.LAST_OUTCOME.value(connection, {"rater": rater.id}))
    return tuple((outcome or {}).get("feedback", ()))


def next_stage_begun(connection: Connection, response_id: int) -> bool:
    """Whether someone holds or has answered an item that a response called for."""
    return bool(queries.BEGUN.value(connection, {"response": response_id}))


def rater_progress(db: Database, campaign: Campaign, rater: Rater) -> RaterProgress:
    """How far the rater is in their group and in the campaign."""
    with db.read() as connection:
        campaign, state, seeker = at_work(connection, rater, db.now())
        held = queries.HELD_COUNTS.all(connection, {"rater": rater.id})
        works = state == "active" and campaign.state != "closed" and seeker.wanted() > 0
        left = sum(row.held for row in held)
        if works:
            left += pool.count_left(connection, campaign, seeker, left)
        wait = pool.next_time(connection, seeker) if works and not left else None
        once = campaign.rules().once_per_image
        skipped = count_skipped(connection, seeker.id, once_per_image=once) if works else 0
    return RaterProgress(
        answered=seeker.answered,
        left=left,
        group_done=held[0].group_size - held[0].held if held else 0,
        group_size=held[0].group_size if held else 0,
        done=not left and wait is None,
        wait_until=wait,
        skipped=min(skipped, max(0, seeker.wanted() - left)),
    )


__all__ = [
    "NotYours",
    "at_work",
    "claim_group",
    "due_tasks",
    "held_tasks",
    "last_answered",
    "last_feedback",
    "may_change",
    "next_stage_begun",
    "next_tasks",
    "open_again",
    "own_answers",
    "previous_task",
    "rater_progress",
    "release_expired",
    "save_draft",
    "task",
]
