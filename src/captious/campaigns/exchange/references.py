"""The references of a campaign's images, kept for exports that metrics can be measured on.

Raters never see them, except where a protocol shows human captions, so that items do not hold them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Marker
from captious.corpus import Corpus
from captious.corpus.types import NO_REFERENCES

KIND = "references"


def references_in(corpus: Corpus) -> dict[str, list[str]]:
    """The references of each image that has any.

    >>> references_in(Corpus.from_lists(["A dog."], [["A brown dog."]], image_ids=["1"]))
    {'1': ['A brown dog.']}
    """
    found: dict[str, list[str]] = {}
    for image, own in zip(corpus.image_of.tolist(), corpus.references_of.tolist(), strict=True):
        if own != NO_REFERENCES:
            found[corpus.image_ids[image]] = list(corpus.references[own])
    return found


def keep_references(
    connection: Connection, campaign: Campaign, references: Mapping[str, list[str]], *, now: float
) -> None:
    """Keep references beside a campaign; those of images that are already known stay."""
    if references:
        known = {**references, **_kept(connection, campaign)}
        snapshots.keep_within(connection, campaign, KIND, {"images": known}, Marker(0, 0), now=now)


def references_of(db: Database, campaign: Campaign) -> dict[str, list[str]]:
    """What was kept; empty where nothing was."""
    with db.read() as connection:
        return _kept(connection, campaign)


def _kept(connection: Connection, campaign: Campaign) -> dict[str, list[str]]:
    table = schema.snapshot
    wanted = select(table.c.content).where(table.c.campaign_id == campaign.id, table.c.kind == KIND)
    found = connection.execute(wanted).scalar()
    return dict(found["images"]) if found is not None else {}
