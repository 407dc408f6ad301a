"""Roles by campaign: who may see, run or own one. An account whose own role is owner may everything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, insert, select

from captious.campaigns.people.accounts import ROLES
from captious.campaigns.records import Account, Campaign, Role
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.errors import FieldError, UnknownNameError


@dataclass(frozen=True)
class Member:
    """An account with its role in a campaign."""

    account: str
    role: Role


def in_campaign(db: Database, account: Account, slug: str) -> Account | None:
    """The account with the role that it has in the campaign of that name; None where it has none."""
    if account.role == "owner":
        return account
    own, campaign = schema.member, schema.campaign
    wanted = (
        select(own.c.role)
        .join(campaign, campaign.c.id == own.c.campaign_id)
        .where(own.c.account_id == account.id, campaign.c.slug == slug)
    )
    with db.read() as connection:
        role = connection.execute(wanted).scalar()
    return replace(account, role=role) if role is not None else None


def seen_by(db: Database, account: Account, campaigns: Iterable[Campaign]) -> list[Campaign]:
    """Those of the campaigns that an account may see."""
    if account.role == "owner":
        return list(campaigns)
    table = schema.member
    with db.read() as connection:
        wanted = select(table.c.campaign_id).where(table.c.account_id == account.id)
        own = set(connection.execute(wanted).scalars())
    return [one for one in campaigns if one.id in own]


def listed(db: Database, campaign: Campaign) -> list[Member]:
    """The members of a campaign, by name."""
    own, account = schema.member, schema.account
    wanted = (
        select(account.c.name, own.c.role)
        .join(account, account.c.id == own.c.account_id)
        .where(own.c.campaign_id == campaign.id)
        .order_by(account.c.name)
    )
    with db.read() as connection:
        return [Member(*row) for row in connection.execute(wanted)]


def set_role(db: Database, campaign: Campaign, name: str, role: str, *, actor: str) -> None:
    """Give an account a role in a campaign, "" takes it away."""
    if role and role not in ROLES:
        raise UnknownNameError("role", role, ROLES)
    account = schema.account
    with db.write() as connection:
        found = connection.execute(select(account.c.id).where(account.c.name == name)).scalar()
        if found is None:
            raise FieldError("account", f'account "{name}": there is none of this name. Create it first.')
        put(connection, campaign, found, role)
        log.record(
            connection,
            actor,
            "change role",
            time=db.now(),
            campaign_id=campaign.id,
            subject=name,
            detail={"role": role or "none"},
        )


def put(connection: Connection, campaign: Campaign, account_id: int, role: str) -> None:
    """As `set_role`, in the caller's transaction and without a word in the log."""
    table = schema.member
    own = (table.c.campaign_id == campaign.id) & (table.c.account_id == account_id)
    connection.execute(delete(table).where(own))
    if role:
        connection.execute(insert(table).values(account_id=account_id, campaign_id=campaign.id, role=role))
