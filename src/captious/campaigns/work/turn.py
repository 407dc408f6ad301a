"""A rater's turn: the answer is stored and the next task claimed in one transaction.

The page that follows an answer shows what was claimed with it, so that nobody has to look again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from captious.campaigns.records import AnsweredAlready, Campaign, Rater, Receipt, Task
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.campaigns.work.desk import MOST_REMEMBERED, Desk, desk_of
from captious.campaigns.work.pool import MayBe, Seeker
from captious.campaigns.work.responses import Seen, Stored
from captious.protocols import Item, Problem


class Turn(NamedTuple):
    """What became of an answer, and the desk after it: None where the page has to look for itself."""

    outcome: Receipt | list[Problem]
    desk: Desk | None = None
    pauses: bool = False


def take_turn(
    db: Database,
    connection: Connection,
    rater: Rater,
    slug: str,
    token: str,
    answers: Callable[[Item], Mapping[str, object]],
    *,
    key: str,
    seen: Seen,
    session: str = "",
) -> Turn | None:
    """Store an answer from a page and claim what comes next, in a transaction that is open.

    None where a machine has to work on the answer first, which no transaction waits for, and where
    the rater has to be asked, for the page did not know of an answer that stands.
    """
    try:
        found = responses.respond_within(
            db, connection, rater, token, answers, key=key, slug=slug, seen=seen, session=session
        )
    except AnsweredAlready:
        return None
    if found is None or not isinstance(found, Stored):
        return None if found is None else Turn(found)
    pauses = bool(found.receipt.feedback) and found.campaign.rules().pauses
    return Turn(found.receipt, _next(db, connection, rater, found), pauses)


def _next(db: Database, connection: Connection, rater: Rater, stored: Stored) -> Desk | None:
    campaign, row = stored.campaign, stored.row
    rules = campaign.rules()
    # A result that is read first would count as time on the next task.
    if not stored.active or campaign.state != "open" or stored.receipt.correction or rules.pauses:
        return None
    # Something new comes before the next task: the page that looks for itself finds it.
    if rater.entry != campaign.settings.entry_version:
        return None
    answered = row.answered + 1
    seeker = Seeker(
        rater.id, rater.pseudonym, row.cursor, stored.response.time, answered, stored.record, row.quota
    )
    tasks = assignment.held_tasks(db, connection, rater) if row.holds_more else []
    if not tasks:
        if not seeker.wanted():
            return None
        may_be = MayBe(row.late, row.labels, row.checks, row.own)
        tasks = assignment.claim_group(db, connection, campaign, seeker, may_be)
        if not tasks:
            return None
        if len(db.ahead) >= MOST_REMEMBERED:
            db.ahead.clear()
        db.ahead[tasks[0].token] = seeker.now
    previous = _answered(campaign, stored) if rules.may_correct(stored.item) else None
    return desk_of(db, connection, campaign, seeker, tasks, previous, stored.receipt.feedback)


def _answered(campaign: Campaign, stored: Stored) -> Task:
    row = stored.row
    return Task(
        row.token,
        stored.item,
        row.group_no,
        row.position,
        1,
        row.held_until,
        None,
        stored.response.answers,
        row.answered + 1,
        stored.receipt.feedback,
    )
