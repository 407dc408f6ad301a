"""What a provider tells by itself: a place has changed. We then look at the provider, and at nothing else.

An event is signed by the provider (`Provider.heard`), so it needs no session. It may come twice, late or
never: reconciling is the same each time, and polling finds what was not told.
"""

from __future__ import annotations

import logging

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from captious.crowd import studies
from captious.crowd.base import ProviderError
from captious.crowd.reconcile import reconcile
from captious.errors import InputError
from captious.web.guard import security

router = APIRouter()
log = logging.getLogger("captious.web")
LATER = {"Retry-After": "60"}


@router.post("/go/{key}/events", status_code=204, include_in_schema=False)
async def event(request: Request, key: str) -> Response:
    """An event of the provider that the study with this key is published at."""
    body = await request.body()
    return await run_in_threadpool(_follow, request, key, body)


def _follow(request: Request, key: str, body: bytes) -> Response:
    db = security.db_of(request)
    try:
        stored = studies.by_key(db, key)
    except InputError:
        raise HTTPException(404) from None
    if stored.remote is None:
        raise HTTPException(404)
    try:
        place = stored.provider().heard(stored.study, stored.remote, request.headers, body, db.now())
        if place is None:
            raise HTTPException(403)
        if place:
            reconcile(db, stored)
    except ProviderError as error:
        # Whoever is not answered with success sends the event again.
        log.warning("event of a provider: %s", error)
        return Response(status_code=503, headers=LATER)
    return Response(status_code=204)
