"""The doorstep: the first page, the theme, and whether the application is well."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import FormData
from starlette.responses import Response

from captious._version import __version__
from captious.campaigns.store.database import Database
from captious.errors import one_line
from captious.web import pages
from captious.web.entrance import held_work
from captious.web.errors import RETRY_SECONDS, STATUSES, documented_pages
from captious.web.guard import security
from captious.web.openapi import form_body

router = APIRouter()
YEAR = 365 * 24 * 3600


class Ready(BaseModel):
    """Whether an answer could be stored now, and why not."""

    status: Literal["ready", "not ready"]
    reason: str = ""


class Health(BaseModel):
    """The application answers."""

    status: Literal["ok"]
    version: str
    database: str


@router.get("/", response_class=HTMLResponse, responses=documented_pages(), tags=["pages"])
def home(request: Request) -> Response:
    """Where raters and managers go from here."""
    return pages.render(request, "home.html", work=held_work(request))


@router.post(
    "/theme",
    status_code=303,
    response_class=Response,
    responses={303: {"description": "Back to the page."}, **documented_pages(415)},
    openapi_extra=form_body({"theme": "light, dark or nothing", "back": "where to go on"}),
    tags=["pages"],
)
def choose_theme(request: Request, form: Annotated[FormData, Depends(security.submitted)]) -> Response:
    """Keep the theme that the visitor wants; it holds nothing that needs a token."""
    response = pages.redirect(request, security.text_field(form, "back", "/"))
    chosen = security.text_field(form, "theme")
    if chosen in pages.THEMES:
        response.set_cookie(
            pages.THEME, chosen, max_age=YEAR, path="/", samesite="lax", secure=security.is_secure(request)
        )
    else:
        response.delete_cookie(pages.THEME, path="/")
    return response


@router.get("/health", tags=["service"])
async def health(request: Request) -> Health:
    """For a process manager: 200 while the process answers, whatever its database does."""
    return Health(status="ok", version=__version__, database=security.db_of(request).kind)


@router.get("/ready", tags=["service"], responses={503: {"model": Ready, "description": STATUSES[503]}})
async def ready(request: Request) -> Response:
    """For a load balancer: 200 when an answer could be stored now, tried with a write."""
    found = await _readiness(request)
    headers = {} if found.status == "ready" else {"Retry-After": str(RETRY_SECONDS)}
    return JSONResponse(found.model_dump(), status_code=503 if headers else 200, headers=headers)


@router.head("/health", include_in_schema=False)
@router.head("/ready", include_in_schema=False)
async def head(request: Request) -> Response:
    """The same; the server leaves the body out."""
    if request.url.path.endswith("/health"):
        return JSONResponse((await health(request)).model_dump())
    return await ready(request)


async def _readiness(request: Request) -> Ready:
    """Whether the database takes a write; asked by many at once it is tried once, in a thread of its own."""
    state = request.app.state
    trying: asyncio.Task[Ready] | None = getattr(state, "trying", None)
    if trying is None or trying.done() or trying.get_loop() is not asyncio.get_running_loop():
        trying = state.trying = asyncio.create_task(asyncio.to_thread(_try, security.db_of(request)))
    return await asyncio.shield(trying)


def _try(db: Database) -> Ready:
    try:
        db.try_to_write()
    except (SQLAlchemyError, OSError) as error:
        reason = getattr(error, "orig", error)
        return Ready(status="not ready", reason=one_line(str(reason), 200))
    return Ready(status="ready")
