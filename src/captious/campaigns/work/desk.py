"""All that a rater's page shows, in as few questions to the database as can be."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select

from captious.campaigns.entry.gate import pending
from captious.campaigns.records import Campaign, EntryNeeded, Rater, RaterProgress, Task
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import campaign_from
from captious.campaigns.work import assignment, pool
from captious.campaigns.work.assignment_queries import PACE
from captious.campaigns.work.pool_queries import COUNTED
from captious.campaigns.work.skipped import count_skipped

# What is left is counted this often; between, a rater's own answers are taken off.
COUNTED_EVERY = 30.0
MOST_REMEMBERED = 10_000
FEWEST_TIMED = 3


_STANDS = Prepared(
    select(
        schema.rater.c.state,
        schema.rater.c.answered,
        schema.assignment.c.state,
        schema.assignment.c.held_until,
        schema.assignment.c.draft,
        *schema.campaign.c,
    )
    .select_from(
        schema.assignment.join(schema.rater, schema.rater.c.id == schema.assignment.c.rater_id).join(
            schema.campaign, schema.campaign.c.id == schema.assignment.c.campaign_id
        )
    )
    .where(
        schema.assignment.c.token == bindparam("token"), schema.assignment.c.rater_id == bindparam("rater")
    )
)


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
        campaign, state, seeker = assignment.at_work(connection, rater, db.now())
        held = assignment.held_tasks(db, connection, rater)
        previous = assignment.last_answered(db, connection, campaign, rater, state)
        feedback = assignment.last_feedback(connection, rater) if seeker.answered else ()
    step = pending(db, campaign, rater) if rater.entry != campaign.settings.entry_version else None
    if step is not None:
        raise EntryNeeded(step)
    tasks = assignment.due_tasks(db, campaign, rater, state, held)
    if not tasks:
        progress = assignment.rater_progress(db, campaign, rater)
        return Desk(campaign, [], progress, previous, feedback)
    with db.read() as connection:
        return desk_of(db, connection, campaign, seeker, tasks, previous, feedback)


def is_current(db: Database, connection: Connection, rater: Rater, found: Desk) -> bool:
    """Whether a desk with tasks in hand is still what `desk` would find."""
    row = _STANDS.first(connection, {"rater": rater.id, "token": found.tasks[0].token})
    if row is None:
        return False
    state, answered, slot, until, draft, *columns = row
    lasts = until > db.now() + found.campaign.settings.hold_seconds / 2
    same = campaign_from(*columns) == found.campaign and answered == found.progress.answered
    return bool(
        same
        and lasts
        and draft is None
        and found.tasks[0].draft is None
        and (state, slot) == ("active", "held")
    )


def desk_of(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    seeker: pool.Seeker,
    tasks: list[Task],
    previous: Task | None,
    feedback: tuple[str, ...],
) -> Desk:
    """The desk of a rater who has tasks in hand."""
    group = [task for task in tasks if task.group_no == tasks[0].group_no]
    left, pace, skipped = _left(db, connection, campaign, seeker, len(tasks))
    progress = RaterProgress(
        answered=seeker.answered,
        left=left,
        group_done=tasks[0].group_size - len(group),
        group_size=tasks[0].group_size,
        done=False,
        wait_until=None,
        seconds_left=left * pace if pace is not None and left < COUNTED else None,
        skipped=min(skipped, max(0, seeker.wanted() - left)),
    )
    return Desk(campaign, tasks, progress, previous, feedback, seeker.record)


def _left(
    db: Database, connection: Connection, campaign: Campaign, seeker: pool.Seeker, held: int
) -> tuple[int, float | None, int]:
    """How many tasks are left, those in hand among them; how long the rater takes for one; how many

    they skipped.
    """
    if campaign.state == "closed":
        return held, None, 0
    time, answered, left, pace, skipped = db.left.get(seeker.id, (float("-inf"), 0, 0, None, 0))
    if not time <= seeker.now <= time + COUNTED_EVERY:
        answered, left = seeker.answered, held + pool.count_left(connection, campaign, seeker, held)
        pace = usual_seconds(connection, seeker.id)
        skipped = count_skipped(connection, seeker.id, once_per_image=campaign.rules().once_per_image)
        if len(db.left) >= MOST_REMEMBERED:
            db.left.clear()
        db.left[seeker.id] = seeker.now, answered, left, pace, skipped
    elif pace is None and seeker.answered >= FEWEST_TIMED:
        pace = usual_seconds(connection, seeker.id)
        db.left[seeker.id] = time, answered, left, pace, skipped
    if seeker.quota is not None:
        return held + pool.count_left(connection, campaign, seeker, held), pace, skipped
    since = 0 if left >= COUNTED else seeker.answered - answered
    return max(held, left - since), pace, skipped


def usual_seconds(connection: Connection, rater_id: int) -> float | None:
    """The median of what a rater's last answers took: a break does not count; None until there are some."""
    taken = [seconds for (seconds,) in PACE.all(connection, {"rater": rater_id})]
    return median(taken) if len(taken) >= FEWEST_TIMED else None
