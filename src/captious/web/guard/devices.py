"""Browsers that have signed in before: strangers who guess cannot use up their tries.

The cookie opens nothing. It only says, signed by us, that this browser once knew the password of an
account, and gives it tries of its own there. Nobody without the password gets one.
"""

from __future__ import annotations

import hmac
import re
import secrets

from fastapi import Request
from starlette.responses import Response

from captious.web.guard import security

COOKIE = "captious_device"
YEAR = 365 * 24 * 3600
# One browser may know a few accounts; each part is an id and its signature.
MOST = 4
_PART = re.compile(r"[0-9a-f]{16}-[0-9a-f]{32}")


def known(request: Request, name: str) -> str:
    """The id under which this browser is known to an account, "" where it is not."""
    return next((part[:16] for part in _parts(request) if _is_for(request, part, name)), "")


def remember(request: Request, response: Response, name: str) -> None:
    """Let the browser keep that it has signed in to an account."""
    parts = _parts(request)
    if not any(_is_for(request, part, name) for part in parts):
        device = secrets.token_hex(8)
        parts = [f"{device}-{_signature(request, device, name)}", *parts]
    response.set_cookie(
        COOKIE,
        ".".join(parts[:MOST]),
        max_age=YEAR,
        path="/",
        httponly=True,
        samesite="lax",
        secure=security.is_secure(request),
    )


def _parts(request: Request) -> list[str]:
    given = request.cookies.get(COOKIE, "")
    return [part for part in given.split(".")[:MOST] if _PART.fullmatch(part)]


def _is_for(request: Request, part: str, name: str) -> bool:
    device, _, signature = part.partition("-")
    return hmac.compare_digest(signature, _signature(request, device, name))


def _signature(request: Request, device: str, name: str) -> str:
    secret = security.settings_of(request).secret
    return hmac.new(secret, f"device|{device}|{name}".encode(), "sha256").hexdigest()[:32]
