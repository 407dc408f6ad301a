"""Pages of ours in a frame of a provider's site, as Mechanical Turk shows them, and nowhere else.

Only a rater's pages of a campaign that is published at such a provider may be framed, and only by the
provider's own origins. In a frame browsers keep no cookie of another site unless it is `SameSite=None`,
and soon none that is not `Partitioned` (kept for the pair of both sites). Such cookies are given only
there; writes need the session's CSRF token as everywhere.
"""

from __future__ import annotations

import re

from fastapi import Request
from starlette.responses import Response

from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.crowd import studies
from captious.errors import CaptiousError

# A study's address, and the pages that a rater sees at work.
_PAGES = re.compile(r"/(go|work|guide|results|board)/([^/]+)")


def framers(request: Request) -> tuple[str, ...]:
    """The origins that may show this page in a frame; none for a page that is not asked for in one."""
    if request.headers.get("sec-fetch-dest") != "iframe":
        return ()
    found: tuple[str, ...] | None = getattr(request.state, "framers", None)
    if found is None:
        page = _PAGES.match(request.url.path)
        found = _allowed(request.app.state.db, *page.groups()) if page else ()
        request.state.framers = found
    return found


def _allowed(db: Database, kind: str, name: str) -> tuple[str, ...]:
    try:
        own = [studies.by_key(db, name)] if kind == "go" else studies.listed(db, lifecycle.find(db, name))
        return tuple(
            dict.fromkeys(origin for one in own if one.remote for origin in one.provider().framed_by())
        )
    except CaptiousError:
        return ()


def give_cookie(
    request: Request, response: Response, name: str, value: str, *, secure: bool, max_age: int | None = None
) -> None:
    """A cookie that scripts cannot read, and that also a page in a provider's frame gets back."""
    if not framers(request):
        response.set_cookie(
            name, value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=secure
        )
        return
    age = "" if max_age is None else f"; Max-Age={max_age}"
    # Written out, because Python's own cookies know `Partitioned` from 3.14 on only.
    kept = f"{name}={value}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned{age}"
    response.headers.append("set-cookie", kept)


def take_cookie(request: Request, response: Response, name: str) -> None:
    """Take back a cookie of `give_cookie`."""
    if framers(request):
        give_cookie(request, response, name, "", secure=True, max_age=0)
    else:
        response.delete_cookie(name, path="/")
