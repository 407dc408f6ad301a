"""API tokens: who may ask for what, and how much; only their digests are kept.

They lie in one SQLite file of the service's folder, beside the captions that each has sent on each day.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from captious.errors import InputError, UnknownNameError, one_line

Scope = Literal["score", "jobs"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
FILE = "tokens.db"
PREFIX = "captious_"
DAY = 86_400
LONGEST_NAME = 100
MOST = 10**12
_TABLES = """
CREATE TABLE IF NOT EXISTS token (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    per_minute INTEGER, per_day INTEGER, created REAL NOT NULL, revoked REAL
) STRICT;
CREATE TABLE IF NOT EXISTS usage (
    token TEXT NOT NULL, day INTEGER NOT NULL, captions INTEGER NOT NULL, requests INTEGER NOT NULL,
    PRIMARY KEY (token, day)
) STRICT;
CREATE TABLE IF NOT EXISTS at_once (token TEXT PRIMARY KEY, captions INTEGER NOT NULL) STRICT;
"""


class Token(NamedTuple):
    """A token without its secret; quotas count captions, None for none."""

    id: str
    name: str
    scopes: tuple[str, ...]
    per_minute: int | None
    per_day: int | None
    created: float
    revoked: float | None = None


class TokenStore:
    """The tokens of a service's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def create(
        self, name: str, scopes: Iterable[str], per_minute: int | None = None, per_day: int | None = None
    ) -> tuple[str, Token]:
        """A new token: its secret, which is told once, and what is kept of it."""
        chosen = tuple(dict.fromkeys(scopes))
        for scope in chosen:
            if scope not in SCOPES:
                raise UnknownNameError("scope", scope, SCOPES)
        if not chosen or not 0 < len(name.strip()) <= LONGEST_NAME or not name.isprintable():
            raise InputError(
                f"token: needs a name of 1 to {LONGEST_NAME} printable characters and at least one scope: "
                f"{', '.join(SCOPES)}."
            )
        for what, quota in (("minute", per_minute), ("day", per_day)):
            if quota is not None and not 0 < quota <= MOST:
                raise InputError(
                    f"token: {quota} captions per {what} is not a valid quota. Give 1 to {MOST:,}."
                )
        secret = PREFIX + secrets.token_urlsafe(32)
        made = Token(secrets.token_hex(4), name.strip(), chosen, per_minute, per_day, time.time())
        with self._open() as db:
            db.execute(
                "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                (made.id, made.name, digest(secret), ",".join(chosen), per_minute, per_day, made.created),
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
                "SELECT digest, id, name, scopes, per_minute, per_day, created, revoked "
                "FROM token ORDER BY created"
            ).fetchall()
        return [(row[0], Token(row[1], row[2], tuple(row[3].split(",")), *row[4:])) for row in rows]

    def used(self, day: int) -> dict[str, int]:
        """Captions of each token on a day (since 1970, UTC)."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return dict(db.execute("SELECT token, captions FROM usage WHERE day = ?", (day,)).fetchall())

    def used_at_once(self) -> dict[str, int]:
        """Captions of each token that no job sent, since it was made: quotas per minute count them."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return dict(db.execute("SELECT token, captions FROM at_once").fetchall())

    def add_usage(
        self, day: int, captions: dict[str, int], requests: dict[str, int], at_once: dict[str, int]
    ) -> None:
        """Count what was used since the last time."""
        with self._open() as db:
            db.executemany(
                "INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (token, day) DO UPDATE SET "
                "captions = captions + excluded.captions, requests = requests + excluded.requests",
                [(token, day, count, requests.get(token, 0)) for token, count in captions.items()],
            )
            db.executemany(
                "INSERT INTO at_once VALUES (?, ?) ON CONFLICT (token) DO UPDATE SET "
                "captions = captions + excluded.captions",
                list(at_once.items()),
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
    named = "SELECT count(*) FROM sqlite_master WHERE name IN ('token', 'usage', 'at_once')"
    return bool(db.execute(named).fetchone()[0] == 3)


def digest(secret: str) -> str:
    """What is kept of a token; 256 random bits need no slow hash.

    >>> digest("abc")[:8]  # the first test vector of FIPS 180
    'ba7816bf'
    """
    return hashlib.sha256(secret.encode()).hexdigest()
