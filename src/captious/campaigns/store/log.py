"""The audit log: who did what and when. Rows are only ever added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database


class Entry(NamedTuple):
    """One line of the log."""

    id: int
    time: float
    actor: str
    campaign_id: int | None
    action: str
    subject: str
    detail: dict[str, Any]


def record(
    connection: Connection,
    actor: str,
    action: str,
    *,
    time: float,
    campaign_id: int | None = None,
    subject: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a line in the transaction of what it tells of."""
    connection.execute(
        insert(schema.log).values(
            time=time,
            actor=actor,
            campaign_id=campaign_id,
            action=action,
            subject=subject,
            detail=dict(detail or {}),
        )
    )


def entries(
    db: Database, campaign: Campaign | None = None, *, limit: int = 100, before: int | None = None
) -> list[Entry]:
    """The newest lines, of one campaign or of all; `before` is the id where the last page ended."""
    table = schema.log
    wanted = select(table).order_by(table.c.id.desc()).limit(limit)
    if campaign is not None:
        wanted = wanted.where(table.c.campaign_id == campaign.id)
    if before is not None:
        wanted = wanted.where(table.c.id < before)
    with db.read() as connection:
        return [Entry(**row._mapping) for row in connection.execute(wanted)]
