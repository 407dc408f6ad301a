"""The scoring service by itself: an application without campaigns and without their database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from captious._version import __version__
from captious.web.service.access import error_answer
from captious.web.service.routes import Application
from captious.web.service.service import Service
from captious.web.service.settings import ServiceSettings

PREFIX = "/api/v1"


def scoring_app(settings: ServiceSettings) -> Starlette:
    """The service at `/api/v1`, with `/health` beside it; it runs while the application does."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with service.running():
            yield

    app = around(service)
    app.router.lifespan_context = lifespan
    return app


def around(service: Service) -> Starlette:
    """The application around a service that somebody else starts and stops."""

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def nothing(_: Request, __: Exception) -> Response:
        return error_answer(404, f"There is nothing at this address. The service is at {PREFIX}.")

    app = Starlette(
        routes=[Mount(PREFIX, Application(service)), Route("/health", health)],
        exception_handlers={404: nothing},
    )
    app.state.service = service
    return app
