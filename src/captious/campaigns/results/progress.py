"""How far a campaign was at each time, from the responses that stand, and a forecast."""

from __future__ import annotations

from sqlalchemy import select

from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis
from captious.campaigns.results.course import progress_table
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.campaigns.work.reading import ACTIVE
from captious.tables.values import to_dict

PROGRESS = "progress"


def standing_times(db: Database, campaign: Campaign) -> list[float]:
    """When the responses that stand came in, in order: what `overview` counts as done."""
    response, slot, item, rater = schema.response, schema.assignment, schema.item, schema.rater
    wanted = (
        select(response.c.time)
        .select_from(
            slot.join(response, response.c.id == slot.c.response_id)
            .join(item, item.c.id == slot.c.item_id)
            .join(rater, rater.c.id == slot.c.rater_id)
        )
        .where(
            slot.c.campaign_id == campaign.id,
            rater.c.state == ACTIVE,
            item.c.is_check.is_(False),
            item.c.closed.is_(False),
        )
    )
    with db.read() as connection:
        return sorted(float(time) for time in connection.execute(wanted).scalars())


def progress(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """The course of the work as a table with a chart, kept with its time."""

    def compute() -> Content:
        view = analysis.overview(db, campaign)
        times = standing_times(db, campaign)
        now = db.now() if campaign.state == "open" else (times[-1] if times else db.now())
        tables = progress_table(times, now, view.target)
        return {"tables": [to_dict(table) for table in tables], "responses": len(times)}

    return snapshots.current(db, campaign, PROGRESS, compute, fresh_within=fresh_within, wait=wait)
