"""What a rater still has to do before the first task: asked once, then remembered with the rater.

A rater's row says which `Settings.entry_version` they have been through. While it is the campaign's,
nothing is looked up; when the consent text, the survey or the training changes, the missing part is
asked for again.
"""

from __future__ import annotations

from typing import Literal

from sqlalchemy import update

from captious.campaigns.entry import surveys, training
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database

Step = Literal["consent", "survey", "training"]


def pending(db: Database, campaign: Campaign, rater: Rater) -> Step | None:
    """The next thing that comes before the work; None where the rater may begin, or has been taken out."""
    version = campaign.settings.entry_version
    if rater.entry == version or not rater.works:
        return None
    step = _missing(db, campaign, rater)
    if step is None:
        table = schema.rater
        with db.write() as connection:
            connection.execute(update(table).where(table.c.id == rater.id).values(entry=version))
    return step


def _missing(db: Database, campaign: Campaign, rater: Rater) -> Step | None:
    wanted = campaign.settings.consent_version
    if wanted and rater.consent_version != wanted:
        return "consent"
    if surveys.is_open(db, campaign, rater, "before"):
        return "survey"
    # Whoever failed and works all the same was let in: by the settings, or by those who run it.
    if campaign.settings.training and training.standing_of(db, campaign, rater).phase == "answering":
        return "training"
    return None
