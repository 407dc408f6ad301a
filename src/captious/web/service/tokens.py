"""API tokens: who may ask for what, and how much of it."""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError, UnknownNameError, one_line

# API tokens: who may ask, and for how much; only their digests are kept.
# They lie in one SQLite file of the service's folder, beside the captions that each has sent on each day.


FILE = "tokens.db"
PREFIX = "captious_"
DAY = 86_400
LONGEST_NAME = 100
MOST = 10**12
_TABLES = """
CREATE TABLE IF NOT EXISTS token (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE,
    per_minute INTEGER, per_day INTEGER, created REAL NOT NULL, revoked REAL
) STRICT;
CREATE TABLE IF NOT EXISTS usage (
    token TEXT NOT NULL, day INTEGER NOT NULL, captions INTEGER NOT NULL, requests INTEGER NOT NULL,
    PRIMARY KEY (token, day)
) STRICT;
"""


class Token(NamedTuple):
    """A token without its secret; quotas count captions, None for none."""

    id: str
    name: str
    per_minute: int | None
    per_day: int | None
    created: float
    revoked: float | None = None


class TokenStore:
    """The tokens of a service's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def create(
        self, name: str, per_minute: int | None = None, per_day: int | None = None
    ) -> tuple[str, Token]:
        """A new token: its secret, which is told once, and what is kept of it."""
        if not 0 < len(name.strip()) <= LONGEST_NAME or not name.isprintable():
            raise InputError(f"token: needs a name of 1 to {LONGEST_NAME} printable characters.")
        for what, quota in (("minute", per_minute), ("day", per_day)):
            if quota is not None and not 0 < quota <= MOST:
                raise InputError(
                    f"token: {quota} captions per {what} is not a valid quota. Give 1 to {MOST:,}."
                )
        secret = PREFIX + secrets.token_urlsafe(32)
        made = Token(secrets.token_hex(4), name.strip(), per_minute, per_day, time.time())
        with self._open() as db:
            db.execute(
                "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (made.id, made.name, digest(secret), per_minute, per_day, made.created),
            )
        return secret, made

    def revoke(self, which: str) -> Token:
        """End a token, named by its id or its name."""
        living = [token for token in self.all() if token.revoked is None]
        found = [token for token in living if which in (token.id, token.name)]
        if not found:
            raise UnknownNameError("token", which, [token.name for token in living])
        if len(found) > 1:
            ids = ", ".join(token.id for token in found)
            raise InputError(
                f'token "{one_line(which)}": {len(found)} tokens have this name. Give the id of one: {ids}.'
            )
        with self._open() as db:
            db.execute("UPDATE token SET revoked = ? WHERE id = ?", (time.time(), found[0].id))
        return found[0]

    def all(self) -> list[Token]:
        """Every token, the oldest first, also those that are revoked."""
        return [token for _, token in self.by_digest()]

    def by_digest(self) -> list[tuple[str, Token]]:
        """Digest and token, also of those that are revoked."""
        if not self.path.exists():
            return []
        with self._open() as db:
            rows = db.execute(
                "SELECT digest, id, name, per_minute, per_day, created, revoked FROM token ORDER BY created"
            ).fetchall()
        return [(row[0], Token(*row[1:])) for row in rows]

    def used(self, day: int) -> dict[str, int]:
        """Captions of each token on a day (since 1970, UTC)."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return dict(db.execute("SELECT token, captions FROM usage WHERE day = ?", (day,)).fetchall())

    def used_ever(self) -> dict[str, int]:
        """Captions of each token since it was made."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return dict(db.execute("SELECT token, sum(captions) FROM usage GROUP BY token").fetchall())

    def add_usage(self, day: int, captions: dict[str, int], requests: dict[str, int]) -> None:
        """Count what was used since the last time."""
        with self._open() as db:
            db.executemany(
                "INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (token, day) DO UPDATE SET "
                "captions = captions + excluded.captions, requests = requests + excluded.requests",
                [(token, day, count, requests.get(token, 0)) for token, count in captions.items()],
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
            db = sqlite3.connect(self.path, timeout=10)
        except (OSError, sqlite3.Error) as error:
            line = f"{self.path}: cannot be opened ({error}). Check the permissions of its folder."
            raise InputError(line) from None
        try:
            with db:
                db.executescript(_TABLES) if not _has_tables(db) else None
                yield db
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: cannot be used ({error}). Check the file and the disk."
            ) from error
        finally:
            db.close()


def _has_tables(db: sqlite3.Connection) -> bool:
    named = "SELECT count(*) FROM sqlite_master WHERE name IN ('token', 'usage')"
    return bool(db.execute(named).fetchone()[0] == 2)


def digest(secret: str) -> str:
    """What is kept of a token; 256 random bits need no slow hash.

    >>> digest("abc")[:8]  # the first test vector of FIPS 180
    'ba7816bf'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


