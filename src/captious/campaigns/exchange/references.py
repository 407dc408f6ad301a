"""The references of a campaign's images, kept for exports that metrics can be measured on.

Raters never see them, except where a protocol shows human captions, so that items do not hold them.
"""

from __future__ import annotations

from captious.campaigns.records import Campaign
from captious.campaigns.store import snapshots
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


def keep_references(db: Database, campaign: Campaign, references: dict[str, list[str]]) -> None:
    """Keep references beside a campaign; those of images that are already known stay."""
    if references:
        known = references | references_of(db, campaign)
        snapshots.keep(db, campaign, KIND, {"images": known}, Marker(0, 0))


def references_of(db: Database, campaign: Campaign) -> dict[str, list[str]]:
    """What was kept; empty where nothing was."""
    found = snapshots.latest(db, campaign, KIND)
    return dict(found.content["images"]) if found is not None else {}
