"""Which page comes next before the work, and the consent text as it is now."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.entry import surveys, training
from captious.campaigns.people import raters
from captious.campaigns.records import ConsentNeeded, RaterProgress
from captious.web import pages
from captious.web.errors import Responses, documented_pages
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.pages import texts


def begin_address(slug: str, part: str = "") -> str:
    """Where a rater goes before the work; the page itself knows what is missing.

    >>> begin_address("dogs"), begin_address("dogs", "training")
    ('/begin/dogs', '/begin/dogs/training')
    """
    return f"/begin/{slug}/{part}" if part else f"/begin/{slug}"


def onwards(request: Request, at: AtWork) -> Response:
    """To the next thing before the work, or to the work."""
    fresh = security.current_rater(request, at.campaign.slug)
    step = training.pending(security.db_of(request), fresh.campaign, fresh.rater)
    slug = at.campaign.slug
    return pages.redirect(request, begin_address(slug, step) if step else f"/work/{slug}")


def survey_due(request: Request, at: AtWork, progress: RaterProgress) -> bool:
    """Whether the rater has done all there was and has not answered the survey after it."""
    if not at.campaign.settings.survey_after or not progress.answered or progress.wait_until is not None:
        return False
    if not at.rater.works or at.campaign.state == "paused":
        return False
    return surveys.is_open(security.db_of(request), at.campaign, at.rater, "after")


router = APIRouter()
Sent = Annotated[FormData, Depends(security.submitted)]
ON: Responses = {303: {"description": "On to what comes next."}}


@router.get("/begin/{slug}", response_class=HTMLResponse, responses={**ON, **documented_pages(401)})
def begin(request: Request, slug: str) -> Response:
    """To what is missing before the work, or to the work."""
    return onwards(request, security.current_rater(request, slug))


@router.get("/begin/{slug}/consent", response_class=HTMLResponse, responses={**ON, **documented_pages(401)})
def consent_text(request: Request, slug: str) -> Response:
    """The text and the tick."""
    at = security.current_rater(request, slug)
    wanted = at.campaign.settings.consent_version
    if not wanted or at.rater.consent_version == wanted:
        return onwards(request, at)
    return _page(request, at)


@router.post(
    "/begin/{slug}/consent",
    status_code=303,
    response_class=Response,
    responses={**ON, **documented_pages(401, 403, 415)},
    openapi_extra=form_body({"consent": "Version of the consent text agreed to."}, required=["csrf"]),
)
def agree(request: Request, slug: str, form: Sent) -> Response:
    """Keep which text was agreed to, and when."""
    at = security.current_rater(request, slug)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    try:
        raters.agree(security.db_of(request), at.campaign, at.rater, security.text_field(form, "consent"))
    except ConsentNeeded:
        return _page(request, at, unticked=True)
    return pages.redirect(request, f"/begin/{slug}")


def _page(request: Request, at: AtWork, *, unticked: bool = False) -> Response:
    return pages.render(
        request,
        "rater/entry/consent.html",
        status_code=422 if unticked else 200,
        texts_of=texts(at.campaign.settings.language),
        campaign=at.campaign,
        again=bool(at.rater.consent_version),
        unticked=unticked,
    )
