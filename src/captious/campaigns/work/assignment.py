"""Who is given what: the one place that says what a rater may do now, and what their page shows of it.

Slots are claimed in a transaction and held for a while (`claims`). A rater never gets an item twice: an
item and a rater meet in one row at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection

from captious.campaigns.entry.training import pending
from captious.campaigns.records import Campaign, EntryNeeded, NotYours, Rater, RaterProgress, Task
from captious.campaigns.store.columns import is_storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow, campaign_from, item_of
from captious.campaigns.work import assignment_queries as queries
from captious.campaigns.work import pool
from captious.campaigns.work.claims import claim_group, release_expired
from captious.campaigns.work.pool import EVERYTHING, SearchScope, WorkingRater
from captious.campaigns.work.pool_queries import COUNTED
from captious.errors import InputError
from captious.protocols.capabilities import KnownPast

LONGEST_DRAFT = 200_000
# What is left is counted this often; between, a rater's own answers are taken off.
COUNTED_EVERY = 30.0
MOST_REMEMBERED = 10_000
FEWEST_TIMED = 3


class Desk(NamedTuple):
    """The campaign as it is now, the tasks in hand, how far the rater is, the last answer."""

    campaign: Campaign
    tasks: list[Task]
    progress: RaterProgress
    previous: Task | None
    feedback: tuple[str, ...] = ()
    # What the protocol keeps of the rater, after the last answer.
    record: Mapping[str, Any] = MappingProxyType({})


def desk(db: Database, rater: Rater) -> Desk:
    """What the rater is to do now, with what stands beside it; new tasks are handed out.

    `EntryNeeded` where something comes before the work, which is looked for only until it is done.
    """
    with db.read() as connection:
        campaign, working = working_rater(connection, rater, db.now())
        held = held_tasks(db, connection, rater)
        previous = _last_answered(db, connection, campaign, working)
        feedback = _last_feedback(connection, rater) if working.answered else ()
    step = pending(db, campaign, rater) if rater.entry != campaign.settings.entry_version else None
    if step is not None:
        raise EntryNeeded(step)
    tasks = _due_tasks(db, campaign, rater, working, held)
    if not tasks:
        return Desk(campaign, [], rater_progress(db, rater), previous, feedback)
    with db.read() as connection:
        return desk_of(db, connection, campaign, working, tasks, previous, feedback)


def next_tasks(db: Database, campaign: Campaign, rater: Rater) -> list[Task]:
    """What the rater is to do: the rest of the group they hold, in order, else a new group.

    Empty when nothing is left for them now, or when the campaign hands out nothing.
    """
    with db.read() as connection:
        campaign, working = working_rater(connection, rater, db.now())
        held = held_tasks(db, connection, rater)
    return _due_tasks(db, campaign, rater, working, held)


def _due_tasks(
    db: Database, campaign: Campaign, rater: Rater, working: WorkingRater, held: list[Task]
) -> list[Task]:
    """What is to be done, given how campaign and rater stand and what the rater holds."""
    if working.state != "active" or campaign.state == "draft":
        return []
    if campaign.state == "closed":
        return [task for task in held if task.held_until >= working.now]
    if held:
        renew_below = working.now + campaign.settings.hold_seconds / 2
        return held if held[0].held_until > renew_below else _renewed(db, campaign, rater)

    def work(connection: Connection) -> list[Task]:
        current, locked = working_rater(connection, rater, db.now(), lock=True)
        return hand_out(db, connection, current, rater, locked)

    return db.transact(work) if is_given_work(campaign, working) else []


def is_given_work(campaign: Campaign, working: WorkingRater) -> bool:
    """Whether new tasks are handed to a rater who holds none."""
    return working.state == "active" and campaign.state == "open" and working.wanted() > 0


def hand_out(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    rater: Rater,
    working: WorkingRater,
    scope: SearchScope = EVERYTHING,
    *,
    may_hold: bool = True,
) -> list[Task]:
    """What a rater whose row is locked holds, else a new group that is claimed for them."""
    held = held_tasks(db, connection, rater) if may_hold else []
    if held or not is_given_work(campaign, working):
        return held
    return claim_group(db, connection, campaign, working, scope)


def working_rater(
    connection: Connection, rater: Rater, now: float, *, lock: bool = False
) -> tuple[Campaign, WorkingRater]:
    """The rater's campaign as it is now, and where the rater is in it."""
    wanted = queries.LOCKED_AT_WORK if lock else queries.AT_WORK
    row = wanted.first(connection, {"rater": rater.id})
    if row is None:
        raise NotYours
    state, cursor, answered, record, quota, *columns = row
    kept = _json(record) or {}
    working = WorkingRater(rater.id, rater.pseudonym, cursor, now, answered, kept, quota, state)
    return campaign_from(*columns), working


def _json(text: str | None) -> Any:
    return None if text is None else orjson.loads(text)


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
        campaign, working = working_rater(connection, rater, db.now(), lock=True)
        given = {"slot": token, "rater": rater.id, "kept": kept.decode()}
        queries.KEEP_DRAFT.change(connection, given)
        if working.state == "active" and campaign.state == "open":
            _renew(db, connection, campaign, rater)

    db.transact(work)


def previous_task(db: Database, rater: Rater) -> Task | None:
    """What the rater answered last, while it may still be corrected."""
    with db.read() as connection:
        campaign, working = working_rater(connection, rater, db.now())
        return _last_answered(db, connection, campaign, working)


