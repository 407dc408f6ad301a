"""Another training for a campaign that is there already."""

from __future__ import annotations

from dataclasses import replace

from captious.campaigns.entry.training_files import prepare_training, store_training
from captious.campaigns.records import Campaign, Training
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database


def set_training(db: Database, campaign: Campaign, training: Training | None, *, actor: str) -> Campaign:
    """Give a campaign another training, or none: raters go through it before their next task."""
    version = ""
    if training is not None:
        prepared = prepare_training(db, training)
        version = prepared.version
        with db.write() as connection:
            store_training(connection, campaign, prepared)
    return lifecycle.change_settings(db, campaign, replace(campaign.settings, training=version), actor=actor)
