"""The log of responses: a valid answer is appended once, counted once, and never changed.

All that it brings about is written here, in the same transaction: counters, the rater's record, an item's
target, items of the next stage, and the removal of a rater who fails an attention check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, bindparam, delete, exists, false, func, select, true, update
from sqlalchemy.exc import IntegrityError

from captious.campaigns.quality import flags
from captious.campaigns.quality.rules import ATTENTION, attention_rule
from captious.campaigns.records import AnsweredAlready, Campaign, NotOpen, Rater, Receipt, Source
from captious.campaigns.store import log, schema
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import AnyRow, add_item, add_limits, content_of
from captious.campaigns.store.writer import LostRaceError
from captious.campaigns.work import response_queries as queries
from captious.campaigns.work.assignment import next_stage_begun
from captious.campaigns.work.pool import change_label
from captious.campaigns.work.reading import kept_with
from captious.campaigns.work.removal import give_back, take_out
from captious.protocols import Item, Problem, Response
from captious.protocols.base import Outcome, Past
from captious.protocols.capabilities import KnownPast

# A row ends with the columns of its campaign.
CAMPAIGN_COLUMNS = len(schema.campaign.c)
CAMPAIGN_STATE = list(schema.campaign.c.keys()).index("state")
LONGEST_SECONDS = 24 * 3600.0
_THERE = Prepared(
    select(schema.item.c.id, schema.item.c.taken, schema.item.c.closed, schema.item.c.from_response)
    .where(schema.item.c.campaign_id == bindparam("campaign"), schema.item.c.key == bindparam("item"))
    .with_for_update()
)


class Seen(NamedTuple):
    """What a page showed: the response that its answers replace (None: there was none), and the

    questions whose preset answer the rater has not touched.
    """

    replaces: int | None = None
    untouched: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Sent:
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


def store(connection: Connection, sent: Sent, row: AnyRow) -> Stored | Receipt | list[Problem]:
    """Append an answer. A receipt is that of an earlier answer with the same key; problems refuse it."""
    replaces = row.response_id
    if row.earlier_id is not None:
        return repeated_receipt(row.earlier_id, row.earlier_kind)
    if replaces is None:
        _check_open(row, sent.response.time)
    else:
        found = _correction(connection, sent, row)
        if not isinstance(found, Sent):
            return found
        sent = found
    rules = sent.campaign.rules()
    record = orjson.loads(row.record) if row.record else {}
    past = Past(_others(connection, sent, row.item_id), record, row.answered, sent.seconds)
    outcome = KnownPast.of(rules).outcome(sent.item, sent.response, past)
    if isinstance(outcome, list):
        return outcome
    active = row.rater_state == "active"
    if active and replaces is None:
        statement = queries.STORE_AGAIN if _again(row) else queries.STORE
        response_id = _insert(connection, statement, sent, row, outcome)
    else:
        response_id = _insert(connection, queries.INSERT, sent, row, outcome)
        queries.CLOSE_SLOT.change(connection, {"slot": row.slot, "response": response_id})
        if replaces is None:
            _count_for_nothing(connection, sent, row)
    _bring_about(connection, sent, row, outcome)
    if active and replaces is None:
        _free_limits(connection, sent, row)
    if active:
        _add_follow_ups(
            connection,
            sent.campaign,
            sent.item,
            sent.response,
            response_id,
            replaces,
            form_id=row.item_form_id,
            rater_id=sent.rater.id,
        )
        active = not _remove_if_failed(connection, sent.campaign, sent.rater, sent.item, sent.response)
    receipt = Receipt(response_id, False, replaces is not None, outcome.feedback)
    kept = record if outcome.record is None else dict(outcome.record)
    return Stored(receipt, sent.campaign, sent.item, sent.response, row, kept, active)


def _correction(connection: Connection, sent: Sent, row: AnyRow) -> Sent | Receipt | list[Problem]:
    """A correction as it is stored, with its own time; else what it is or why it is refused."""
    # Who waited for the lock sees what was stored meanwhile only if it is asked for again.
    earlier = earlier_receipt(connection, sent.rater, sent.key)
    if earlier is not None:
        return earlier
    if sent.seen is not None and sent.seen.replaces != row.response_id:
        raise AnsweredAlready(row.response_id)
    _check_open(row, sent.response.time)
    if next_stage_begun(connection, row.response_id):
        return [Problem("", "The next rater already works with this answer: it can no longer be changed.")]
    if not KnownPast.of(sent.campaign.rules()).may_correct(sent.item):
        return [Problem("", "This answer can no longer be changed.")]
    if sent.measured:
        return sent
    # Known only where the answer has been opened again.
    came: float = queries.CAME.value(connection, {"response": row.response_id})
    opened = row.shown_at is not None and row.shown_at > came
    return replace(sent, seconds=seconds_taken(None, row.shown_at, sent.response.time) if opened else None)


def earlier_receipt(connection: Connection, rater: Rater, key: str) -> Receipt | None:
    """The receipt of what the rater sent with this key before."""
    given = {"campaign": rater.campaign_id, "rater": rater.id, "sent_key": key}
    row = queries.EARLIER.first(connection, given)
    return None if row is None else repeated_receipt(*row)


def repeated_receipt(response_id: int, kind: str) -> Receipt:
    """The receipt of a response that was stored before."""
    return Receipt(response_id, duplicate=True, correction=kind == "correction")


def _others(connection: Connection, sent: Sent, item_id: int) -> tuple[Response, ...]:
    """The others' responses to the item that count; nobody adds one until this one is stored."""
    if not KnownPast.of(sent.campaign.rules()).reads_past:
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


