"""Answers come in: checked by the protocol, stored once, counted once, never changed.

An answer and the claim of the next task are one transaction (`take_turn`), so that the page that follows
shows what was claimed with it and nobody has to look again. `respond` stores an answer alone, and returns
after it is on disk. The log of responses is append-only (`response_log`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from captious.campaigns.records import Campaign, NotOpen, NotYours, Rater, Receipt, SignedOut, Source, Task
from captious.campaigns.store.columns import is_storable, unstorable
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.store.rows import campaign_from, item_of
from captious.campaigns.work import response_queries as queries
from captious.campaigns.work.assignment import Desk, desk_of, hand_out
from captious.campaigns.work.pool import SearchScope, WorkingRater
from captious.campaigns.work.reading import item, items, latest_responses, stored
from captious.campaigns.work.response_log import (
    CAMPAIGN_COLUMNS,
    Seen,
    Sent,
    Stored,
    repeated_receipt,
    seconds_taken,
    store,
)
from captious.errors import InputError
from captious.protocols import HumanProtocol, Item, Problem, Response
from captious.protocols.capabilities import Game, KnownPast, Recordings

Answers = Mapping[str, object]
Derived = Mapping[str, Any]
LONGEST_KEY = 200


class Underived(NamedTuple):
    """A valid answer that a machine has to work on before it is stored, which no transaction waits for."""

    campaign: Campaign
    item: Item
    response: Response
    source: Source

    def derive(self, db: Database) -> Derived:
        """What the machine makes of it; it may take long. A simulated rater says what it would be."""
        rules = self.campaign.rules()
        if self.source == "simulated":
            return Recordings.of(rules).simulated_derive(self.item, self.response)
        return Recordings.of(rules).derive(
            self.item, self.response, lambda name: recording_file(db, self.campaign, name)[0]
        )


class Turn(NamedTuple):
    """What became of an answer, and the desk after it: None where the page has to look for itself."""

    outcome: Receipt | list[Problem]
    desk: Desk | None = None
    pauses: bool = False


def respond(
    db: Database,
    rater: Rater,
    token: str,
    answers: Answers | Callable[[Item], Answers],
    *,
    key: str,
    seconds: float | None = None,
    source: Source = "web",
    seen: Seen | None = None,
) -> Receipt | list[Problem]:
    """Store a rater's answers to a task, or say what is wrong with them, a line a field.

    `answers` may be a function that reads them once the item, and with it the form, is known.
    The same `key` again returns the first receipt, whatever the answers. Another answer to an
    answered task is a correction; with `seen`, only if it is the answer that the page showed, else
    `AnsweredAlready` is raised. The time of a correction runs from when its answer was opened again
    (`assignment.open_again`), and is not known where it was not. An answer that comes after its slot
    was given back is stored and counted all the same; one of a removed rater is stored and not counted.
    """

    attempt = partial(
        _respond,
        db,
        rater=rater,
        token=token,
        answers=answers,
        key=key,
        seconds=seconds,
        source=source,
        seen=seen,
    )
    derived: Derived | None = None
    while isinstance(found := db.transact(partial(attempt, derived=derived)), Underived):
        derived = found.derive(db)
    return found.receipt if isinstance(found, Stored) else found


def take_turn(
    db: Database,
    connection: Connection,
    rater: Rater,
    slug: str,
    token: str,
    answers: Answers | Callable[[Item], Answers],
    *,
    key: str,
    seen: Seen,
    session: str = "",
    derived: Derived | None = None,
) -> Turn | Underived:
    """Store an answer from a page and claim what comes next, in a transaction that is open.

    The campaign must be that of `slug`. `session` is the digest of the rater's session where nobody has
    looked yet whether it is alive: if it is not, `SignedOut` is raised.
    """
    found = _respond(
        db, connection, rater, token, answers, key=key, seen=seen, slug=slug, session=session, derived=derived
    )
    if not isinstance(found, Stored):
        return found if isinstance(found, Underived) else Turn(found)
    pauses = bool(found.receipt.feedback) and Game.of(found.campaign.rules()).pauses
    return Turn(found.receipt, _next(db, connection, rater, found), pauses)


def _respond(
    db: Database,
    connection: Connection,
    rater: Rater,
    token: str,
    answers: Answers | Callable[[Item], Answers],
    *,
    key: str,
    seconds: float | None = None,
    source: Source = "web",
    seen: Seen | None = None,
    slug: str = "",
    session: str = "",
    derived: Derived | None = None,
) -> Stored | Receipt | list[Problem] | Underived:
    """As `respond`, in a transaction that is open; a receipt is that of an earlier answer with the key."""
    if not key or len(key) > LONGEST_KEY or not is_storable(key):
        raise InputError(f"key: give 1 to {LONGEST_KEY} plain characters, new for each answer.")
    if not is_storable(token):
        raise NotYours
    now = db.now()
    given = {"rater": rater.id, "token": token, "sent_key": key, "now": now, "session": session}
    row = queries.HELD_BY.first(connection, given)
    if row is None:
        raise NotYours
    if session and not row.signed_in:
        raise SignedOut
    campaign, asked = campaign_from(*row[-CAMPAIGN_COLUMNS:]), item_of(db, connection, row)
    if slug and campaign.slug != slug:
        raise NotYours
    response = _checked(db, campaign, rater, asked, answers, row.shown_at, now, source)
    if isinstance(response, list):
        return repeated_receipt(row.earlier_id, row.earlier_kind) if row.earlier_id is not None else response
    if derived is None and _derives(campaign.rules()) and row.earlier_id is None:
        return Underived(campaign, asked, response, source)
    if derived:
        response = replace(response, derived=derived)
    took = seconds_taken(seconds, row.shown_at, now)
    sent = Sent(campaign, rater, asked, response, key, took, source, seen, measured=seconds is not None)
    return store(connection, sent, row)


def _checked(
    db: Database,
    campaign: Campaign,
    rater: Rater,
    asked: Item,
    answers: Answers | Callable[[Item], Answers],
    shown_at: float | None,
    now: float,
    source: Source,
) -> Response | list[Problem]:
    """The answers as the protocol takes them, or everything that is wrong with them."""
    rules = campaign.rules()
    given = answers(asked) if callable(answers) else answers
    checked = rules.validate(asked, given, rater=rater.pseudonym, time=now)
    if isinstance(checked, list):
        problems = checked
    else:
        problems = [*unstorable(checked.answers), *_missing_recordings(db, campaign, asked, checked)]
    least = Game.of(rules).minimum_seconds(asked) if source in ("web", "api") else 0.0
    if least and shown_at is not None and now - shown_at < least:
        problems = [*problems, Problem("", f"Look at it for at least {least:g} seconds, then answer.")]
    return problems if problems or isinstance(checked, list) else checked


def _missing_recordings(db: Database, campaign: Campaign, item: Item, response: Response) -> list[Problem]:
    """Recordings that are answered with and are not there."""
    found = []
    for name in item.form.recorded:
        if name in response.answers:
            try:
                recording_file(db, campaign, str(response.answers[name]))
            except InputError:
                found.append(Problem(name, "The recording did not arrive. Send it again."))
    return found


def _derives(rules: HumanProtocol) -> bool:
    """Whether a machine works on responses before they are stored."""
    return isinstance(rules, Recordings)


def _next(db: Database, connection: Connection, rater: Rater, stored: Stored) -> Desk | None:
    """The desk after an answer; None where there is nothing to claim with it."""
    campaign, row = stored.campaign, stored.row
    rules = campaign.rules()
    # A result that is read first would count as time on the next task. Something new that comes before
    # the next task is found by the page that looks for itself.
    if stored.receipt.correction or Game.of(rules).pauses or rater.entry != campaign.settings.entry_version:
        return None
    working = WorkingRater(
        rater.id,
        rater.pseudonym,
        row.cursor,
        stored.response.time,
        row.answered + 1,
        stored.record,
        row.quota,
        "active" if stored.active else "removed",
    )
    if not stored.active or campaign.state != "open":
        return None
    scope = SearchScope(row.late, row.labels, row.checks, row.own)
    tasks = hand_out(db, connection, campaign, rater, working, scope, may_hold=row.holds_more)
    if not tasks:
        return None
    previous = _answered(stored) if KnownPast.of(rules).may_correct(stored.item) else None
    return desk_of(db, connection, campaign, working, tasks, previous, stored.receipt.feedback)


def _answered(stored: Stored) -> Task:
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


__all__ = [
    "NotOpen",
    "NotYours",
    "Receipt",
    "Seen",
    "Stored",
    "Turn",
    "Underived",
    "item",
    "items",
    "latest_responses",
    "respond",
    "stored",
    "take_turn",
]
