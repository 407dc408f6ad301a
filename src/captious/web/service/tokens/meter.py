"""How much of its quota each token has used, and the tokens as a server knows them.

A server reads the tokens again, and writes its counts, every few seconds: with several server processes
a quota may so be passed by what arrives in that time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from captious.errors import InputError
from captious.web.service.tokens.store import DAY, Token, TokenStore, digest

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
