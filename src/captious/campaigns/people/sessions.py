"""Sessions: who is signed in. The database keeps a digest, so that a leak opens nothing."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

import orjson
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from captious.campaigns.records import Account, Rater, Session
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared

HOUR = 3600.0
# A visit is noted this often, so that not every page writes.
NOTED_EVERY = 300.0
_SESSION = ("account_id", "csrf", "expires", "last_seen")
_ACCOUNT = tuple(Account.__dataclass_fields__)
_RATER = tuple(Rater.__dataclass_fields__)
_WANTED = Prepared(
    select(
        *(schema.session.c[name] for name in _SESSION),
        *(schema.account.c[name].label(f"account_{name}") for name in _ACCOUNT),
        *(schema.rater.c[name].label(f"rater_{name}") for name in _RATER),
    )
    .select_from(
        schema.session.outerjoin(
            schema.account, schema.account.c.id == schema.session.c.account_id
        ).outerjoin(schema.rater, schema.rater.c.id == schema.session.c.rater_id)
    )
    .where(schema.session.c.digest == bindparam("token_digest"))
)
_NOTE = Prepared(
    update(schema.session)
    .where(schema.session.c.digest == bindparam("token_digest"))
    .values(last_seen=bindparam("now"))
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
    now = db.now()
    with db.read() as connection:
        found, noted = _find(connection, token, now)
    if found is not None and now - noted > NOTED_EVERY:
        with db.write() as connection:
            _NOTE.change(connection, {"token_digest": found.token_digest, "now": now})
    return found


def session_seen(db: Database, connection: Connection, token: str) -> Session | None:
    """As `session`, but the visit is not noted."""
    return _find(connection, token, db.now())[0]


def session_within(db: Database, connection: Connection, token: str) -> Session | None:
    """As `session`, in a writing transaction that is open."""
    now = db.now()
    found, noted = _find(connection, token, now)
    if found is not None and now - noted > NOTED_EVERY:
        _NOTE.change(connection, {"token_digest": found.token_digest, "now": now})
    return found


def _find(connection: Connection, token: str, now: float) -> tuple[Session | None, float]:
    digest = _digest(token)
    row = _WANTED.first(connection, {"token_digest": digest})
    if row is None or row.expires < now:
        return None, now
    account, rater = None, None
    columns = row[len(_SESSION) :]
    if row.account_id is None:
        values = dict(zip(_RATER, columns[len(_ACCOUNT) :], strict=True))
        record = values["record"]
        values["record"] = None if record is None else orjson.loads(record)
        rater = Rater(**values | {name: bool(values[name]) for name in ("native", "uncounted")})
    else:
        values = dict(zip(_ACCOUNT, columns, strict=False))
        account = Account(**values | {"disabled": bool(values["disabled"])})
        if account.disabled:
            return None, now
    kind: Literal["account", "rater"] = "rater" if account is None else "account"
    return Session(kind, account, rater, row.csrf, digest, row.expires), row.last_seen


def end_session(db: Database, token: str) -> None:
    """Sign out."""
    table = schema.session
    with db.write() as connection:
        connection.execute(delete(table).where(table.c.digest == _digest(token)))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
