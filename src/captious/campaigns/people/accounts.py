"""Accounts of those who run campaigns, and sessions of everyone who is signed in.

Passwords are kept by argon2, and sign-in tires of guessing. Of a session the database keeps a digest,
so that a leak opens nothing.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import threading
from functools import lru_cache
from typing import Literal, get_args

import orjson
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, select, update

from captious.campaigns.records import Account, Rater, Role, Session, SignInRefused, TooManyTries, is_name
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import is_storable, storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import account_of
from captious.errors import FieldError, InputError, UnknownNameError, one_line

ROLES: tuple[Role, ...] = get_args(Role)
SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1000
LONGEST_NAME = 100
# Failed tries within the window: for one name from one place, for one place, for one name. A device
# that has signed in to the account before has tries of its own, which strangers cannot use up.
WINDOW = 900.0
MOST_TOGETHER, MOST_FROM_PLACE, MOST_FOR_NAME = 5, 20, 100
DEVICE = "device:"
_HASHER = PasswordHasher()
# Each takes 64 MiB: more at once would fill the memory and still wait for a processor. Strangers who
# would have to wait behind many others are sent away, so that threads stay free for everybody else.
_VERIFICATIONS = threading.BoundedSemaphore(4)
_STRANGERS = threading.BoundedSemaphore(8)
BUSY_SECONDS = 5.0


def create_account(db: Database, name: str, password: str, role: Role, *, actor: str) -> Account:
    """Add an account."""
    shown = " ".join(storable(name, "name").split())
    if not shown or len(shown) > LONGEST_NAME:
        raise FieldError("name", f"name: give 1 to {LONGEST_NAME} characters; found {len(shown)}.")
    if not is_name(shown):
        raise FieldError("name", f'name "{one_line(shown)}": give at least one letter or digit.')
    if role not in ROLES:
        raise UnknownNameError("role", role, ROLES)
    hashed = _HASHER.hash(_checked_password(password))
    table = schema.account
    with db.write() as connection:
        if connection.execute(select(table.c.id).where(table.c.name == shown)).first():
            raise FieldError("name", f'"{one_line(shown)}" is the name of another account. Give another.')
        row = connection.execute(
            insert(table).values(name=shown, password=hashed, role=role, created=db.now()).returning(table)
        ).one()
        log.record(connection, actor, "create account", time=db.now(), subject=shown, detail={"role": role})
        return account_of(row)


def accounts(db: Database) -> list[Account]:
    """Every account, by name."""
    table = schema.account
    with db.read() as connection:
        return [account_of(row) for row in connection.execute(select(table).order_by(table.c.name))]


def sign_in(db: Database, name: str, password: str, *, source: str, device: str = "") -> Account:
    """The account that name and password open; `source` is where the try comes from.

    `device` is the id of a device that is known to have signed in to this account before: it has
    its own few tries, whatever strangers do. An unknown name takes as long as a wrong password and
    looks the same.
    """
    table, tries = schema.account, schema.sign_in_try
    shown = account_name(name)
    place = f"{DEVICE}{device}"[:LONGEST_NAME] if device else place_of(source)
    now = db.now()
    # The try is noted before it is looked at: a hundred at the same moment are a hundred tries.
    with db.write() as connection:
        connection.execute(delete(tries).where(tries.c.time < now - WINDOW))
        noted = insert(tries).values(source=place, name=shown, time=now).returning(tries.c.id)
        own_try = connection.execute(noted).scalar_one()
    with db.read() as connection:
        wait = _wait(connection, shown, place, now, own_try, known=bool(device))
        row = connection.execute(select(table).where(table.c.name == shown)).first()
    stored = row.password if row is not None else None
    right = _verified(stored, password, known=bool(device)) if wait <= 0 else None
    if right is None:
        # A try that was not even looked at does not make the wait longer.
        with db.write() as connection:
            connection.execute(delete(tries).where(tries.c.id == own_try))
        raise TooManyTries(wait if wait > 0 else BUSY_SECONDS)
    if not right or row is None or row.disabled:
        raise SignInRefused
    with db.write() as connection:
        connection.execute(delete(tries).where(tries.c.name == shown, tries.c.source == place))
        if _HASHER.check_needs_rehash(row.password):
            _store_password(connection, row.id, password)
        log.record(connection, shown, "sign in", time=now, subject=shown)
        return account_of(row)


def account_name(given: str) -> str:
    """A name as accounts are found by it.

    >>> account_name("  Lea   Berg ")
    'Lea Berg'
    """
    return " ".join(given.split())[:LONGEST_NAME] if is_storable(given) else ""


def place_of(source: str) -> str:
    """Where a try comes from: one household has a whole network of IPv6 addresses.

    >>> place_of("203.0.113.7"), place_of("2001:db8:1:2:3:4:5:6"), place_of("::ffff:203.0.113.7")
    ('203.0.113.7', '2001:db8:1:2::/64', '203.0.113.7')
    """
    try:
        address = ipaddress.ip_address(source)
    except ValueError:
        return source[:LONGEST_NAME]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))


def change_password(db: Database, account: Account, password: str, *, actor: str) -> None:
    """Give an account another password and end its sessions."""
    _checked_password(password)
    with db.write() as connection:
        _store_password(connection, account.id, password)
        own = schema.session.c.account_id == account.id
        connection.execute(delete(schema.session).where(own))
        log.record(connection, actor, "change password", time=db.now(), subject=account.name)


def disable_account(db: Database, account: Account, *, actor: str) -> None:
    """Shut an account out; the last owner stays."""
    table = schema.account
    with db.write() as connection:
        owners = connection.execute(
            select(func.count()).where(
                table.c.role == "owner", table.c.disabled.is_(False), table.c.id != account.id
            )
        ).scalar_one()
        if account.role == "owner" and not owners:
            raise InputError(f'"{account.name}" is the last owner. Make another owner first.')
        connection.execute(update(table).where(table.c.id == account.id).values(disabled=True))
        own = schema.session.c.account_id == account.id
        connection.execute(delete(schema.session).where(own))
        log.record(connection, actor, "disable account", time=db.now(), subject=account.name)


def enable_account(db: Database, account: Account, *, actor: str) -> None:
    """Let a disabled account in again."""
    table = schema.account
    with db.write() as connection:
        connection.execute(update(table).where(table.c.id == account.id).values(disabled=False))
        log.record(connection, actor, "enable account", time=db.now(), subject=account.name)


def _wait(connection: Connection, name: str, place: str, now: float, own_try: int, *, known: bool) -> float:
    table = schema.sign_in_try
    recent = (table.c.time > now - WINDOW) & (table.c.id != own_try)
    from_place, for_name = table.c.source == place, table.c.name == name
    longest = 0.0
    limits: list[tuple[int, ColumnElement[bool]]] = [(MOST_TOGETHER, from_place & for_name)]
    if not known:
        limits += [(MOST_FROM_PLACE, from_place), (MOST_FOR_NAME, for_name)]
    for most, which in limits:
        # Sign-in opens again when the oldest of the last `most` tries leaves the window.
        tries = select(table.c.time).where(recent, which).order_by(table.c.time.desc())
        oldest = connection.execute(tries.offset(most - 1).limit(1)).scalar()
        if oldest is not None:
            longest = max(longest, oldest + WINDOW - now)
    return longest


def _checked_password(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD or not is_storable(password):
        raise FieldError(
            "password",
            f"password: give {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters. "
            "A few unrelated words work well.",
        )
    return password


def _verified(stored: str | None, password: str, *, known: bool) -> bool | None:
    """Whether the password is right; None where too many strangers are being looked at already.

    Without an account nothing is `stored`, and nobody's password is looked at instead.
    """
    if len(password) > LONGEST_PASSWORD or not is_storable(password):
        password = ""
    if not known and not _STRANGERS.acquire(blocking=False):
        return None
    try:
        with _VERIFICATIONS:
            return _HASHER.verify(_nobody() if stored is None else stored, password)
    except (VerificationError, InvalidHashError):
        return False
    finally:
        if not known:
            _STRANGERS.release()


@lru_cache(maxsize=1)
def _nobody() -> str:
    return _HASHER.hash("nobody has this password \x00")


def _store_password(connection: Connection, account_id: int, password: str) -> None:
    table = schema.account
    hashed = _HASHER.hash(password)
    connection.execute(update(table).where(table.c.id == account_id).values(password=hashed))


__all__ = [
    "Account",
    "SignInRefused",
    "TooManyTries",
    "accounts",
    "change_password",
    "create_account",
    "disable_account",
    "enable_account",
    "end_session",
    "session",
    "session_seen",
    "session_within",
    "sign_in",
    "start_session",
]


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
