"""The scoring service by itself: an application without campaigns and without their database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from captious._version import __version__
from captious.web.metrics_page import metrics
from captious.web.middleware import surround
from captious.web.service.api.access import error_answer
from captious.web.service.api.routes import PREFIX, ServiceRoutes, refused
from captious.web.service.service import Service
from captious.web.service.settings import ServiceSettings
from captious.web.settings import Reach

RETRY_SECONDS = 5
REFUSALS = {
    400: "The header Host does not name this service. The server can allow it with --allowed-hosts.",
    404: f"There is nothing at this address. The service is at {PREFIX}.",
    411: "Transfer-Encoding is not accepted. Send the body with a Content-Length.",
    413: "The body is too large. Send less in one request.",
}


def scoring_app(settings: ServiceSettings, reach: Reach | None = None) -> Starlette:
    """The service at `/api/v1`, with health and figures beside it; it runs while the application does."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with service.running():
            yield

    app = around(service, reach)
    app.router.lifespan_context = lifespan
    return app


def around(service: Service, reach: Reach | None = None) -> Starlette:
    """The application around a service that somebody else starts and stops."""

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def ready(_: Request) -> Response:
        reason = service.why_not_ready()
        if not reason:
            return JSONResponse({"status": "ready", "reason": ""})
        headers = {"Retry-After": str(RETRY_SECONDS)}
        return JSONResponse({"status": "not ready", "reason": reason}, 503, headers)

    async def nothing(_: Request, __: Exception) -> Response:
        return error_answer(404, REFUSALS[404])

    async def failed(_: Request, error: Exception) -> Response:
        return refused(error)

    async def refuse(scope: Scope, receive: Receive, send: Send, status: int) -> None:
        await error_answer(status, REFUSALS[status])(scope, receive, send)

    async def most(_: Scope) -> int:
        return service.limits.upload_bytes

    app = Starlette(
        routes=[Route("/health", health), Route("/ready", ready), Route("/metrics", metrics)],
        exception_handlers={404: nothing, Exception: failed},
    )
    app.state.service = service
    app.add_middleware(ServiceRoutes, service=service)
    surround(app, reach or Reach(), most=most, refuse=refuse)
    return app
