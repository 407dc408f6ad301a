"""Answers come in: checked by the protocol, stored once, counted once, never changed.

`respond` returns after the transaction is on disk. The log of responses is append-only; a
correction is a new row that names the one it replaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from captious.campaigns.records import NotOpen, NotYours, Rater, Receipt, SignedOut, Source
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.store.rows import AnyRow, campaign_from, item_of
from captious.campaigns.store.storable import is_storable
from captious.campaigns.work import response_queries as queries
from captious.campaigns.work.answer_checks import Answers, check_key, checked_answers, seconds_taken
from captious.campaigns.work.reading import item, items, latest_responses, stored
from captious.campaigns.work.response_log import (
    CAMPAIGN_COLUMNS,
    Seen,
    Sent,
    Stored,
    earlier_receipt,
    repeated_receipt,
    store,
)
from captious.protocols import HumanProtocol, Item, Problem


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
    check_key(key)
    with db.read() as connection:
        task = queries.TASK.first(connection, _own(rater, token))
        if task is None:
            raise NotYours
        asked = item_of(db, connection, task)
    now = db.now()
    campaign = campaign_from(*task[-CAMPAIGN_COLUMNS:])
    given = answers(asked) if callable(answers) else answers
    checked, problems = checked_answers(db, campaign, rater, asked, given, task.shown_at, now, source)
    if isinstance(checked, list) or problems:
        # Whether the key is known is asked again where the answer is stored.
        with db.read() as connection:
            return earlier_receipt(connection, rater, key) or problems
    if source == "simulated":
        derived = campaign.rules().simulated_derive(asked, checked)
    else:
        derived = campaign.rules().derive(asked, checked, lambda name: recording_file(db, campaign, name)[0])
    response = replace(checked, derived=derived) if derived else checked
    took, measured = seconds_taken(seconds, task.shown_at, now), seconds is not None
    sent = Sent(campaign, rater, asked, response, key, took, source, seen, measured)

    def work(connection: Connection) -> Receipt | list[Problem]:
        row = _standing(connection, rater, token, key, now)
        found = store(connection, sent, row)
        return found.receipt if isinstance(found, Stored) else found

    return db.transact(work)


def respond_within(
    db: Database,
    connection: Connection,
    rater: Rater,
    token: str,
    answers: Callable[[Item], Answers],
    *,
    key: str,
    slug: str,
    source: Source = "web",
    seen: Seen | None = None,
    session: str = "",
) -> Stored | Receipt | list[Problem] | None:
    """As `respond`, all of it in a transaction that is open; the campaign must be that of `slug`.

    A receipt is that of an earlier answer with the same key. None where the protocol derives
    something from responses: that may take long. `session` is the digest of the rater's session
    where nobody has looked yet whether it is alive: if it is not, `SignedOut` is raised.
    """
    check_key(key)
    now = db.now()
    row = _standing(connection, rater, token, key, now, session)
    if session and not row.signed_in:
        raise SignedOut
    campaign, asked = campaign_from(*row[-CAMPAIGN_COLUMNS:]), item_of(db, connection, row)
    if campaign.slug != slug:
        raise NotYours
    if derives(campaign.rules()):
        return None
    checked, problems = checked_answers(db, campaign, rater, asked, answers(asked), row.shown_at, now, source)
    if isinstance(checked, list) or problems:
        return repeated_receipt(row.earlier_id, row.earlier_kind) if row.earlier_id is not None else problems
    sent = Sent(campaign, rater, asked, checked, key, seconds_taken(None, row.shown_at, now), source, seen)
    return store(connection, sent, row)


def derives(rules: HumanProtocol) -> bool:
    """Whether a machine works on responses before they are stored, which may take long."""
    return type(rules).derive is not HumanProtocol.derive


def _own(rater: Rater, token: str) -> dict[str, Any]:
    if not is_storable(token):
        raise NotYours
    return {"rater": rater.id, "token": token}


def _standing(
    connection: Connection, rater: Rater, token: str, key: str, now: float, session: str = ""
) -> AnyRow:
    given = {**_own(rater, token), "sent_key": key, "now": now, "session": session}
    row = queries.STANDING.first(connection, given)
    if row is None:
        raise NotYours
    return row


__all__ = [
    "NotOpen",
    "NotYours",
    "Receipt",
    "Seen",
    "Stored",
    "derives",
    "item",
    "items",
    "latest_responses",
    "respond",
    "respond_within",
    "stored",
]
