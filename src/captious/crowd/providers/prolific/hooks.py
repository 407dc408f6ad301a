"""Events that Prolific sends by itself: are they from Prolific, and of which submission do they speak?

Each carries the headers `X-Prolific-Request-Timestamp` and `X-Prolific-Request-Signature`: the base64
of HMAC-SHA256 with the workspace's secret over the timestamp and the body
(docs.prolific.com/api-reference/webhooks/verifying).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterable, Mapping

TIMESTAMP = "x-prolific-request-timestamp"
SIGNATURE = "x-prolific-request-signature"
SUBMISSION_EVENT = "submission.status.change"
# An old event that somebody sends again is refused; clocks may differ by this much.
TOLERANCE = 300.0
KEPT = 60.0


def is_signed(headers: Mapping[str, str], body: bytes, secrets: Iterable[str], now: float) -> bool:
    """Whether an event was signed with one of the workspace's secrets, and not long ago.

    >>> signed = {TIMESTAMP: "1000", SIGNATURE: signature("s3cret", "1000", b"{}")}
    >>> [is_signed(signed, b"{}", ["old", "s3cret"], now) for now in (1010.0, 2000.0)]
    [True, False]
    >>> is_signed(signed, b"{ }", ["s3cret"], 1010.0)
    False
    """
    named = {name.lower(): value for name, value in headers.items()}
    stamp, given = named.get(TIMESTAMP, ""), named.get(SIGNATURE, "")
    if not is_timely(headers, now):
        return False
    made = (signature(secret, stamp, body) for secret in secrets if secret)
    return any(hmac.compare_digest(one.encode(), given.encode()) for one in made)


def is_timely(headers: Mapping[str, str], now: float) -> bool:
    """Whether an event says that it was sent just now."""
    stamp = {name.lower(): value for name, value in headers.items()}.get(TIMESTAMP, "")
    return stamp.isascii() and stamp.isdigit() and len(stamp) < 12 and abs(now - int(stamp)) <= TOLERANCE


class Secrets:
    """The secrets of workspaces, kept in memory only, so that a flood of fakes is no flood of requests."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, list[str]]] = {}
        self._lock = threading.Lock()

    def of(self, workspace: str, ask: Callable[[], list[str]], now: float) -> list[str]:
        """The secrets of a workspace, asked for again after a while: they may be replaced.

        >>> kept = Secrets()
        >>> [kept.of("w", lambda: [f"asked at {now}"], now) for now in (0.0, 30.0, 90.0)]
        [['asked at 0.0'], ['asked at 0.0'], ['asked at 90.0']]
        """
        with self._lock:
            asked, found = self._kept.get(workspace, (0.0, []))
            if workspace not in self._kept or not 0 <= now - asked < KEPT:
                found = ask()
                self._kept[workspace] = now, found
            return found


def signature(secret: str, stamp: str, body: bytes) -> str:
    """What Prolific writes in the header."""
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def submission_named(body: bytes) -> str:
    """The submission whose status has changed; empty where the event speaks of something else.

    >>> submission_named(b'{"resource_id": "s1", "event_type": "submission.status.change"}')
    's1'
    >>> submission_named(b'{"resource_id": "x", "event_type": "study.status.change"}')
    ''
    """
    try:
        event = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(event, dict) or event.get("event_type") != SUBMISSION_EVENT:
        return ""
    return str(event.get("resource_id") or "")