def _bring_about(connection: Connection, sent: Sent, row: AnyRow, outcome: Outcome) -> None:
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


def _insert(connection: Connection, statement: Prepared, sent: Sent, row: AnyRow, outcome: Outcome) -> int:
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


def _untouched(sent: Sent) -> str | None:
    """The questions whose preset or earlier answer was left as it was, as JSON; None where there are none."""
    prior = sent.item.prior
    claimed = sent.seen.untouched if sent.seen is not None else ()
    found = [
        field.name
        for field in sent.item.form.fields
        if field.name in claimed
        and (answer := sent.response.answers.get(field.name)) is not None
        and answer in (prior.get(field.name), field.fine if field.preset else None)
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


def _count_for_nothing(connection: Connection, sent: Sent, row: AnyRow) -> None:
    """A first answer that does not count: its item is free for someone whose answers do."""
    if row.slot_state == "held":
        give_back(connection, sent.campaign.id, row.item_id, sent.item)
    given = {"rater": sent.rater.id, "spent": sent.seconds or 0.0, "now": sent.response.time}
    queries.COUNT_RATER.change(connection, given)


def _free_limits(connection: Connection, sent: Sent, row: AnyRow) -> None:
    """What a first answer changes beside the counters of its item."""
    _drop_limit(connection, sent.item, row.item_id, sent.rater.id)
    if _again(row) and sent.item.counts:
        change_label(connection, sent.campaign.id, sent.item.balance, 1)


def seconds_taken(given: float | None, shown_at: float | None, now: float) -> float | None:
    """How long the rater took: as the page measured it, else since the task was shown."""
    if given is None or not given >= 0:
        if shown_at is None:
            return None
        given = max(0.0, now - shown_at)
    return min(given, LONGEST_SECONDS)


def _add_follow_ups(
    connection: Connection,
    campaign: Campaign,
    item: Item,
    response: Response,
    response_id: int,
    replaces: int | None,
    *,
    form_id: int,
    rater_id: int,
) -> None:
    """Store what a response calls for.

    Where the item is there already and nobody has begun it, it is brought up to date if this
    response corrects the one that called for it, or if that one no longer counts.
    """
    table = schema.item
    raters = {response.rater: rater_id}
    for new in campaign.rules().follow_ups(item, response):
        made = add_item(
            connection, campaign, new, from_response=response_id, form=(item.form, form_id), raters=raters
        )
        if made:
            continue
        there = _THERE.first(connection, {"campaign": campaign.id, "item": new.key})
        if there is None:
            raise LostRaceError
        if there.taken == 0 and (there.closed or there.from_response == replaces):
            connection.execute(
                update(table)
                .where(table.c.id == there.id)
                .values(
                    content=content_of(new),
                    not_before=new.not_before,
                    closed=false(),
                    from_response=response_id,
                )
            )
            limit = schema.item_rater
            connection.execute(delete(limit).where(limit.c.item_id == there.id))
            add_limits(connection, campaign, [new], raters)


def _drop_limit(connection: Connection, item: Item, item_id: int, rater_id: int) -> None:
    """A rater who has answered an item that was for them alone need not find it again."""
    if item.only_for is not None:
        table = schema.item_rater
        connection.execute(
            delete(table).where(
                table.c.item_id == item_id, table.c.rater_id == rater_id, table.c.allowed == true()
            )
        )


def _remove_if_failed(
    connection: Connection, campaign: Campaign, rater: Rater, item: Item, response: Response
) -> bool:
    """Remove the rater where the protocol says so, with a flag that can be dismissed.

    Whoever has been taken back after such a flag was dismissed stays.
    """
    if not item.check or not campaign.rules().removed_raters([item], [response]):
        return False
    if _flagged(connection, rater.id):
        return False
    finding = attention_rule([item.key], _checks_answered(connection, rater.id) - 1)
    if finding is None:
        return False
    reason = flags.reason_of(finding.rule, finding.explanation)
    take_out(connection, rater.id, "removed", reason)
    flags.add(connection, campaign.id, rater.id, finding, time=response.time, removed=True)
    log.record(
        connection,
        flags.BY_RULE,
        "remove rater",
        time=response.time,
        campaign_id=campaign.id,
        subject=rater.pseudonym,
        detail={"reason": reason},
    )
    return True


def _flagged(connection: Connection, rater_id: int) -> bool:
    table = schema.flag
    flagged = exists().where(table.c.rater_id == rater_id, table.c.rule == ATTENTION)
    return bool(connection.execute(select(flagged)).scalar())


def _checks_answered(connection: Connection, rater_id: int) -> int:
    assignment, item = schema.assignment, schema.item
    wanted = (
        select(func.count())
        .select_from(assignment.join(item, item.c.id == assignment.c.item_id))
        .where(assignment.c.rater_id == rater_id, assignment.c.state == "answered", item.c.is_check == true())
    )
    return int(connection.execute(wanted).scalar_one())
