"""Consent: which text a rater agreed to and when; the log keeps every agreement."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, update

from captious.campaigns.records import Campaign, ConsentNeeded, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database


def agreed(connection: Connection, campaign: Campaign, rater: Rater, *, now: float) -> dict[str, Any]:
    """The columns of a rater who agrees to the text as it is now; the log keeps it beside earlier ones."""
    version = campaign.settings.consent_version
    log.record(
        connection,
        rater.pseudonym,
        "consent",
        time=now,
        campaign_id=campaign.id,
        subject=rater.pseudonym,
        detail={"version": version},
    )
    return {"consent_version": version, "consent_time": now}


def agree(db: Database, campaign: Campaign, rater: Rater, version: str) -> None:
    """Store that a rater agrees to the consent text of that version, which must be the one of now."""
    if version != campaign.settings.consent_version:
        raise ConsentNeeded
    table = schema.rater
    with db.write() as connection:
        values = agreed(connection, campaign, rater, now=db.now())
        connection.execute(update(table).where(table.c.id == rater.id).values(**values))
