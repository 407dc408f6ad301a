"""What an answer brought about, on a page of its own, and the leaderboard."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.people import board
from captious.campaigns.store import images
from captious.campaigns.work import assignment
from captious.errors import InputError
from captious.protocols.capabilities import Game, KnownPast
from captious.web import pages
from captious.web.errors import documented_pages
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.pages import texts
from captious.web.rater.task_page import board_address
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
Sent = Annotated[FormData, Depends(security.submitted)]


def result_address(slug: str, task: str) -> str:
    """Where the result of an answer is shown."""
    return f"/results/{slug}/{task}"


@router.get("/results/{slug}/{task}", response_class=HTMLResponse, responses=documented_pages(401, 409))
def result(request: Request, slug: str, task: str) -> Response:
    """What the rater's answer to a task was worth; nothing before it is answered."""
    at = security.current_rater(request, slug)
    db = security.db_of(request)
    found = assignment.task(db, at.rater, task)
    if found.answered is None:
        raise Refusal(409, "result.not_yet")
    rules = at.campaign.rules()
    digest = images.digest_of(db, at.campaign, found.item.image)
    return pages.render(
        request,
        "rater/result.html",
        texts_of=texts(at.campaign.settings.language),
        at=at,
        slug=slug,
        image=f"/images/{slug}/{digest}" if digest else "",
        captions=found.item.captions,
        lines=found.feedback,
        mood=Game.of(rules).mood(found.noted),
        record_lines=KnownPast.of(rules).record_lines(at.rater.record or {}),
        board=board_address(at.campaign),
    )


@router.get("/board/{slug}", response_class=HTMLResponse, responses=documented_pages(401, 404))
def leaderboard(request: Request, slug: str) -> Response:
    """The leaderboard, and the rater's own nickname on it."""
    return _board(request, _player(request, slug))


@router.post(
    "/board/{slug}",
    status_code=303,
    response_class=Response,
    responses={303: {"description": "Kept."}, **documented_pages(401, 403, 404, 415)},
    openapi_extra=form_body(
        {"nickname": "Shown to other players; empty: not on the board."}, required=["csrf"]
    ),
)
def join_board(request: Request, slug: str, form: Sent) -> Response:
    """Choose a nickname, or leave the board."""
    at = _player(request, slug)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    try:
        board.choose_nickname(security.db_of(request), at.rater, security.text_field(form, "nickname"))
    except InputError as error:
        return _board(request, at, str(error))
    return pages.redirect(request, f"/board/{slug}")


def _player(request: Request, slug: str) -> AtWork:
    at = security.current_rater(request, slug)
    if not board_address(at.campaign):
        raise Refusal(404, "error.404")
    return at


def _board(request: Request, at: AtWork, problem: str = "") -> Response:
    return pages.render(
        request,
        "rater/board.html",
        status_code=422 if problem else 200,
        texts_of=texts(at.campaign.settings.language),
        at=at,
        slug=at.campaign.slug,
        places=board.leaderboard(security.db_of(request), at.campaign, at.rater),
        nickname=(at.rater.record or {}).get(board.NICKNAME, ""),
        record_lines=KnownPast.of(at.campaign.rules()).record_lines(at.rater.record or {}),
        longest=board.LONGEST,
        problem=problem,
    )
