"""The surveys before the first task and after the last, on the form that questions have everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.entry import surveys
from captious.campaigns.entry.surveys import Moment
from captious.protocols import Form, Item, Problem
from captious.web import forms, pages
from captious.web.errors import documented_pages
from captious.web.forms import answers_to
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.pages import texts
from captious.web.rater.entry.consent_page import ON

router = APIRouter()
Sent = Annotated[FormData, Depends(security.submitted)]
_BODY = form_body({}, required=["csrf"], open_ended=True)
PARTS: dict[str, Moment] = {"survey": "before", "after": "after"}


@router.get("/begin/{slug}/survey", response_class=HTMLResponse, responses={**ON, **documented_pages(401)})
def before(request: Request, slug: str) -> Response:
    """The survey before the first task."""
    return _shown(request, slug, "before")


@router.get("/begin/{slug}/after", response_class=HTMLResponse, responses={**ON, **documented_pages(401)})
def after(request: Request, slug: str) -> Response:
    """The survey after the last task."""
    return _shown(request, slug, "after")


@router.post(
    "/begin/{slug}/survey",
    status_code=303,
    response_class=Response,
    responses={**ON, **documented_pages(401, 403, 415)},
    openapi_extra=_BODY,
)
def answer_before(request: Request, slug: str, form: Sent) -> Response:
    """Keep the answers and go on."""
    return _answered(request, slug, "before", form)


@router.post(
    "/begin/{slug}/after",
    status_code=303,
    response_class=Response,
    responses={**ON, **documented_pages(401, 403, 415)},
    openapi_extra=_BODY,
)
def answer_after(request: Request, slug: str, form: Sent) -> Response:
    """Keep the answers; the work is done."""
    return _answered(request, slug, "after", form)


def _next(slug: str, moment: Moment) -> str:
    return f"/begin/{slug}" if moment == "before" else f"/work/{slug}"


def _shown(request: Request, slug: str, moment: Moment) -> Response:
    at = security.current_rater(request, slug)
    form = surveys.form_of(at.campaign.settings, moment)
    if form is None or not surveys.is_open(security.db_of(request), at.campaign, at.rater, moment):
        return pages.redirect(request, _next(slug, moment))
    return _page(request, at, moment, form)


def _answered(request: Request, slug: str, moment: Moment, sent: FormData) -> Response:
    at = security.current_rater(request, slug)
    security.require_csrf(request, security.text_field(sent, security.CSRF_FIELD))
    form = surveys.form_of(at.campaign.settings, moment)
    if form is None:
        return pages.redirect(request, _next(slug, moment))
    given = answers_to(_item(form), sent)
    problems = surveys.answer(security.db_of(request), at.campaign, at.rater, moment, given)
    if problems:
        return _page(request, at, moment, form, given, problems)
    return pages.redirect(request, _next(slug, moment), flash="entry.survey.kept")


def _item(form: Form) -> Item:
    """The survey as pages show questions: an item without a picture and without a caption."""
    return Item(key="survey", image="", captions=(), form=form, sources={})


def _page(
    request: Request,
    at: AtWork,
    moment: Moment,
    form: Form,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    t = texts(at.campaign.settings.language)
    return pages.render(
        request,
        "rater/entry/survey.html",
        status_code=422 if problems else 200,
        texts_of=t,
        campaign=at.campaign,
        moment=moment,
        form=forms.view(_item(form), t, answers=answers or {}, problems=problems),
        action=f"/begin/{at.campaign.slug}/{'survey' if moment == 'before' else 'after'}",
    )
