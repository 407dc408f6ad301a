"""The raters of a campaign: added, removed with what they hold, taken back; which consent each agreed to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from captious.campaigns.records import Campaign, ConsentNeeded, NewRater, Rater, RaterState, is_name
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import rater_columns, rater_of
from captious.campaigns.work.removal import put_back, take_out
from captious.errors import InputError, one_line

LONGEST_NAME = 200


def add(db: Database, campaign: Campaign, new: Sequence[NewRater], *, actor: str) -> list[Rater]:
    """Add raters under pseudonyms `r001`, `r002`, … in the order given."""
    return db.transact(lambda connection: add_within(connection, campaign, new, actor=actor, now=db.now()))


def add_within(
    connection: Connection,
    campaign: Campaign,
    new: Sequence[NewRater],
    *,
    actor: str,
    now: float,
    quota: int | None = None,
) -> list[Rater]:
    """As `add`, in the caller's transaction; `quota` is how many answers each is asked for."""
    named = [_checked(one) for one in new]
    lock_campaign(connection, campaign)
    table = schema.rater
    count = connection.execute(select(func.count()).where(table.c.campaign_id == campaign.id)).scalar_one()
    rows = [
        {
            "campaign_id": campaign.id,
            "name": one.name,
            "email": one.email,
            "native": one.native,
            "pseudonym": f"r{count + at:03d}",
            "created": now,
            "quota": quota,
        }
        for at, one in enumerate(named, start=1)
    ]
    if rows:
        connection.execute(insert(table), rows)
    pseudonyms = [row["pseudonym"] for row in rows]
    log.record(
        connection,
        actor,
        "add raters",
        time=now,
        campaign_id=campaign.id,
        subject=campaign.slug,
        detail={"raters": pseudonyms},
    )
    wanted = select(*rater_columns).where(table.c.campaign_id == campaign.id)
    found = connection.execute(wanted.order_by(table.c.id.desc()).limit(len(rows)))
    return [rater_of(row) for row in found][::-1]


def lock_campaign(connection: Connection, campaign: Campaign) -> None:
    """Lock the campaign's row, so that no two raters get the same pseudonym."""
    own = schema.campaign
    connection.execute(select(own.c.id).where(own.c.id == campaign.id).with_for_update())


def listed(db: Database, campaign: Campaign) -> list[Rater]:
    """Every rater of the campaign, in the order in which they were added."""
    table = schema.rater
    wanted = select(*rater_columns).where(table.c.campaign_id == campaign.id).order_by(table.c.id)
    with db.read() as connection:
        return [rater_of(row) for row in connection.execute(wanted)]


def find(db: Database, campaign: Campaign, rater_id: int) -> Rater:
    """A rater of the campaign by id."""
    with db.read() as connection:
        return of_id(connection, campaign.id, rater_id)


def remove(db: Database, rater: Rater, *, reason: str, actor: str) -> Rater:
    """Take a rater out: slots are freed, responses are kept and no longer count."""
    return _change(db, rater, "removed", storable(reason, "reason"), actor)


def withdraw(db: Database, rater: Rater, *, actor: str, reason: str = "withdrew") -> Rater:
    """Take out a rater who asked for it; what they gave no longer counts."""
    return _change(db, rater, "withdrawn", storable(reason, "reason"), actor)


def reinstate(db: Database, rater: Rater, *, actor: str) -> Rater:
    """Take a rater back: their responses count again, also where items get more than wanted."""
    return _change(db, rater, "active", "", actor)


def _change(db: Database, rater: Rater, state: RaterState, reason: str, actor: str) -> Rater:
    def work(connection: Connection) -> Rater:
        if state == "active":
            put_back(connection, rater.id)
        else:
            take_out(connection, rater.id, state, reason)
        action = {"active": "reinstate rater", "removed": "remove rater"}
        log.record(
            connection,
            actor,
            action.get(state, "withdraw rater"),
            time=db.now(),
            campaign_id=rater.campaign_id,
            subject=rater.pseudonym,
            detail={"reason": reason},
        )
        return of_id(connection, rater.campaign_id, rater.id)

    return db.transact(work)


def of_id(connection: Connection, campaign_id: int, rater_id: int) -> Rater:
    """A rater by id, in the caller's transaction."""
    table = schema.rater
    wanted = select(*rater_columns).where(table.c.campaign_id == campaign_id, table.c.id == rater_id)
    row = connection.execute(wanted).first()
    if row is None:
        raise InputError(f"rater {rater_id}: this campaign has no such rater.")
    return rater_of(row)


def _checked(new: NewRater) -> NewRater:
    name = " ".join(storable(new.name, "rater's name").split())
    email = storable(new.email, "email").strip()
    if not name or len(name) > LONGEST_NAME or len(email) > LONGEST_NAME:
        raise InputError(f"rater: give a name and an email of {LONGEST_NAME} characters at most.")
    if not is_name(name):
        raise InputError(f'rater "{one_line(name)}": a name needs at least one letter or digit.')
    if email and ("@" not in email or any(c.isspace() for c in email)):
        raise InputError(f'rater "{name}": "{email}" is not an email address. Correct it or leave it out.')
    return NewRater(name, email, new.native)


__all__ = ["NewRater", "add", "find", "listed", "reinstate", "remove", "withdraw"]


def agreed(connection: Connection, campaign: Campaign, rater: Rater, *, now: float) -> dict[str, Any]:
    """The columns of a rater who agrees to the text as it is now; the log keeps it beside earlier ones."""
    version = campaign.settings.consent_version
    log.record(
        connection,
        rater.pseudonym,
        "consent",
        time=now,
        campaign_id=campaign.id,
        subject=rater.pseudonym,
        detail={"version": version},
    )
    return {"consent_version": version, "consent_time": now}


def agree(db: Database, campaign: Campaign, rater: Rater, version: str) -> None:
    """Store that a rater agrees to the consent text of that version, which must be the one of now."""
    if version != campaign.settings.consent_version:
        raise ConsentNeeded
    table = schema.rater
    with db.write() as connection:
        values = agreed(connection, campaign, rater, now=db.now())
        connection.execute(update(table).where(table.c.id == rater.id).values(**values))
