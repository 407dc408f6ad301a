"""Participants who are kept out of every study: only a keyed digest of their id is stored."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from sqlalchemy import Connection, select

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.inserts import insert_new


def block(
    db: Database, provider: str, participants: Iterable[str], *, secret: bytes, reason: str = ""
) -> int:
    """Keep participants of a provider out from now on; how many were not kept out before."""
    digests = dict.fromkeys(digest(secret, provider, one) for one in participants)
    rows = [{"provider": provider, "digest": one, "reason": reason, "created": db.now()} for one in digests]
    with db.write() as connection:
        return insert_new(connection, schema.crowd_block, rows)


def is_blocked(connection: Connection, provider: str, participant: str, secret: bytes) -> bool:
    """Whether a participant is kept out."""
    table = schema.crowd_block
    wanted = select(table.c.created).where(
        table.c.provider == provider, table.c.digest == digest(secret, provider, participant)
    )
    return connection.execute(wanted).first() is not None


def digest(secret: bytes, provider: str, participant: str) -> str:
    """HMAC-SHA256 of a participant's id under the installation's secret.

    >>> one = digest(b"s" * 16, "panel", "ada")
    >>> one == digest(b"s" * 16, "panel", "ada"), one == digest(b"t" * 16, "panel", "ada")
    (True, False)
    """
    return hmac.new(secret, f"crowd|{provider}|{participant}".encode(), "sha256").hexdigest()
