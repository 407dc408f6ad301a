"""The leaderboard of a campaign whose protocol gives points: nicknames of those who want to be on it."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store import schema
from captious.campaigns.store.columns import is_storable
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols.capabilities import Game

NICKNAME = "nickname"
LONGEST = 30
MOST_SHOWN = 50


class Place(NamedTuple):
    """One line of the board; `own` marks the rater who looks."""

    place: int
    nickname: str
    points: int
    own: bool


def leaderboard(db: Database, campaign: Campaign, rater: Rater | None = None) -> list[Place]:
    """The raters with a nickname, by points; equal points share a place."""
    table = schema.rater
    wanted = select(table.c.id, table.c.record).where(
        table.c.campaign_id == campaign.id, table.c.state == "active", table.c.record.is_not(None)
    )
    with db.read() as connection:
        rows = connection.execute(wanted).all()
    rules = campaign.rules()
    found = [
        (Game.of(rules).score_of(record) or 0, str(record[NICKNAME]), id_)
        for id_, record in rows
        if record and record.get(NICKNAME)
    ]
    found.sort(key=lambda one: (-one[0], one[1].casefold()))
    points = [one[0] for one in found]
    return [
        Place(1 + points.index(score), name, score, rater is not None and id_ == rater.id)
        for score, name, id_ in found[:MOST_SHOWN]
    ]


def choose_nickname(db: Database, rater: Rater, nickname: str) -> None:
    """Put the rater on the board under a nickname; "" takes them off it."""
    name = " ".join(nickname.split())
    if len(name) > LONGEST or not is_storable(name):
        raise InputError(f"nickname: give {LONGEST} plain characters at most.")

    def keep(connection: Connection) -> None:
        table = schema.rater
        own = table.c.id == rater.id
        record = connection.execute(select(table.c.record).where(own).with_for_update()).scalar()
        values: dict[str, Any] = {**(record or {}), NICKNAME: name}
        connection.execute(update(table).where(own).values(record=values))

    db.transact(keep)
