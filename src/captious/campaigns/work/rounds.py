"""THumB's extra rounds as items of a running campaign: the audit sample and the fluency round."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import add_items, add_limits, content_of
from captious.campaigns.work.reading import standing
from captious.errors import InputError
from captious.protocols import Item
from captious.protocols.thumb import AUDIT_CAPTIONS, SECOND, Thumb
from captious.protocols.thumb_rounds import audit_items, needs_native_speaker


def start_audit(
    db: Database, campaign: Campaign, *, captions: int = AUDIT_CAPTIONS, actor: str
) -> list[Item]:
    """Give a third annotator a sample of captions that have been through both stages.

    Audited once: the items of an earlier audit stay as they are, and only new ones are added.
    """
    _thumb(campaign)
    found = audit_items(*standing(db, campaign), seed=campaign.seed, captions=captions)
    return _add(db, campaign, found, "start audit", actor)


def start_fluency_round(db: Database, campaign: Campaign, *, actor: str) -> list[Item]:
    """Ask native speakers about captions that none has judged; again after adding native raters."""
    rules = _thumb(campaign)
    native = _native(db, campaign)
    if not native:
        raise InputError("fluency round: no rater is marked as a native speaker. Add one first.")
    every, responses = standing(db, campaign)
    wanting = {shown.image for shown in needs_native_speaker(every, responses, native)}
    answers = {response.item: response.answers for response in responses}
    found = [
        rules.fluency_round(item, answers[item.key], native)
        for item in every
        if item.stage == SECOND and item.image in wanting and item.key in answers
    ]
    if not found:
        raise InputError(
            "fluency round: no caption needs it. Either a native speaker has judged each, or the "
            "second stage is not done."
        )
    return _add(db, campaign, found, "start fluency round", actor)


def _thumb(campaign: Campaign) -> Thumb:
    rules = campaign.rules()
    if not isinstance(rules, Thumb):
        raise InputError(f"{campaign.slug}: only a THumB campaign has this round.")
    return rules


def _native(db: Database, campaign: Campaign) -> frozenset[str]:
    table = schema.rater
    wanted = select(table.c.pseudonym).where(
        table.c.campaign_id == campaign.id, table.c.native.is_(True), table.c.state == "active"
    )
    with db.read() as connection:
        return frozenset(connection.execute(wanted).scalars())


def _add(db: Database, campaign: Campaign, new: list[Item], action: str, actor: str) -> list[Item]:
    def work(connection: Connection) -> list[Item]:
        _refresh(connection, campaign, new)
        add_items(connection, campaign, new)
        log.record(
            connection,
            actor,
            action,
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"items": len(new)},
        )
        return new

    return db.transact(work)


def _refresh(connection: Connection, campaign: Campaign, new: list[Item]) -> None:
    """An item of the round that nobody has begun takes the scores and the raters of today."""
    table, limit = schema.item, schema.item_rater
    for item in new:
        own = (table.c.campaign_id == campaign.id) & (table.c.key == item.key)
        found = connection.execute(
            update(table)
            .where(own, table.c.taken == 0)
            .values(content=content_of(item))
            .returning(table.c.id)
        ).scalar()
        if found is not None:
            connection.execute(delete(limit).where(limit.c.item_id == found))
            add_limits(connection, campaign, [item])
