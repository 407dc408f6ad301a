"""Answers come in: checked by the protocol, stored once, counted once, never changed.

`respond` returns after the transaction is on disk. The log of responses is append-only; a
correction is a new row that names the one it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from captious.campaigns.records import (
    AnsweredAlready,
    Campaign,
    NotOpen,
    NotYours,
    Rater,
    Receipt,
    SignedOut,
    Source,
)
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.races import LostRaceError
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.store.rows import AnyRow, campaign_from, is_storable, item_of, unstorable
from captious.campaigns.work import response_queries as queries
from captious.campaigns.work.assignment import next_stage_begun
from captious.campaigns.work.attention import remove_if_failed
from captious.campaigns.work.counted import kept_with
from captious.campaigns.work.follow_ups import add_follow_ups, drop_limit
from captious.campaigns.work.reading import item, items, latest_responses, stored
from captious.campaigns.work.removal import change_label, give_back
from captious.errors import InputError
from captious.protocols import HumanProtocol, Item, Problem, Response
from captious.protocols.base import Outcome, Past

Answers = Mapping[str, object]
LONGEST_KEY = 200
LONGEST_SECONDS = 24 * 3600.0
# A row ends with the columns of its campaign.
CAMPAIGN_COLUMNS = len(schema.campaign.c)
CAMPAIGN_STATE = list(schema.campaign.c.keys()).index("state")


class Seen(NamedTuple):
    """What a page showed: the response that its answers replace (None: there was none), and the

    questions whose preset answer the rater has not touched.
    """

    replaces: int | None = None
    untouched: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Sent:
    """A valid answer on its way in."""

    campaign: Campaign
    rater: Rater
    item: Item
    response: Response
    key: str
    seconds: float | None
    source: Source
    seen: Seen | None
    # Whether the caller measured `seconds`; else they run from when the task was shown.
    measured: bool = False


class Stored(NamedTuple):
    """An answer that was stored, and how its rater stands now: what the next task needs to know."""

    receipt: Receipt
    campaign: Campaign
    item: Item
    response: Response
    row: AnyRow
    record: Mapping[str, Any]
    active: bool


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
    checked, problems = _checked(db, campaign, rater, asked, given, task.shown_at, now, source)
    if isinstance(checked, list) or problems:
        # Whether the key is known is asked again where the answer is stored.
        with db.read() as connection:
            return _earlier(connection, rater, key) or problems
    derived = campaign.rules().derive(asked, checked, lambda name: recording_file(db, campaign, name)[0])
    response = replace(checked, derived=derived) if derived else checked
    took, measured = _seconds(seconds, task.shown_at, now), seconds is not None
    sent = _Sent(campaign, rater, asked, response, key, took, source, seen, measured)

    def work(connection: Connection) -> Receipt | list[Problem]:
        row = _standing(connection, rater, token, key, now)
        found = _store(connection, sent, row)
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
    checked, problems = _checked(db, campaign, rater, asked, answers(asked), row.shown_at, now, source)
    if isinstance(checked, list) or problems:
        return _receipt(row.earlier_id, row.earlier_kind) if row.earlier_id is not None else problems
    sent = _Sent(campaign, rater, asked, checked, key, _seconds(None, row.shown_at, now), source, seen)
    return _store(connection, sent, row)


def derives(rules: HumanProtocol) -> bool:
    """Whether a machine works on responses before they are stored, which may take long."""
    return type(rules).derive is not HumanProtocol.derive


def check_key(key: str) -> None:
    """Refuse a key that cannot be kept."""
    if not key or len(key) > LONGEST_KEY or not is_storable(key):
        raise InputError(f"key: give 1 to {LONGEST_KEY} plain characters, new for each answer.")


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


def _earlier(connection: Connection, rater: Rater, key: str) -> Receipt | None:
    given = {"campaign": rater.campaign_id, "rater": rater.id, "sent_key": key}
    row = queries.EARLIER.first(connection, given)
    return None if row is None else _receipt(*row)


def _receipt(response_id: int, kind: str) -> Receipt:
    return Receipt(response_id, duplicate=True, correction=kind == "correction")


def _checked(
    db: Database,
    campaign: Campaign,
    rater: Rater,
    asked: Item,
    given: Answers,
    shown_at: float | None,
    now: float,
    source: Source,
) -> tuple[Response | list[Problem], list[Problem]]:
    """What the protocol says of the answers, and everything that is wrong with them."""
    rules = campaign.rules()
    checked = rules.validate(asked, given, rater=rater.pseudonym, time=now)
    problems = checked if isinstance(checked, list) else unstorable(checked.answers)
    if not isinstance(checked, list):
        problems += _not_kept(db, campaign, asked, checked)
    if source in ("web", "api"):
        problems = [*problems, *_too_early(rules.minimum_seconds(asked), shown_at, now)]
    return checked, problems


def _not_kept(db: Database, campaign: Campaign, item: Item, response: Response) -> list[Problem]:
    """Recordings that are answered with and are not there."""
    spoken = [field.name for field in item.form.fields if field.kind == "audio"]
    found = []
    for name in spoken:
        if name in response.answers:
            try:
                recording_file(db, campaign, str(response.answers[name]))
            except InputError:
                found.append(Problem(name, "This recording is not here. Send it again."))
    return found


def _too_early(least: float, shown_at: float | None, now: float) -> list[Problem]:
    """Refuse an answer that came before the protocol lets anyone have looked long enough."""
    if not least or shown_at is None or now - shown_at >= least:
        return []
    return [Problem("", f"Look at it for {least:g} seconds at least, then answer.")]


def _seconds(given: float | None, shown_at: float | None, now: float) -> float | None:
    """How long the rater took: as the page measured it, else since the task was shown."""
    if given is None or not given >= 0:
        if shown_at is None:
            return None
        given = max(0.0, now - shown_at)
    return min(given, LONGEST_SECONDS)


def _correction(connection: Connection, sent: _Sent, row: AnyRow) -> _Sent | Receipt | list[Problem]:
    """A correction as it is stored, with its own time; else what it is or why it is refused."""
    # Who waited for the lock sees what was stored meanwhile only if it is asked for again.
    earlier = _earlier(connection, sent.rater, sent.key)
    if earlier is not None:
        return earlier
    if sent.seen is not None and sent.seen.replaces != row.response_id:
        raise AnsweredAlready(row.response_id)
    _check_open(row, sent.response.time)
    if next_stage_begun(connection, row.response_id):
        return [Problem("", "The next rater has begun with this answer: it can no longer be changed.")]
    if not sent.campaign.rules().may_correct(sent.item):
        return [Problem("", "This answer can no longer be changed.")]
    if sent.measured:
        return sent
    # Known only where the answer has been opened again.
    came: float = queries.CAME.value(connection, {"response": row.response_id})
    opened = row.shown_at is not None and row.shown_at > came
    return replace(sent, seconds=_seconds(None, row.shown_at, sent.response.time) if opened else None)


def _store(connection: Connection, sent: _Sent, row: AnyRow) -> Stored | Receipt | list[Problem]:
    replaces = row.response_id
    if row.earlier_id is not None:
        return _receipt(row.earlier_id, row.earlier_kind)
    if replaces is None:
        _check_open(row, sent.response.time)
    else:
        found = _correction(connection, sent, row)
        if not isinstance(found, _Sent):
            return found
        sent = found
    rules = sent.campaign.rules()
    record = orjson.loads(row.record) if row.record else {}
    past = Past(_others(connection, sent, row.item_id), record, row.answered, sent.seconds)
    outcome = rules.outcome(sent.item, sent.response, past)
    if isinstance(outcome, list):
        return outcome
    active = row.rater_state == "active"
    if connection.dialect.name == "sqlite" or not active or replaces is not None:
        response_id = _insert(connection, queries.INSERT, sent, row, outcome)
        if replaces is None:
            _count(connection, sent, row, counts=active)
        queries.CLOSE_SLOT.change(connection, {"slot": row.slot, "response": response_id})
    else:
        response_id = _insert(connection, queries.STORE, sent, row, outcome)
    _bring_about(connection, sent, row, outcome)
    if active and replaces is None:
        _free_limits(connection, sent, row)
    if active:
        add_follow_ups(
            connection,
            sent.campaign,
            sent.item,
            sent.response,
            response_id,
            replaces,
            form_id=row.item_form_id,
            rater_id=sent.rater.id,
        )
        active = not remove_if_failed(connection, sent.campaign, sent.rater, sent.item, sent.response)
    receipt = Receipt(response_id, False, replaces is not None, outcome.feedback)
    kept = record if outcome.record is None else dict(outcome.record)
    return Stored(receipt, sent.campaign, sent.item, sent.response, row, kept, active)


def _others(connection: Connection, sent: _Sent, item_id: int) -> tuple[Response, ...]:
    """The others' responses to the item that count; nobody adds one until this one is stored."""
    if not sent.campaign.rules().reads_past:
        return ()
    if connection.dialect.name != "sqlite":
        queries.LOCK_ITEM.first(connection, {"item": item_id})
    rows = queries.OTHERS.all(connection, {"item": item_id, "rater": sent.rater.id})
    return tuple(
        Response(
            sent.item.key,
            orjson.loads(answers),
            name,
            time,
            **kept_with(orjson.loads(outcome) if outcome else None),
        )
        for answers, name, time, outcome in rows
    )


