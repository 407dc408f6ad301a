"""Statistics that take long, computed once and kept until something changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.errors import CaptiousError
from captious.tables import Table
from captious.tables.values import from_dict

Content = dict[str, Any]

_log = logging.getLogger(__name__)
_running: set[tuple[str, int, str]] = set()
_lock = threading.Lock()


class Marker(NamedTuple):
    """What a statistic was computed from: the last response and the last entry of the log.

    A removed rater or a decided flag leaves no response, but an entry in the log.
    """

    response: int
    entry: int


@dataclass(frozen=True)
class Snapshot:
    """A kept statistic. `stale`: something has changed since; `pending`: it is being computed.

    `time` is None where nothing has been computed yet.
    """

    kind: str
    time: float | None
    last_response_id: int
    content: Content
    stale: bool = False
    pending: bool = False

    def tables(self) -> list[Table]:
        """The tables of the content."""
        return [from_dict(one) for one in self.content.get("tables", [])]

    def charted(self) -> list[Table]:
        """What is drawn: the tables that say how."""
        return [table for table in (*self.tables(), *self.more()) if table.chart is not None]

    def more(self) -> list[Table]:
        """Tables beside those of the protocol: what is there to be drawn, labels from rater models."""
        return [from_dict(one) for one in self.content.get("more", [])]


def marker(db: Database, campaign: Campaign) -> Marker:
    """What a statistic that is computed now is computed from."""
    with db.read() as connection:
        return _marker(connection, campaign)


def _marker(connection: Connection, campaign: Campaign) -> Marker:
    last = [
        connection.execute(select(func.max(table.c.id)).where(table.c.campaign_id == campaign.id)).scalar()
        for table in (schema.response, schema.log)
    ]
    return Marker(last[0] or 0, last[1] or 0)


def latest(db: Database, campaign: Campaign, kind: str) -> Snapshot | None:
    """The kept statistic, however old; None where there is none."""
    kept = schema.snapshot
    with db.read() as connection:
        row = connection.execute(
            select(kept).where(kept.c.campaign_id == campaign.id, kept.c.kind == kind)
        ).one_or_none()
        now = _marker(connection, campaign)
    if row is None:
        return None
    seen = Marker(row.last_response_id, row.content.get("entry", 0))
    return Snapshot(kind, row.time, row.last_response_id, row.content, stale=seen != now)


def keep(db: Database, campaign: Campaign, kind: str, content: Content, seen: Marker) -> Snapshot:
    """Store a statistic in place of an earlier one."""
    with db.write() as connection:
        return keep_within(connection, campaign, kind, content, seen, now=db.now())


def keep_within(
    connection: Connection, campaign: Campaign, kind: str, content: Content, seen: Marker, *, now: float
) -> Snapshot:
    """As `keep`, in the caller's transaction."""
    row: dict[str, Any] = {
        "campaign_id": campaign.id,
        "kind": kind,
        "last_response_id": seen.response,
        "time": now,
        "content": content | {"entry": seen.entry},
    }
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    changed = {name: row[name] for name in ("last_response_id", "time", "content")}
    statement = insert(schema.snapshot).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["campaign_id", "kind"], set_=changed))
    return Snapshot(kind, now, seen.response, row["content"])


def current(
    db: Database,
    campaign: Campaign,
    kind: str,
    compute: Callable[[], Content],
    *,
    fresh_within: float = 10.0,
    wait: bool = True,
) -> Snapshot:
    """The statistic of now, or one that is at most `fresh_within` seconds old and says something.

    With `wait=False` an outdated one is returned at once and computed anew in the background.
    """
    found = latest(db, campaign, kind)
    if found is not None and not found.stale:
        return found
    recent = found is not None and found.time is not None and db.now() - found.time < fresh_within
    if found is not None and recent and found.content.get("tables", True):
        return found
    if wait:
        return _compute(db, campaign, kind, compute)
    _start(db, campaign, kind, compute)
    if found is None:
        return Snapshot(kind, None, 0, {}, stale=True, pending=True)
    return Snapshot(kind, found.time, found.last_response_id, found.content, True, True)


def _compute(db: Database, campaign: Campaign, kind: str, compute: Callable[[], Content]) -> Snapshot:
    seen = marker(db, campaign)
    return keep(db, campaign, kind, compute(), seen)


def _start(db: Database, campaign: Campaign, kind: str, compute: Callable[[], Content]) -> None:
    """Compute in a thread of its own, unless one is at it already."""
    key = (str(id(db)), campaign.id, kind)
    with _lock:
        if key in _running:
            return
        _running.add(key)

    def work() -> None:
        try:
            _compute(db, campaign, kind, compute)
        except CaptiousError as error:
            _log.warning("%s of %s: %s", kind, campaign.slug, error)
        finally:
            with _lock:
                _running.discard(key)

    threading.Thread(target=work, name=f"captious-{kind}-{campaign.slug}", daemon=True).start()
