"""Answers of chat models kept on disk, by what was asked, so that a run repeats at no cost.

One SQLite file holds one row per answer: the digest of the request, the model that answered, its text
and the tokens that it took. Threads and processes may read and write at once.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from captious.errors import InputError
from captious.files import cache_folder

_ROWS_A_QUERY = 500
_PATIENCE = 30.0  # seconds to wait for another process's write
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    request TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL)"""


class Stored(NamedTuple):
    """An answer as it is kept."""

    model: str
    text: str
    tokens_in: int
    tokens_out: int


def request_key(request: dict[str, Any]) -> str:
    """The name of a request by its content.

    >>> request_key({"model": "m", "n": 1}) == request_key({"n": 1, "model": "m"})
    True
    """
    text = json.dumps(request, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Answers:
    """The store in one file; the default is in captious' cache."""

    def __init__(self, path: str = "") -> None:
        self.path = Path(path).expanduser() if path else cache_folder() / "judge" / "answers.db"

    def read(self, keys: Iterable[str]) -> dict[str, Stored]:
        """The stored answers among `keys`."""
        wanted = list(dict.fromkeys(keys))
        if not self.path.is_file():
            return {}
        found: dict[str, Stored] = {}
        with self._open() as store:
            for start in range(0, len(wanted), _ROWS_A_QUERY):
                part = wanted[start : start + _ROWS_A_QUERY]
                query = (
                    "SELECT request, model, text, tokens_in, tokens_out FROM answers "
                    f"WHERE request IN ({','.join('?' * len(part))})"
                )
                found |= {row[0]: Stored(*row[1:]) for row in store.execute(query, part)}
        return found

    def write(self, key: str, answer: Stored) -> None:
        """Keep one answer."""
        with self._open() as store:
            store.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, *answer))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as store, store:
                store.execute(_TABLE)
                yield store
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"{self.path}: cannot be used to store answers ({error}). Name another file with store=…"
            ) from None
