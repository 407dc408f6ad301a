"""`GET /metrics`: for Prometheus on this machine, or for whoever has the token.

The scoring service alone has the same page, without what a database holds.
"""

from __future__ import annotations

import hmac
import ipaddress
import time

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy import func, select
from starlette.exceptions import HTTPException
from starlette.responses import Response

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.web.guard.headers_and_limits import name_in
from captious.web.observe.observer import Metrics

router = APIRouter()
OF_PROXIES = (
    "forwarded",
    "via",
    "x-real-ip",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-server",
)


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """The metrics of all workers, as text."""
    if not _may(request):
        raise HTTPException(404)
    state = request.app.state
    own: Metrics = state.metrics
    if hasattr(state, "db") and time.monotonic() > own.stored_until:
        own.store(await run_in_threadpool(_stored, state.db))
    own.sample(state)
    return Response(own.exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _may(request: Request) -> bool:
    """With a token, whoever has it; without one, this machine, unless a proxy speaks for someone."""
    token = request.app.state.settings.metrics_token
    if token:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
    if any(name in request.headers for name in OF_PROXIES):
        return False
    # A proxy that says nothing of itself passes on the name that the public uses.
    public = name_in(request.app.state.settings.base_url)
    asked = name_in(f"//{request.headers.get('host', '')}")
    if asked == public and not _is_loopback(public):
        return False
    return _is_loopback(request.client.host if request.client else "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _stored(db: Database) -> dict[str, float]:
    held = schema.assignment.c.state == "held"
    with db.read() as connection:
        responses = connection.execute(select(func.count()).select_from(schema.response)).scalar_one()
        tasks = connection.execute(
            select(func.count()).select_from(schema.assignment).where(held)
        ).scalar_one()
    return {"captious_responses": responses, "captious_tasks_held": tasks}
