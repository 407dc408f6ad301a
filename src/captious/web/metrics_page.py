"""`GET /metrics`: for Prometheus on this machine, or for whoever has the token.

The scoring service alone has the same page, without a database's figures.
"""

from __future__ import annotations

import hmac
import ipaddress

from anyio.to_thread import current_default_thread_limiter
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import func, select
from sqlalchemy.pool import QueuePool
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.web.guard.proxies_and_hosts import name_in
from captious.web.observe import metrics
from captious.web.observe.metrics import Figures

router = APIRouter()
TYPE = "text/plain; version=0.0.4; charset=utf-8"
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
async def figures(request: Request) -> Response:
    """All figures of all workers, as text."""
    if not _may(request):
        raise HTTPException(404)
    state = request.app.state
    found = metrics.added([local_figures(request.app), *metrics.of_others()]) | metrics.info()
    if hasattr(state, "db"):
        found |= await run_in_threadpool(_stored, state.db, state.remembered)
    return PlainTextResponse(metrics.exposition(found), media_type=TYPE)


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


def local_figures(app: object) -> Figures:
    """What this process knows of itself."""
    state = app.state  # type: ignore[attr-defined]
    found: Figures = state.metrics.figures()
    threads = current_default_thread_limiter().statistics()
    found["captious_threads_busy"] = threads.borrowed_tokens
    found["captious_threads_waiting"] = threads.tasks_waiting
    pool = state.db.engine.pool if hasattr(state, "db") else None
    if isinstance(pool, QueuePool):
        found["captious_pool_in_use"] = pool.checkedout()
        found["captious_pool_size"] = pool.size()
    if state.service is not None:
        found["captious_scoring_queue"] = state.service.queue.waiting
    room = getattr(getattr(state, "server", None), "room", None)
    if room is not None:
        found["captious_connections"] = room.present
        found["captious_connections_stalled"] = len(room.stalled)
        found["captious_connections_dropped_total"] = room.evicted
        found["captious_connections_timed_out_total"] = room.timed_out
        found["captious_connections_refused_total"] = room.turned_away
    return found


def _stored(db: Database, remembered: metrics.Remembered) -> Figures:
    if remembered.fresh():
        return remembered.found
    held = schema.assignment.c.state == "held"
    with db.read() as connection:
        responses = connection.execute(select(func.count()).select_from(schema.response)).scalar_one()
        tasks = connection.execute(
            select(func.count()).select_from(schema.assignment).where(held)
        ).scalar_one()
    return remembered.put({"captious_responses": responses, "captious_tasks_held": tasks})
