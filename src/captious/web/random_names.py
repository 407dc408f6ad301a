"""Random names that cannot be guessed, taken from the system many at a time.

Asking the system for each costs a call in which Python's other threads take over.
"""

from __future__ import annotations

import base64
import os

AT_ONCE = 256
_ids: list[str] = []
_names: list[str] = []


def random_id() -> str:
    """Sixteen hexadecimal digits.

    >>> len(random_id()), random_id() == random_id()
    (16, False)
    """
    try:
        return _ids.pop()
    except IndexError:
        fresh = [drawn.hex() for drawn in _drawn(8)]
        last = fresh.pop()
        _ids.extend(fresh)
        return last


def random_name() -> str:
    """128 random bits, written as `secrets.token_urlsafe` does.

    >>> len(random_name()), random_name() == random_name()
    (22, False)
    """
    try:
        return _names.pop()
    except IndexError:
        fresh = [base64.urlsafe_b64encode(drawn).rstrip(b"=").decode() for drawn in _drawn(16)]
        last = fresh.pop()
        _names.extend(fresh)
        return last


def _drawn(size: int) -> list[bytes]:
    drawn = os.urandom(size * AT_ONCE)
    return [drawn[at : at + size] for at in range(0, len(drawn), size)]


def _forget() -> None:
    _ids.clear()
    _names.clear()


if hasattr(os, "register_at_fork"):  # A child must not draw what its parent draws.
    os.register_at_fork(after_in_child=_forget)
