"""The doorstep: the first page, the theme, and whether the application is well."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel
from starlette.datastructures import FormData
from starlette.responses import Response

from captious._version import __version__
from captious.campaigns.people import accounts
from captious.web import pages, security
from captious.web.entrance import held_work
from captious.web.errors import documented_pages
from captious.web.openapi import form_body

router = APIRouter()
YEAR = 365 * 24 * 3600


class Health(BaseModel):
    """The application answers and its database too."""

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
def health(request: Request) -> Health:
    """For a process manager: 200 when the database answers."""
    db = security.db_of(request)
    accounts.session(db, "nobody")
    return Health(status="ok", version=__version__, database=db.kind)
