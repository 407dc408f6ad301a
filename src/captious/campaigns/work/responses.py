"""Answers come in: checked by the protocol, stored once, counted once, never changed.

`respond` returns after the transaction is on disk. The log of responses is append-only; a
correction is a new row that names the one it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from captious.campaigns.records import Campaign, NotOpen, NotYours, Rater, Receipt, Source
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.store.rows import AnyRow, campaign_from, is_storable, item_of
from captious.campaigns.work import response_queries as queries
from captious.campaigns.work.assignment import next_stage_begun
from captious.campaigns.work.attention import remove_if_failed
from captious.campaigns.work.counted import kept_with
from captious.campaigns.work.follow_ups import add_follow_ups, drop_limit
from captious.campaigns.work.reading import item, items, latest_responses, stored
from captious.campaigns.work.removal import change_label
from captious.errors import InputError
from captious.protocols import Item, Problem, Response
from captious.protocols.base import Outcome, Past

Answers = Mapping[str, object]
LONGEST_KEY = 200
LONGEST_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class _Sent:
    """A valid answer on its way in."""

    campaign: Campaign
    rater: Rater
    token: str
    item_id: int
    form_id: int
    item: Item
    response: Response
    key: str
    seconds: float | None
    source: Source


def respond(
    db: Database,
    rater: Rater,
    token: str,
    answers: Answers | Callable[[Item], Answers],
    *,
    key: str,
    seconds: float | None = None,
    source: Source = "web",
) -> Receipt | list[Problem]:
    """Store a rater's answers to a task, or say what is wrong with them, a line a field.

    `answers` may be a function that reads them once the item, and with it the form, is known.
    The same `key` again returns the first receipt, whatever the answers. Another answer to an
    answered task is a correction. An answer that comes after its slot was given back is stored and
    counted all the same; one of a removed rater is stored and not counted.
    """
    _check_key(key)
    with db.read() as connection:
        campaign, task = _task(connection, rater, token)
        asked = item_of(db, connection, task)
    now = db.now()
    given = answers(asked) if callable(answers) else answers
    rules = campaign.rules()
    checked = rules.validate(asked, given, rater=rater.pseudonym, time=now)
    shown_at = task._mapping[schema.assignment.c.shown_at]
    problems = checked if isinstance(checked, list) else _unstorable(checked)
    if not isinstance(checked, list):
        problems += _not_kept(db, campaign, asked, checked)
    if source in ("web", "api"):
        problems = [*problems, *_too_early(rules.minimum_seconds(asked), shown_at, now)]
    if isinstance(checked, list) or problems:
        # Whether the key is known is asked again where the answer is stored.
        with db.read() as connection:
            return _earlier(connection, rater, key) or problems
    derived = rules.derive(asked, checked, lambda name: recording_file(db, campaign, name)[0])
    sent = _Sent(
        campaign,
        rater,
        token,
        task._mapping[schema.item.c.id],
        task._mapping[schema.item.c.form_id],
        asked,
        replace(checked, derived=derived) if derived else checked,
        key,
        _seconds(seconds, shown_at, now),
        source,
    )
    return db.transact(lambda connection: _store(connection, sent))


def _check_key(key: str) -> None:
    if not key or len(key) > LONGEST_KEY or not is_storable(key):
        raise InputError(f"key: give 1 to {LONGEST_KEY} plain characters, new for each answer.")


def _earlier(connection: Connection, rater: Rater, key: str) -> Receipt | None:
    given = {"campaign": rater.campaign_id, "rater": rater.id, "sent_key": key}
    row = connection.execute(queries.EARLIER, given).first()
    if row is None:
        return None
    return Receipt(row.id, duplicate=True, correction=row.kind == "correction")


def _task(connection: Connection, rater: Rater, token: str) -> tuple[Campaign, AnyRow]:
    if not is_storable(token):
        raise NotYours
    given = {"rater": rater.id, "token": token}
    row = connection.execute(queries.TASK, given).first()
    if row is None:
        raise NotYours
    columns = {column.name: row._mapping[column] for column in schema.campaign.c}
    return campaign_from(columns), row


def _unstorable(response: Response) -> list[Problem]:
    return [
        Problem(name, "The text holds a character that cannot be stored. Remove it.")
        for name, answer in response.answers.items()
        if isinstance(answer, str) and not is_storable(answer)
    ]


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


def _store(connection: Connection, sent: _Sent) -> Receipt | list[Problem]:
    # The rater's row is locked first: one rater's answers come in one by one.
    state, answered, record = connection.execute(queries.LOCK_RATER, {"rater": sent.rater.id}).one()
    earlier = _earlier(connection, sent.rater, sent.key)
    if earlier is not None:
        return earlier
    given = {"rater": sent.rater.id, "token": sent.token}
    slot = connection.execute(queries.SLOT, given).one()
    _check_open(slot, sent.response.time)
    replaces = slot.response_id
    if replaces is not None and next_stage_begun(connection, replaces):
        message = "The next rater has begun with this answer: it can no longer be changed."
        return [Problem("", message)]
    rules = sent.campaign.rules()
    if replaces is not None and not rules.may_correct(sent.item):
        return [Problem("", "This answer can no longer be changed.")]
    past = Past(_others(connection, sent), record or {}, answered, sent.seconds)
    outcome = rules.outcome(sent.item, sent.response, past)
    if isinstance(outcome, list):
        return outcome
    response_id = _insert(connection, sent, slot.id, replaces, outcome)
    _bring_about(connection, sent, outcome)
    if replaces is None:
        _count(connection, sent, slot.state, counts=state == "active")
    _close_slot(connection, sent, slot, response_id)
    if state == "active":
        add_follow_ups(
            connection,
            sent.campaign,
            sent.item,
            sent.response,
            response_id,
            replaces,
            form_id=sent.form_id,
            rater_id=sent.rater.id,
        )
        remove_if_failed(connection, sent.campaign, sent.rater, sent.item, sent.response)
    return Receipt(response_id, duplicate=False, correction=replaces is not None, feedback=outcome.feedback)


def _others(connection: Connection, sent: _Sent) -> tuple[Response, ...]:
    """The others' responses to the item that count; nobody adds one until this one is stored."""
    if not sent.campaign.rules().reads_past:
        return ()
    given = {"item": sent.item_id, "rater": sent.rater.id}
    if connection.dialect.name != "sqlite":
        connection.execute(queries.LOCK_ITEM, {"item": sent.item_id})
    rows = connection.execute(queries.OTHERS, given)
    return tuple(
        Response(sent.item.key, answers, name, time, **kept_with(outcome))
        for answers, name, time, outcome in rows
    )


