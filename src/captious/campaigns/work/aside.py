"""What a rater does with an item that they do not answer: skip it, say why they cannot, tell the lead.

An item that is put aside goes back to the pool. Who skipped it meets it again when they ask for it; who
cannot judge it, or sees no image, does not. Once as many raters as the settings say could not judge it,
it is set aside for all until the lead puts it back. The lead's list of notes is read here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import orjson
from sqlalchemy import Connection, and_, delete, false, func, insert, select, true, update

from captious.campaigns.records import Campaign, NotYours, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import is_storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow, item_columns, item_of
from captious.campaigns.work.assignment import working_rater
from captious.campaigns.work.claims import give_back
from captious.campaigns.work.pool import skipped_ids
from captious.campaigns.work.pool_queries import FORGET_RUNS, SKIPPED
from captious.errors import InputError

Aside = Literal["skip", "cannot", "image"]
ASIDES: tuple[Aside, ...] = ("skip", "cannot", "image")
REASONS = ("cannot", "image")
NOTE = "note"
LONGEST_NOTE = 2000
MOST_NOTES = 500


def put_aside(
    db: Database,
    rater: Rater,
    token: str,
    kind: Aside,
    *,
    text: str = "",
    draft: Mapping[str, object] | None = None,
) -> None:
    """Give a task back unanswered, with the reason; what was filled in is kept as a draft."""
    _check(text)
    kept = None if not draft else orjson.dumps(dict(draft)).decode()

    def work(connection: Connection) -> None:
        campaign, _ = working_rater(connection, rater, db.now(), lock=True)
        slot = _slot(connection, rater, token)
        if slot.state != "held":
            raise InputError("this task is no longer assigned to you. Go back to your work.")
        table = schema.assignment
        if kept is not None:
            connection.execute(update(table).where(table.c.id == slot.id).values(draft=orjson.loads(kept)))
        give_back(connection, campaign.id, [slot], "released")
        _keep_away(connection, rater, slot, kind)
        _write(connection, campaign, rater, slot.item_id, kind, text, db.now())
        if kind in REASONS:
            _set_aside(connection, campaign, slot.item_id)
        _show_next(connection, rater, slot, db.now())

    db.transact(work)
    db.left.pop(rater.id, None)


def tell(db: Database, rater: Rater, token: str, text: str) -> None:
    """A note to those who run the campaign about a task; the task stays as it is."""
    if not text.strip():
        raise InputError("note: it is empty. Write what the organisers should know.")
    _check(text)

    def work(connection: Connection) -> None:
        campaign, _ = working_rater(connection, rater, db.now(), lock=True)
        _write(connection, campaign, rater, _slot(connection, rater, token).item_id, NOTE, text, db.now())

    db.transact(work)


def skipped(db: Database, rater: Rater) -> int:
    """How many items the rater has skipped and would meet again if they asked."""
    with db.read() as connection:
        return len(skipped_ids(connection, rater.id))


def bring_back(db: Database, rater: Rater) -> int:
    """Let the rater meet what they skipped; how many items."""

    def work(connection: Connection) -> int:
        ids = skipped_ids(connection, rater.id)
        table, item = schema.item_rater, schema.item
        own = and_(table.c.rater_id == rater.id, table.c.item_id.in_(ids))
        limited = table.c.item_id.in_(
            select(item.c.id).where(item.c.id.in_(ids), item.c.restricted == true())
        )
        connection.execute(update(table).where(own, limited).values(allowed=True, not_before=0.0))
        connection.execute(delete(table).where(own, table.c.allowed == false()))
        FORGET_RUNS.change(connection, {"rater": rater.id})
        return len(ids)

    count = db.transact(work)
    db.left.pop(rater.id, None)
    return count


def settle(db: Database, campaign: Campaign, note_id: int, *, put_back: bool, actor: str) -> None:
    """The lead has read a note; with `put_back` its item is handed out again, and its notes are settled."""
    table, item = schema.note, schema.item
    with db.write() as connection:
        wanted = select(table.c.item_id).where(table.c.id == note_id, table.c.campaign_id == campaign.id)
        item_id = connection.execute(wanted).scalar()
        if item_id is None:
            raise InputError(f"note {note_id}: this campaign has none of that number.")
        which = table.c.item_id == item_id if put_back else table.c.id == note_id
        connection.execute(
            update(table)
            .where(which, table.c.settled_at.is_(None))
            .values(settled_by=actor, settled_at=db.now())
        )
        if put_back:
            connection.execute(update(item).where(item.c.id == item_id).values(closed=false()))
        log.record(
            connection,
            actor,
            "put back item" if put_back else "settle note",
            time=db.now(),
            campaign_id=campaign.id,
            subject=str(note_id),
        )
    db.left.clear()


def _check(text: str) -> None:
    if len(text) > LONGEST_NOTE or not is_storable(text):
        raise InputError(f"note: use {LONGEST_NOTE:,} plain characters at most.")


def _slot(connection: Connection, rater: Rater, token: str) -> AnyRow:
    table = schema.assignment
    if not is_storable(token):
        raise NotYours
    wanted = (
        select(table.c.id, table.c.item_id, table.c.state, table.c.group_no)
        .where(table.c.token == token, table.c.rater_id == rater.id)
        .with_for_update(of=table)
    )
    row = connection.execute(wanted).first()
    if row is None:
        raise NotYours
    return row


def _keep_away(connection: Connection, rater: Rater, slot: AnyRow, kind: Aside) -> None:
    """The item does not come back to the rater: until they ask for it, or at all."""
    table = schema.item_rater
    own = and_(table.c.item_id == slot.item_id, table.c.rater_id == rater.id)
    connection.execute(delete(table).where(own))
    values = {"item_id": slot.item_id, "rater_id": rater.id, "allowed": False}
    connection.execute(insert(table).values(**values, not_before=SKIPPED if kind == "skip" else 0.0))


def _write(
    connection: Connection, campaign: Campaign, rater: Rater, item: int, kind: str, text: str, now: float
) -> None:
    values = {"campaign_id": campaign.id, "rater_id": rater.id, "item_id": item, "kind": kind}
    connection.execute(insert(schema.note).values(**values, text=text.strip(), time=now))


def _set_aside(connection: Connection, campaign: Campaign, item_id: int) -> None:
    table, item = schema.note, schema.item
    wanted = select(func.count(table.c.rater_id.distinct())).where(
        table.c.item_id == item_id, table.c.kind.in_(REASONS), table.c.settled_at.is_(None)
    )
    most = campaign.settings.set_aside_after
    if most and int(connection.execute(wanted).scalar_one()) >= most:
        connection.execute(update(item).where(item.c.id == item_id).values(closed=true()))


def _show_next(connection: Connection, rater: Rater, slot: AnyRow, now: float) -> None:
    """The next of the group is what the rater sees now."""
    table = schema.assignment
    held = and_(table.c.rater_id == rater.id, table.c.state == "held", table.c.group_no == slot.group_no)
    first = select(table.c.id).where(held).order_by(table.c.position).limit(1).scalar_subquery()
    connection.execute(
        update(table).where(table.c.id == first, table.c.shown_at.is_(None)).values(shown_at=now)
    )


@dataclass(frozen=True)
class Note:
    """One note. `set_aside`: its item is handed out to nobody until it is put back."""

    id: int
    kind: str
    text: str
    time: float
    rater: str
    item: str
    image: str
    captions: tuple[str, ...]
    set_aside: bool
    settled_by: str
    settled_at: float | None


def notes(db: Database, campaign: Campaign, *, limit: int | None = None) -> list[Note]:
    """The notes of a campaign, newest first."""
    note, item, rater = schema.note, schema.item, schema.rater
    wanted = (
        select(note, rater.c.pseudonym, item.c.closed, *item_columns)
        .join(item, item.c.id == note.c.item_id)
        .join(rater, rater.c.id == note.c.rater_id)
        .where(note.c.campaign_id == campaign.id)
        .order_by(note.c.id.desc())
        .limit(limit)
    )
    with db.read() as connection:
        rows = connection.execute(wanted).all()
        items = [item_of(db, connection, row) for row in rows]
    return [
        Note(
            id=row.id,
            kind=row.kind,
            text=row.text,
            time=row.time,
            rater=row.pseudonym,
            item=one.key,
            image=one.image,
            captions=tuple(caption.text for caption in one.captions),
            set_aside=bool(row.closed) and row.kind in REASONS,
            settled_by=row.settled_by,
            settled_at=row.settled_at,
        )
        for row, one in zip(rows, items, strict=True)
    ]