def may_change(db: Database, rater: Rater, found: Task) -> bool:
    """Whether the rater may still replace their answer to a task."""
    with db.read() as connection:
        campaign, working = working_rater(connection, rater, db.now())
        open_ = working.state == "active" and campaign.state != "closed"
        if not open_ or found.response_id is None or next_stage_begun(connection, found.response_id):
            return False
        last = queries.LAST_ANSWERED.first(connection, {"rater": rater.id})
    rules = campaign.rules()
    fresh = working.now - (found.answered_at or 0.0) <= KnownPast.of(rules).look_back_seconds(found.item)
    is_last = last is not None and last.token == found.token
    return KnownPast.of(rules).may_correct(found.item) and (fresh or is_last)


def open_again(db: Database, rater: Rater, token: str) -> None:
    """The rater looks at an answer of theirs again: the time of a correction runs from now on."""
    given = {"rater": rater.id, "slot": token, "now": db.now()}
    db.transact(lambda connection: queries.OPENED.change(connection, given))


def own_answers(db: Database, rater: Rater, *, before: int, count: int) -> list[Task]:
    """What the rater has answered, newest first, from before a response on."""
    with db.read() as connection:
        given = {"rater": rater.id, "before": before, "count": count}
        return [_task(db, connection, row) for row in queries.OWN_ANSWERS.all(connection, given)]


def _last_answered(
    db: Database, connection: Connection, campaign: Campaign, working: WorkingRater
) -> Task | None:
    if working.state != "active" or campaign.state == "closed":
        return None
    row = queries.LAST_ANSWERED.first(connection, {"rater": working.id})
    if row is None or next_stage_begun(connection, row.response_id):
        return None
    last = _task(db, connection, row)
    return last if KnownPast.of(campaign.rules()).may_correct(last.item) else None


def _last_feedback(connection: Connection, rater: Rater) -> tuple[str, ...]:
    """What the protocol said about the rater's last answer."""
    outcome = _json(queries.LAST_OUTCOME.value(connection, {"rater": rater.id}))
    return tuple((outcome or {}).get("feedback", ()))


def next_stage_begun(connection: Connection, response_id: int) -> bool:
    """Whether someone holds or has answered an item that a response called for."""
    return bool(queries.BEGUN.value(connection, {"response": response_id}))


def rater_progress(db: Database, rater: Rater) -> RaterProgress:
    """How far the rater is in their group and in the campaign."""
    with db.read() as connection:
        campaign, working = working_rater(connection, rater, db.now())
        held = queries.HELD_COUNTS.all(connection, {"rater": rater.id})
        wanted = working.wanted()
        works = working.state == "active" and campaign.state != "closed" and wanted > 0
        left = sum(row.held for row in held)
        if works:
            left += pool.count_left(connection, campaign, working, left)
        wait = pool.next_time(connection, working) if works and not left else None
        skipped = pool.count_skipped(connection, campaign, rater.id) if works else 0
    return RaterProgress(
        answered=working.answered,
        left=left,
        group_done=held[0].group_size - held[0].held if held else 0,
        group_size=held[0].group_size if held else 0,
        done=not left and wait is None,
        wait_until=wait,
        skipped=min(skipped, max(0, wanted - left)),
    )


def desk_of(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    working: WorkingRater,
    tasks: list[Task],
    previous: Task | None,
    feedback: tuple[str, ...],
) -> Desk:
    """The desk of a rater who has tasks in hand."""
    group = [task for task in tasks if task.group_no == tasks[0].group_no]
    left, pace, skipped = _left(db, connection, campaign, working, len(tasks))
    progress = RaterProgress(
        answered=working.answered,
        left=left,
        group_done=tasks[0].group_size - len(group),
        group_size=tasks[0].group_size,
        done=False,
        wait_until=None,
        seconds_left=left * pace if pace is not None and left < COUNTED else None,
        skipped=min(skipped, max(0, working.wanted() - left)),
    )
    return Desk(campaign, tasks, progress, previous, feedback, working.record)


def _left(
    db: Database, connection: Connection, campaign: Campaign, working: WorkingRater, held: int
) -> tuple[int, float | None, int]:
    """How many tasks are left, those in hand among them; how long the rater takes for one; how many

    they skipped.
    """
    if campaign.state == "closed":
        return held, None, 0
    time, answered, left, pace, skipped = db.left.get(working.id, (float("-inf"), 0, 0, None, 0))
    if not time <= working.now <= time + COUNTED_EVERY:
        answered, left = working.answered, held + pool.count_left(connection, campaign, working, held)
        pace = _usual_seconds(connection, working.id)
        skipped = pool.count_skipped(connection, campaign, working.id)
        if len(db.left) >= MOST_REMEMBERED:
            db.left.clear()
        db.left[working.id] = working.now, answered, left, pace, skipped
    elif pace is None and working.answered >= FEWEST_TIMED:
        pace = _usual_seconds(connection, working.id)
        db.left[working.id] = time, answered, left, pace, skipped
    if working.quota is not None:
        return held + pool.count_left(connection, campaign, working, held), pace, skipped
    since = 0 if left >= COUNTED else working.answered - answered
    return max(held, left - since), pace, skipped


def _usual_seconds(connection: Connection, rater_id: int) -> float | None:
    """The median of what a rater's last answers took: a break does not count; None until there are some."""
    taken = [seconds for (seconds,) in queries.PACE.all(connection, {"rater": rater_id})]
    return median(taken) if len(taken) >= FEWEST_TIMED else None


__all__ = [
    "Desk",
    "NotYours",
    "desk",
    "desk_of",
    "hand_out",
    "held_tasks",
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
    "working_rater",
]
