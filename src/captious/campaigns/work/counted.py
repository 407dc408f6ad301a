"""The responses that count, with raters' states: one reading of the log, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import and_, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.protocols import Response

PAGE = 20_000


class Latest(NamedTuple):
    """A rater's last response to an item; `active`: the rater counts."""

    response: Response
    active: bool


def kept_with(outcome: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was derived of a response and noted about it, as `Response` takes it."""
    return {name: outcome[name] for name in ("derived", "noted") if name in outcome} if outcome else {}


def latest(db: Database, campaign: Campaign, *, real_names: bool = False) -> Iterator[Latest]:
    """Every rater's last response to each item, oldest first; removed raters' too.

    A response finds its slot by the slot's own key, and counts where the slot names it.
    """
    response, slot = schema.response.c, schema.assignment.c
    names = _raters(db, campaign, real_names=real_names)
    keys = _items(db, campaign)
    own = and_(slot.id == response.assignment_id, slot.response_id == response.id)
    wanted = (
        select(
            response.id,
            response.item_id,
            response.rater_id,
            response.answers,
            response.time,
            response.hints,
            response.outcome,
        )
        .select_from(schema.response.join(schema.assignment, own))
        .where(response.campaign_id == campaign.id)
        .order_by(response.id)
        .limit(PAGE)
    )
    after = 0
    while True:
        with db.read() as connection:
            rows = connection.execute(wanted.where(response.id > after)).all()
        for _, item, rater, answers, time, hints, outcome in rows:
            name, active = names[rater]
            response_of = Response(keys[item], answers, name, time, tuple(hints), **kept_with(outcome))
            yield Latest(response_of, active)
        if len(rows) < PAGE:
            return
        after = rows[-1].id


def standing(db: Database, campaign: Campaign) -> list[Response]:
    """The last responses of raters who count."""
    return [one.response for one in latest(db, campaign) if one.active]


def _raters(db: Database, campaign: Campaign, *, real_names: bool) -> dict[int, tuple[str, bool]]:
    table = schema.rater
    name = table.c.name if real_names else table.c.pseudonym
    wanted = select(table.c.id, name, table.c.state).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {id_: (name, state == "active") for id_, name, state in connection.execute(wanted)}


def _items(db: Database, campaign: Campaign) -> dict[int, str]:
    table = schema.item
    wanted = select(table.c.id, table.c.key).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {row.id: row.key for row in connection.execute(wanted)}