def _bring_about(connection: Connection, sent: _Sent, outcome: Outcome) -> None:
    if outcome.record is not None:
        connection.execute(queries.RECORD, {"rater": sent.rater.id, "record": dict(outcome.record)})
    if outcome.target is not None:
        connection.execute(queries.TARGET, {"item": sent.item_id, "target": outcome.target})


def _check_open(slot: AnyRow, now: float) -> None:
    closed = slot.campaign_state == "closed"
    if closed and (slot.state != "held" or slot.held_until < now):
        raise NotOpen("this campaign is closed and takes no more answers. Thank you for your help.")


def _insert(
    connection: Connection, sent: _Sent, assignment_id: int, replaces: int | None, outcome: Outcome
) -> int:
    values = {
        "campaign_id": sent.campaign.id,
        "item_id": sent.item_id,
        "rater_id": sent.rater.id,
        "assignment_id": assignment_id,
        "key": sent.key,
        "answers": sent.response.answers,
        "hints": list(sent.response.hints),
        "time": sent.response.time,
        "seconds": sent.seconds,
        "kind": "answer" if replaces is None else "correction",
        "replaces": replaces,
        "source": sent.source,
        "outcome": _kept(sent.response, outcome),
    }
    return int(connection.execute(queries.INSERT, values).scalar_one())


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


def _count(connection: Connection, sent: _Sent, slot_state: str, *, counts: bool) -> None:
    """Count a first answer; a slot that had been given back is taken again, beyond the target."""
    if counts:
        again = 0 if slot_state == "held" else 1
        connection.execute(queries.COUNT_ITEM, {"item": sent.item_id, "again": again})
        drop_limit(connection, sent.item, sent.item_id, sent.rater.id)
        if again and sent.item.counts:
            change_label(connection, sent.campaign.id, sent.item.balance, 1)
    given = {"rater": sent.rater.id, "took": sent.seconds or 0.0, "now": sent.response.time}
    connection.execute(queries.COUNT_RATER, given)


def _close_slot(connection: Connection, sent: _Sent, slot: AnyRow, response_id: int) -> None:
    connection.execute(queries.CLOSE_SLOT, {"slot": slot.id, "response": response_id})
    # The next of the group is what the rater sees now.
    given = {
        "rater": sent.rater.id,
        "group": slot.group_no,
        "next": slot.position + 1,
        "now": sent.response.time,
    }
    if sent.campaign.rules().group_size > 1:
        connection.execute(queries.SHOW_NEXT, given)


__all__ = ["NotOpen", "NotYours", "Receipt", "item", "items", "latest_responses", "respond", "stored"]
