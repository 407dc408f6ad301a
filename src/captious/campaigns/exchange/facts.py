"""What a database knows of a campaign's data, for its datasheet and its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from captious.campaigns.exchange.datasheet import Facts
from captious.campaigns.people import raters
from captious.campaigns.quality.flags import flags
from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import reading
from captious.protocols import Item
from captious.protocols.findings import asks_for_places
from captious.protocols.options import options_of


def facts_of(db: Database, campaign: Campaign, items: Sequence[Item], *, identities: bool = False) -> Facts:
    """Count what there is; no response is read."""
    people = raters.listed(db, campaign)
    own = [item for item in items if item.counts]
    texts = {(item.image, caption.text) for item in own for caption in item.captions}
    systems = {name for item in own for names in item.sources.values() for name in names}
    with db.read() as connection:
        counts = _counts(connection, campaign)
        pictures = connection.execute(
            select(func.count()).where(schema.image.c.campaign_id == campaign.id)
        ).scalar_one()
    rules = campaign.rules()
    settings = campaign.settings
    return Facts(
        title=campaign.title,
        slug=campaign.slug,
        protocol=campaign.protocol,
        protocol_title=rules.title,
        options=tuple(f"`{one.name}` {_told(getattr(rules, one.name))}" for one in options_of(type(rules))),
        citation=rules.citation,
        instructions=settings.instructions,
        contact=settings.contact,
        images=len({item.image for item in own}),
        captions=len(texts),
        systems=tuple(sorted(systems)),
        items=len(own),
        stages=tuple(dict.fromkeys(item.stage for item in own)),
        **counts,
        raters=len(people),
        native=sum(person.native for person in people),
        removed=sum(person.state == "removed" for person in people),
        consented=sum(bool(person.consent_version) for person in people),
        withdrawn=sum(person.state == "withdrawn" for person in people),
        payment_per_response=settings.payment_per_response,
        currency=settings.currency,
        hourly_wage=settings.hourly_wage,
        identities=identities,
        flags=_flag_counts(db, campaign),
        image_files=pictures,
        written=db.now(),
        findings=asks_for_places(own),
    )


def _told(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _counts(connection: Connection, campaign: Campaign) -> dict[str, Any]:
    table = schema.response
    own = table.c.campaign_id == campaign.id
    total, first, last = connection.execute(
        select(func.count(), func.min(table.c.time), func.max(table.c.time)).where(own)
    ).one()
    kinds = connection.execute(
        select(table.c.kind, func.count().label("rows")).where(own).group_by(table.c.kind)
    )
    by_kind: dict[str, int] = {row.kind: row.rows for row in kinds}
    sources = connection.execute(select(table.c.source).where(own).distinct()).scalars().all()
    return {
        "responses": total,
        "standing": reading.count(connection, campaign),
        "corrections": by_kind.get("correction", 0),
        "adjudications": by_kind.get("adjudication", 0),
        "sources": tuple(sorted(sources)),
        "first_time": first,
        "last_time": last,
        "median_seconds": _median_seconds(connection, campaign),
    }


def _median_seconds(connection: Connection, campaign: Campaign) -> float | None:
    """The middle of what first answers took, by place in their order: both engines can do that."""
    table = schema.response
    known = table.c.seconds.is_not(None)
    own = (table.c.campaign_id == campaign.id, table.c.kind == "answer", known)
    count = connection.execute(select(func.count()).where(*own)).scalar_one()
    middle = select(table.c.seconds).where(*own).order_by(table.c.seconds).offset(count // 2)
    return connection.execute(middle.limit(1)).scalar()


def _flag_counts(db: Database, campaign: Campaign) -> tuple[tuple[str, int, int, int], ...]:
    counts: dict[str, list[int]] = {}
    for flag in flags(db, campaign):
        own = counts.setdefault(flag.rule, [0, 0, 0])
        own[0] += 1
        own[1] += flag.decision == "upheld"
        own[2] += flag.decision == "dismissed"
    return tuple((rule, own[0], own[1], own[2]) for rule, own in sorted(counts.items()))