def _bring_about(connection: Connection, sent: _Sent, row: AnyRow, outcome: Outcome) -> None:
    if sent.campaign.rules().group_size > 1:
        # The next of the group is what the rater sees now.
        given = {"rater": sent.rater.id, "group": row.group_no, "next": row.position + 1}
        queries.SHOW_NEXT.change(connection, given | {"now": sent.response.time})
    if outcome.record is not None:
        kept = orjson.dumps(dict(outcome.record)).decode()
        queries.RECORD.change(connection, {"rater": sent.rater.id, "kept": kept})
    if outcome.target is not None:
        queries.TARGET.change(connection, {"item": row.item_id, "aim": outcome.target})


def _check_open(row: AnyRow, now: float) -> None:
    # The campaign's own columns come last.
    closed = row[-CAMPAIGN_COLUMNS + CAMPAIGN_STATE] == "closed"
    if closed and (row.slot_state != "held" or row.held_until < now):
        raise NotOpen("this campaign is closed and takes no more answers. Thank you for your help.")


def _insert(connection: Connection, statement: Prepared, sent: _Sent, row: AnyRow, outcome: Outcome) -> int:
    kept = _kept(sent.response, outcome)
    values = {
        "campaign": sent.campaign.id,
        "item": row.item_id,
        "rater": sent.rater.id,
        "slot": row.slot,
        "sent_key": sent.key,
        "said": orjson.dumps(sent.response.answers).decode(),
        "shown_hints": orjson.dumps(sent.response.hints).decode(),
        "now": sent.response.time,
        "took": sent.seconds,
        "sort": "answer" if row.response_id is None else "correction",
        "before": row.response_id,
        "origin": sent.source,
        "brought": None if kept is None else orjson.dumps(kept).decode(),
        "left": _untouched(sent),
        "again": _again(row),
        "spent": sent.seconds or 0.0,
    }
    try:
        return int(statement.value(connection, values))
    except IntegrityError as error:
        if "uq_response_key" in str(error.orig):
            # The same answer was sent twice at the same moment: the other was stored.
            raise LostRaceError from None
        raise


