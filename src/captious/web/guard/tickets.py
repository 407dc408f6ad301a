"""Signed addresses that open one door for a while: creating the owner, entering the demo.

Twenty lines over hmac rather than the package itsdangerous, which reads the machine's own clock and
has no purposes.
"""

from __future__ import annotations

import hmac
import secrets
from typing import NamedTuple

HOUR = 3600.0


class Ticket(NamedTuple):
    """What a valid address says: for whom it is, and its own mark."""

    subject: str
    mark: str


def issue(secret: bytes, purpose: str, subject: str, *, now: float, hours: float) -> str:
    """A ticket that is good for some hours."""
    body = f"{subject}.{int(now + hours * HOUR)}.{secrets.token_hex(8)}"
    return f"{body}.{_signature(secret, purpose, body)}"


def read(secret: bytes, purpose: str, ticket: str, *, now: float) -> Ticket | None:
    """The ticket, or None where it is forged, for another door, or too old.

    >>> made = issue(b"s" * 16, "setup", "owner", now=0.0, hours=1)
    >>> read(b"s" * 16, "setup", made, now=60.0).subject
    'owner'
    >>> read(b"s" * 16, "demo", made, now=60.0) is read(b"s" * 16, "setup", made, now=3601.0)
    True
    """
    body, _, signature = ticket.rpartition(".")
    expected = _signature(secret, purpose, body)
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        return None
    subject, expires, mark = body.rsplit(".", 2)
    return Ticket(subject, mark) if now <= int(expires) else None


def _signature(secret: bytes, purpose: str, body: str) -> str:
    signed = f"{purpose}|{body}".encode("utf-8", "replace")
    return hmac.new(secret, signed, "sha256").hexdigest()[:40]