# How much of its quota each token has used, and the tokens as a server knows them.
# A server reads the tokens again, and writes its counts, every few seconds: with several server processes
# a quota may so be passed by what arrives in that time.


MINUTE = 60
FRESH = 2.0  # seconds after which tokens are read and counts are written again
LONGEST = 200  # characters of a secret that are looked at
_log = logging.getLogger("captious.web")


@dataclass(frozen=True)
class OverQuota(Exception):  # noqa: N818 - an answer, not a fault
    """The token's captions are used up; in `wait_seconds` there are some again."""

    line: str
    wait_seconds: int


class Meter:
    """The tokens as a server knows them, and how much of its quota each has used."""

    def __init__(self, store: TokenStore) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._known: dict[str, Token] = {}
        self.today = 0
        self._used: dict[str, int] = {}  # today, by all servers
        self._fresh: dict[str, int] = {}  # of that, not yet written
        self._requests: dict[str, int] = {}
        self._minutes: dict[str, tuple[float, float]] = {}  # captions left, and when that was
        self._ever: dict[str, int] | None = None  # by all servers, when last read

    @contextmanager
    def keeping_fresh(self) -> Iterator[None]:
        """Read and write beside the requests while the block runs, and once more at its end."""
        ended = threading.Event()

        def keep() -> None:
            while not ended.wait(FRESH):
                try:
                    self.refresh()
                except InputError as error:
                    _log.warning("%s", error)  # what is known stays known

        self.refresh()
        thread = threading.Thread(target=keep, name="captious-tokens", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.refresh()

    def find(self, secret: str) -> Token | None:
        """The living token of a secret."""
        token = self._known.get(digest(secret[:LONGEST]))
        return token if token is not None and token.revoked is None else None

    def refresh(self) -> None:
        """Write what was used, and read tokens and counts again; requests go on meanwhile."""
        today = int(time.time() // DAY)
        with self._lock:
            fresh, self._fresh = self._fresh, {}
            requests, self._requests = self._requests, {}
        try:
            if requests:
                self.store.add_usage(self.today or today, fresh, requests)
        except InputError:
            with self._lock:
                _add(self._fresh, fresh)
                _add(self._requests, requests)
            raise
        known, used = dict(self.store.by_digest()), self.store.used(today)
        ever = self.store.used_ever()
        with self._lock:
            self.today, self._known, self._used = today, known, used
            _add(self._used, self._fresh)
            self._take_from_minutes(ever, fresh)

    def _take_from_minutes(self, ever: dict[str, int], own: dict[str, int]) -> None:
        """Count what other servers let through since the last look, as if it had come here."""
        before, self._ever = self._ever, ever
        if before is None:
            return
        for token in self._known.values():
            others = ever.get(token.id, 0) - before.get(token.id, 0) - own.get(token.id, 0)
            if others > 0 and token.per_minute is not None:
                left, now = self._left(token, token.per_minute)
                self._minutes[token.id] = (max(left - others, -float(token.per_minute)), now)

    def spend(self, token: Token, captions: int) -> None:
        """Count captions, or raise `OverQuota`."""
        with self._lock:
            used = self._used.get(token.id, 0)
            if token.per_day is not None and used + captions > token.per_day:
                left = max(0, token.per_day - used)
                line = (
                    f"{left:,} of {token.per_day:,} captions per day are left; the request has {captions:,}."
                )
                raise OverQuota(f"Token {token.name}: {line}", _until_tomorrow())
            if token.per_minute is not None:
                self._spend_minute(token, token.per_minute, captions)
            self._used[token.id] = used + captions
            self._fresh[token.id] = self._fresh.get(token.id, 0) + captions
            self._requests[token.id] = self._requests.get(token.id, 0) + 1

    def _spend_minute(self, token: Token, quota: int, captions: int) -> None:
        """A bucket that holds a minute's captions and fills steadily."""
        left, now = self._left(token, quota)
        if captions > left:
            self._minutes[token.id] = (left, now)
            wait = 1 + int((min(captions, quota) - left) * MINUTE / quota)
            whole = max(0, int(left))
            line = f"{whole:,} of {quota:,} captions per minute are left; the request has {captions:,}."
            if captions > quota:
                line = (
                    f"the request has {captions:,} captions; the quota is {quota:,} per minute. Send fewer."
                )
            raise OverQuota(f"Token {token.name}: {line}", wait)
        self._minutes[token.id] = (left - captions, now)

    def _left(self, token: Token, quota: int) -> tuple[float, float]:
        """The captions of the minute that are left, and the time."""
        now = time.monotonic()
        left, then = self._minutes.get(token.id, (float(quota), now))
        return min(float(quota), left + (now - then) * quota / MINUTE), now


def _add(counts: dict[str, int], more: dict[str, int]) -> None:
    for name, count in more.items():
        counts[name] = counts.get(name, 0) + count


def _until_tomorrow() -> int:
    now = datetime.now(UTC)
    return max(1, DAY - (now.hour * 3600 + now.minute * 60 + now.second))
