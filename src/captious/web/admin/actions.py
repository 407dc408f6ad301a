"""Opening, pausing, closing, extending, and THumB's extra rounds: each is confirmed first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.protocols.form import as_number
from captious.protocols.thumb import AUDIT_CAPTIONS
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Run, Written, head, show, texts_of, words
from captious.web.openapi import form_body

router = APIRouter()

Action = Literal["open", "pause", "resume", "close", "extend", "audit", "fluency"]
ASKED: dict[str, dict[str, str]] = {"extend": {"target": ""}, "audit": {"captions": str(AUDIT_CAPTIONS)}}
MOST = 1_000_000
PLAIN: dict[str, Callable[..., Any]] = {
    "open": lifecycle.open_campaign,
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "close": lifecycle.close,
    "fluency": lifecycle.start_fluency_round,
}


@router.get("/admin/c/{slug}/do/{action}", **PAGE)
def confirm(request: Request, account: Manager, campaign: Run, action: Action) -> Response:
    """What an action means, and the button that does it."""
    return _page(request, account, campaign, action, ASKED.get(action, {}))


@router.post(
    "/admin/c/{slug}/do/{action}",
    **WRITE,
    openapi_extra=form_body(
        {"target": "Responses wanted for each item (extend)", "captions": "How many (audit)"},
        required=["csrf"],
    ),
)
def do(request: Request, account: Manager, campaign: Run, action: Action, db: Db, form: Written) -> Response:
    """Do it, or say in one line why it cannot be done now."""
    given = texts_of(form)
    try:
        numbers = {name: _whole(request, action, name, given) for name in ASKED.get(action, {})}
        _carry_out(db, campaign, action, numbers, account.name)
    except InputError as error:
        field = next(iter(ASKED.get(action, {})), "")
        return _page(request, account, campaign, action, given, Problem(field, str(error)))
    flash = f"admin.flash.{action}"
    return pages.redirect(request, f"/admin/c/{campaign.slug}", flash=flash)


def _carry_out(db: Database, campaign: Campaign, action: str, numbers: dict[str, int], actor: str) -> None:
    if action == "extend":
        lifecycle.extend(db, campaign, target=numbers["target"], actor=actor)
    elif action == "audit":
        lifecycle.start_audit(db, campaign, captions=numbers["captions"], actor=actor)
    else:
        PLAIN[action](db, campaign, actor=actor)


def _whole(request: Request, action: str, name: str, given: dict[str, str]) -> int:
    number = as_number(given.get(name, ""))
    if number is None or number != int(number) or not 1 <= number <= MOST:
        label = words(request)(f"admin.do.{action}.{name}")
        raise InputError(words(request)("admin.errors.whole", label=label, most=f"{MOST:,}"))
    return int(number)


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    action: str,
    form: dict[str, str],
    *problems: Problem,
) -> Response:
    return show(
        request,
        "confirm.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="overview",
        action=action,
        asked=list(ASKED.get(action, {})),
        form=form,
        status_code=409 if problems and not problems[0].field else 0,
    )
