"""Sessions: who is signed in. The database keeps a digest, so that a leak opens nothing."""

from __future__ import annotations

import hashlib
import secrets

from sqlalchemy import delete, insert, select, update

from captious.campaigns.records import Account, Rater, Session
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import account_of, rater_columns, rater_of

HOUR = 3600.0
# A visit is noted this often, so that not every page writes.
NOTED_EVERY = 300.0
_WANTED = (
    select(schema.session, *schema.account.c, *rater_columns)
    .outerjoin(schema.account, schema.account.c.id == schema.session.c.account_id)
    .outerjoin(schema.rater, schema.rater.c.id == schema.session.c.rater_id)
)


def start_session(db: Database, account_or_rater: Account | Rater, *, hours: float) -> tuple[str, Session]:
    """Sign someone in: the token goes into their cookie, and nowhere else."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
    now = db.now()
    is_account = isinstance(account_or_rater, Account)
    values = {
        "digest": _digest(token),
        "account_id" if is_account else "rater_id": account_or_rater.id,
        "csrf": csrf,
        "created": now,
        "expires": now + hours * HOUR,
        "last_seen": now,
    }
    table = schema.session
    with db.write() as connection:
        connection.execute(delete(table).where(table.c.expires < now))
        connection.execute(insert(table).values(**values))
    found = session(db, token)
    if found is None:
        raise RuntimeError("the session that was just stored is gone")
    return token, found


def session(db: Database, token: str) -> Session | None:
    """Who a token belongs to; None where it is unknown, expired, or the account is disabled."""
    table = schema.session
    now = db.now()
    digest = _digest(token)
    with db.read() as connection:
        row = connection.execute(_WANTED.where(table.c.digest == digest)).first()
    if row is None:
        return None
    found = row._mapping
    is_account = found[table.c.account_id] is not None
    if found[table.c.expires] < now or (is_account and found[schema.account.c.disabled]):
        return None
    if now - found[table.c.last_seen] > NOTED_EVERY:
        with db.write() as connection:
            connection.execute(update(table).where(table.c.digest == digest).values(last_seen=now))
    return Session(
        kind="account" if is_account else "rater",
        account=account_of(row) if is_account else None,
        rater=None if is_account else rater_of(row),
        csrf=found[table.c.csrf],
        token_digest=digest,
        expires=found[table.c.expires],
    )


def end_session(db: Database, token: str) -> None:
    """Sign out."""
    table = schema.session
    with db.write() as connection:
        connection.execute(delete(table).where(table.c.digest == _digest(token)))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
