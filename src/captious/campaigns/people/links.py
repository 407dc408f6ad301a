"""Magic links: a signed, expiring address that lets one rater in, once unless told otherwise.

Signed with hmac rather than by the package itsdangerous: expiry goes by the database's clock, and
what a link says (rater, version) is checked in the same transaction that uses it up.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from typing import Any

from sqlalchemy import Connection, delete, select, update

from captious.campaigns.people.raters import agreed
from captious.campaigns.records import Campaign, ConsentNeeded, LinkRefused, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import campaign_of, insert_new, rater_columns, rater_of
from captious.errors import InputError

DAY = 24 * 3600.0
MOST_DAYS = 3650
FEWEST_SECRET_BYTES = 16
_CLAIMS = struct.Struct(">BQIQ8s")  # version, rater, link version, expiry, nonce
_VERSION = 1
_SIGNATURE = 32
_LENGTH = _CLAIMS.size + _SIGNATURE
_PURPOSE = b"captious rater link"


def make_link(db: Database, rater: Rater, *, secret: bytes, days: float | None = None) -> str:
    """A token for the rater's address; it expires after `days`, else as the settings say.

    It holds no name. Whoever has it can rate as the rater: hand it over in private.
    """
    with db.read() as connection:
        campaign, version, _ = _standing(connection, rater.id)
    if rater.erased is not None:
        raise InputError(f"{rater.pseudonym}: was erased. Add the rater anew to invite them.")
    lifetime = campaign.settings.link_days if days is None else days
    if not 0 < lifetime <= MOST_DAYS:
        raise InputError(f"days: {lifetime:g} is not above 0 and at most {MOST_DAYS}.")
    expiry = int(db.now() + lifetime * DAY)
    claims = _CLAIMS.pack(_VERSION, rater.id, version, expiry, secrets.token_bytes(8))
    return _written(claims + _sign(claims, secret))


def peek_link(db: Database, token: str, *, secret: bytes) -> Rater:
    """The rater that a link would let in; the link is not used up by looking."""
    with db.read() as connection:
        return _check(connection, token, secret, db.now())[1]


def named_in(db: Database, token: str, *, secret: bytes) -> tuple[Campaign, int] | None:
    """The campaign and the rater of a link that we made, whether or not it still opens anything."""
    try:
        rater_id, _, _ = _claims(token, secret)
        with db.read() as connection:
            return _standing(connection, rater_id)[0], rater_id
    except InputError:
        return None


def open_link(db: Database, token: str, *, secret: bytes, consent: str = "") -> Rater:
    """Let the rater in, and use the link up unless the campaign's links are reusable.

    `consent` is the version of the consent text that the rater agrees to. Without the agreement that
    the campaign asks for, `ConsentNeeded` is raised and the link stays as it is.
    """

    def work(connection: Connection) -> Rater:
        campaign, rater = _check(connection, token, secret, db.now())
        table = schema.rater
        values: dict[str, Any] = {"last_seen": db.now()}
        wanted = campaign.settings.consent_version
        if wanted and rater.consent_version != wanted:
            if consent != wanted:
                raise ConsentNeeded
            values |= agreed(connection, campaign, rater, now=db.now())
        connection.execute(update(table).where(table.c.id == rater.id).values(**values))
        if not campaign.settings.reusable_links:
            use = {"digest": _digest(token), "rater_id": rater.id, "time": db.now()}
            if not insert_new(connection, schema.link_use, [use]):
                raise LinkRefused("used")
        return rater

    return db.transact(work)


def revoke(db: Database, rater: Rater, *, actor: str) -> None:
    """Make every link of the rater so far worthless, and end their sessions."""
    with db.write() as connection:
        table = schema.rater
        connection.execute(
            update(table).where(table.c.id == rater.id).values(link_version=table.c.link_version + 1)
        )
        connection.execute(delete(schema.session).where(schema.session.c.rater_id == rater.id))
        log.record(
            connection,
            actor,
            "revoke links",
            time=db.now(),
            campaign_id=rater.campaign_id,
            subject=rater.pseudonym,
        )


def _check(connection: Connection, token: str, secret: bytes, now: float) -> tuple[Campaign, Rater]:
    rater_id, version, expires = _claims(token, secret)
    if expires < now:
        raise LinkRefused("expired")
    try:
        campaign, current, rater = _standing(connection, rater_id)
    except InputError:
        raise LinkRefused("revoked") from None
    if version != current or not rater.works:
        raise LinkRefused("revoked")
    if campaign.state == "closed":
        raise LinkRefused("closed")
    use = schema.link_use
    used = connection.execute(select(use.c.time).where(use.c.digest == _digest(token))).first()
    if used is not None and not campaign.settings.reusable_links:
        raise LinkRefused("used")
    return campaign, rater


def _claims(token: str, secret: bytes) -> tuple[int, int, int]:
    try:
        raw = token.encode("ascii")
        padded = raw + b"=" * (-len(raw) % 4)
        packed = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise LinkRefused("forged") from None
    claims, signature = packed[: _CLAIMS.size], packed[_CLAIMS.size :]
    # Base64 ends in spare bits: spelt in another way, a used link would pass for a new one.
    if _written(packed) != token:
        raise LinkRefused("forged")
    if len(packed) != _LENGTH or not hmac.compare_digest(signature, _sign(claims, secret)):
        raise LinkRefused("forged")
    form, rater_id, version, expires, _ = _CLAIMS.unpack(claims)
    if form != _VERSION:
        raise LinkRefused("forged")
    return rater_id, version, expires


def _written(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def _sign(claims: bytes, secret: bytes) -> bytes:
    if len(secret) < FEWEST_SECRET_BYTES:
        raise InputError(f"secret: give {FEWEST_SECRET_BYTES} random bytes at least.")
    return hmac.digest(secret, _PURPOSE + claims, "sha256")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _standing(connection: Connection, rater_id: int) -> tuple[Campaign, int, Rater]:
    table, own = schema.rater, schema.campaign
    wanted = select(*rater_columns, table.c.link_version).where(table.c.id == rater_id)
    row = connection.execute(wanted).first()
    if row is None:
        raise InputError(f"rater {rater_id}: no rater has this number.")
    campaign = connection.execute(select(own).where(own.c.id == row.campaign_id)).one()
    return campaign_of(campaign), row.link_version, rater_of(row)


__all__ = ["LinkRefused", "make_link", "named_in", "open_link", "peek_link", "revoke"]
