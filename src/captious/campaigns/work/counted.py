"""Which responses count, decided here and nowhere else: the latest of each active rater."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.protocols import Response

PAGE = 20_000
ACTIVE = "active"


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
            response.seconds,
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
        for _, item, rater, answers, time, hints, outcome, seconds in rows:
            name, active = names[rater]
            kept = kept_with(outcome)
            response_of = Response(keys[item], answers, name, time, tuple(hints), seconds=seconds, **kept)
            yield Latest(response_of, active)
        if len(rows) < PAGE:
            return
        after = rows[-1].id


def active_responses(db: Database, campaign: Campaign) -> list[Response]:
    """The latest responses of raters who count."""
    return [one.response for one in latest(db, campaign) if one.active]


def count(connection: Connection, campaign: Campaign) -> int:
    """How many responses count: the latest of each active rater to each item."""
    slot, rater = schema.assignment, schema.rater
    wanted = (
        select(func.count())
        .select_from(slot.join(rater, rater.c.id == slot.c.rater_id))
        .where(slot.c.campaign_id == campaign.id, slot.c.response_id.is_not(None), rater.c.state == ACTIVE)
    )
    return int(connection.execute(wanted).scalar_one())


def replaced_decisions(connection: Connection, campaign: Campaign) -> frozenset[int]:
    """The decisions of adjudicators that a later one replaced: they count no more."""
    table = schema.response
    wanted = select(table.c.replaces).where(
        table.c.campaign_id == campaign.id, table.c.kind == "adjudication", table.c.replaces.is_not(None)
    )
    return frozenset(connection.execute(wanted).scalars())


def counts(row: Any, replaced: frozenset[int]) -> bool:
    """Whether a row of the log counts today.

    A rater's response does where its slot names it and the rater is active; an adjudicator's where
    no later decision replaced it. `row` has the response's id and kind, its slot's `response_id`
    and its rater's `state`.
    """
    if row.kind == "adjudication":
        return row.id not in replaced
    return bool(row.response_id == row.id and row.state == ACTIVE)


def _raters(db: Database, campaign: Campaign, *, real_names: bool) -> dict[int, tuple[str, bool]]:
    table = schema.rater
    name = table.c.name if real_names else table.c.pseudonym
    wanted = select(table.c.id, name, table.c.state).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {id_: (name, state == ACTIVE) for id_, name, state in connection.execute(wanted)}


def _items(db: Database, campaign: Campaign) -> dict[int, str]:
    table = schema.item
    wanted = select(table.c.id, table.c.key).where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        return {row.id: row.key for row in connection.execute(wanted)}