def _untouched(sent: _Sent) -> str | None:
    """The questions whose preset answer was left as it was, as JSON; None where there are none."""
    claimed = sent.seen.untouched if sent.seen is not None else ()
    found = [
        field.name
        for field in sent.item.form.fields
        if field.preset and field.name in claimed and sent.response.answers.get(field.name) == field.fine
    ]
    return orjson.dumps(found).decode() if found else None


def _kept(response: Response, outcome: Outcome) -> dict[str, Any] | None:
    """What is stored of what a response brought about; nothing for most protocols."""
    found: dict[str, Any] = {}
    if outcome.feedback:
        found["feedback"] = list(outcome.feedback)
    if response.derived:
        found["derived"] = dict(response.derived)
    if outcome.noted:
        found["noted"] = dict(outcome.noted)
    return found or None


def _again(row: AnyRow) -> int:
    """A slot that had been given back is taken again, beyond the target."""
    return 0 if row.slot_state == "held" else 1


def _count(connection: Connection, sent: _Sent, row: AnyRow, *, counts: bool) -> None:
    """Count a first answer."""
    if counts:
        statement = queries.COUNT_AGAIN if _again(row) else queries.COUNT_ITEM
        statement.change(connection, {"item": row.item_id})
    elif row.slot_state == "held":
        # A rater whose answers do not count: the item is free for someone whose do.
        give_back(connection, sent.campaign.id, row.item_id, sent.item)
    given = {"rater": sent.rater.id, "took": sent.seconds or 0.0, "now": sent.response.time}
    queries.COUNT_RATER.change(connection, given)


def _free_limits(connection: Connection, sent: _Sent, row: AnyRow) -> None:
    """What a first answer changes beside the counters of its item."""
    drop_limit(connection, sent.item, row.item_id, sent.rater.id)
    if _again(row) and sent.item.counts:
        change_label(connection, sent.campaign.id, sent.item.balance, 1)


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
