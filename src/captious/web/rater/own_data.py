"""What is stored of a rater, for the rater; and its erasure."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.people.erasure import erase, stored_of
from captious.errors import InputError
from captious.web import pages
from captious.web.errors import documented_pages
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.pages import texts

router = APIRouter(tags=["rater pages"])
Sent = Annotated[FormData, Depends(security.submitted)]


@router.get("/data/{slug}", response_class=HTMLResponse, responses=documented_pages(401))
def own_data(request: Request, slug: str) -> Response:
    """What is stored of the rater, and the button that erases it."""
    return _page(request, slug)


@router.post(
    "/data/{slug}",
    status_code=303,
    response_class=Response,
    responses={303: {"description": "Erased; to the first page."}, **documented_pages(401, 403, 409, 415)},
    openapi_extra=form_body({"sure": "yes"}, required=["csrf", "sure"]),
)
def erase_own(request: Request, slug: str, form: Sent) -> Response:
    """Erase who the rater was; what they answered stays."""
    at = security.current_rater(request, slug)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    if security.text_field(form, "sure") != "yes":
        return _page(request, slug, "data.not_sure")
    try:
        erase(security.db_of(request), at.rater)
    except InputError as error:
        return _page(request, slug, str(error))
    response = pages.redirect(request, "/", flash="data.done")
    security.end_session(request, response, slug)
    return response


def _page(request: Request, slug: str, problem: str = "") -> Response:
    at = security.current_rater(request, slug)
    t = texts(at.campaign.settings.language)
    return pages.render(
        request,
        "rater/data.html",
        texts_of=t,
        status_code=409 if problem else 200,
        at=at,
        slug=slug,
        problem=t(problem) if problem == "data.not_sure" else problem,
        stored=stored_of(security.db_of(request), at.rater)._asdict(),
        days=at.campaign.settings.retention_days,
    )
