"""Not answering yet: a draft is kept, a task is put aside with a reason, or the lead is told of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.work import aside, assignment
from captious.web import pages
from captious.web.errors import Responses, documented_pages
from captious.web.forms import ASIDE, FINE, NOTE, all_fine, answers_to, touched
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.pages import wants_json
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
Sent = Annotated[FormData, Depends(security.submitted)]
_ON: Responses = {303: {"description": "Noted; on to the work."}}


@router.post(
    "/work/{slug}/{task}/draft",
    status_code=303,
    response_class=Response,
    responses={
        204: {"description": "Kept, for a script."},
        303: {"description": "Kept; back to the task."},
        **documented_pages(401, 403, 409, 415),
    },
    openapi_extra=form_body({}, required=["csrf"], open_ended=True),
)
def keep_draft(request: Request, slug: str, task: str, form: Sent) -> Response:
    """Keep what has been filled in so far; it counts for nothing until it is submitted."""
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, security.token_of(request, form))
    db = security.db_of(request)
    found = assignment.task(db, rater, task)
    answers = touched(answers_to(found.item, form), form)
    if form.get(FINE):
        answers = all_fine(found.item, answers, security.text_field(form, FINE))
    assignment.save_draft(db, rater, task, answers)
    if wants_json(request):
        return Response(status_code=204)
    return pages.redirect(request, f"/work/{slug}", flash="work.draft_kept")


@router.post(
    "/work/{slug}/{task}/aside",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(401, 403, 409, 415)},
    openapi_extra=form_body(
        {ASIDE: "skip, cannot, image or note.", NOTE: "Words for those who run the campaign."},
        required=["csrf", ASIDE],
        open_ended=True,
    ),
)
def put_aside(request: Request, slug: str, task: str, form: Sent) -> Response:
    """Give the task back unanswered, or leave a note about it and keep it; what is filled in is kept."""
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    db = security.db_of(request)
    found = assignment.task(db, rater, task)
    kind, text = security.text_field(form, ASIDE), security.text_field(form, NOTE)
    if kind == aside.NOTE:
        if not text.strip():
            return pages.redirect(request, f"/work/{slug}", flash="aside.empty")
        aside.tell(db, rater, task, text)
    elif kind in aside.ASIDES:
        draft = touched(answers_to(found.item, form), form)
        aside.put_aside(db, rater, task, kind, text=text, draft=draft)
    else:
        raise Refusal(422, "aside.unknown")
    return pages.redirect(request, f"/work/{slug}", flash=f"aside.done.{kind}")


@router.post(
    "/skipped/{slug}",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(401, 403, 415)},
    openapi_extra=form_body({}, required=["csrf"]),
)
def bring_back(request: Request, slug: str, form: Sent) -> Response:
    """Show the rater what they skipped."""
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    aside.bring_back(security.db_of(request), rater)
    return pages.redirect(request, f"/work/{slug}")
