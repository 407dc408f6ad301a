"""The metrics that a campaign's items start from, changed while it runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from captious.campaigns.exchange.references import references_of
from captious.campaigns.records import Campaign
from captious.campaigns.setup.create import with_scores
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.images import digest_of, image_file
from captious.campaigns.store.rows import campaign_of
from captious.campaigns.work.reading import items
from captious.corpus import Corpus
from captious.protocols import Item, rules_of
from captious.protocols.capabilities import Game


def change_first_metrics(
    db: Database, campaign: Campaign, metrics: Sequence[str], *, actor: str
) -> tuple[Campaign, int]:
    """Let other metrics give the ratings that items start from; how many items these differ for.

    Answers and what they earned stay as they are. The log keeps the metrics before and after.
    """
    before = Game.of(campaign.rules())
    text = before.with_first_metrics(campaign.protocol_file or "", metrics)
    after = rules_of(campaign.protocol, campaign.options, text)
    there = [item for item in items(db, campaign) if item.counts and item.captions]
    scored = with_scores(after, there, _corpus(db, campaign, there))
    changed = [new for new, old in zip(scored, there, strict=True) if new.facts != old.facts]

    def work(connection: Connection) -> Campaign:
        own, table = schema.item, schema.campaign
        for item in changed:
            of_item = (own.c.campaign_id == campaign.id) & (own.c.key == item.key)
            content = connection.execute(select(own.c.content).where(of_item)).scalar_one()
            facts = {**content, "facts": dict(item.facts)}
            connection.execute(update(own).where(of_item).values(content=facts))
        connection.execute(update(table).where(table.c.id == campaign.id).values(protocol_file=text))
        log.record(
            connection,
            actor,
            "change first metrics",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"before": list(before.first_metrics()), "metrics": list(metrics), "items": len(changed)},
        )
        return campaign_of(connection.execute(select(table).where(table.c.id == campaign.id)).one())

    return db.transact(work), len(changed)


def _corpus(db: Database, campaign: Campaign, there: Sequence[Item]) -> Corpus:
    """The captions of the items, with their images and references where the campaign has them."""
    known = references_of(db, campaign)
    paths = {}
    for image in dict.fromkeys(item.image for item in there):
        digest = digest_of(db, campaign, image)
        if digest is not None:
            paths[image] = str(image_file(db, campaign, digest)[0])
    return Corpus.from_lists(
        [item.captions[0].text for item in there],
        [known[item.image] for item in there] if all(item.image in known for item in there) else None,
        image_ids=[item.image for item in there],
        systems=[str(place) for place, _ in enumerate(there)],
        image_paths=paths or None,
    )
