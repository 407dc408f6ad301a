"""API tokens: who may ask, and for how much; only their digests are kept.

They lie in one SQLite file of the service's folder, beside the captions that each has sent on each day.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError, UnknownNameError, one_line

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
