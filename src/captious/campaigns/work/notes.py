"""What raters told those who run a campaign, newest first."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import item_columns, item_of
from captious.campaigns.work.aside import REASONS

MOST = 500


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


def open_notes(db: Database, campaign: Campaign) -> int:
    """How many notes wait for the lead; what was merely skipped does not."""
    table = schema.note
    wanted = select(func.count()).where(
        table.c.campaign_id == campaign.id, table.c.settled_at.is_(None), table.c.kind != "skip"
    )
    with db.read() as connection:
        return int(connection.execute(wanted).scalar_one())
