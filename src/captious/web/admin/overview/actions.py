"""Opening, pausing, closing, extending, and a protocol's extra rounds: each is confirmed first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign
from captious.campaigns.setup import lifecycle
from captious.errors import InputError
from captious.protocols import Problem
from captious.protocols.base import Round
from captious.protocols.capabilities import Rounds
from captious.protocols.options import ProtocolOption
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Run, Written, head, show, words
from captious.web.admin.form_fields import texts_of, whole_number
from captious.web.openapi import form_body
from captious.web.pages import Texts, round_key
from captious.web.refusals import Refusal

router = APIRouter()

Action = Annotated[str, Path(pattern=r"^[a-z0-9_-]{1,40}$")]
MOST = 1_000_000
STEPS: dict[str, Callable[..., Any]] = {
    "open": lifecycle.open_campaign,
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "close": lifecycle.close,
    "extend": lifecycle.extend,
}
# What may be done in each state, the likeliest first.
POSSIBLE = {
    "draft": ("open", "extend"),
    "open": ("pause", "extend", "close"),
    "paused": ("resume", "extend", "close"),
    "closed": ("resume",),
}


def possible(campaign: Campaign) -> list[str]:
    """What may be done now; some protocols ask one rater a stage, and no more can be asked for."""
    fixed = bool(campaign.rules().words.one_rater)
    return [action for action in POSSIBLE[campaign.state] if not (fixed and action == "extend")]


def action_of(campaign: Campaign, action: str, t: Texts) -> Round:
    """What may be done, in words, with what it asks for: a step, or a round of the protocol."""
    if action in STEPS:
        key = f"admin.do.{action}"
        asks: tuple[ProtocolOption, ...] = ()
        if action == "extend":
            label, note = t(f"{key}.target"), t(f"{key}.target_help")
            asks = (ProtocolOption("target", "whole", 0, label, note, low=1, high=MOST),)
        return Round(action, action, t(key), t(f"{key}.means"), t(f"admin.flash.{action}"), asks)
    for one in Rounds.of(campaign.rules()).rounds:
        if one.name == action:
            asked = tuple(replace(a, label=t.say(a.label), help=t.say(a.help)) for a in one.asks)
            return one._replace(
                title=t.say(one.title), means=t.say(one.means), started=t.say(one.started), asks=asked
            )
    raise Refusal(404, "error.404")


@router.get("/admin/c/{slug}/do/{action}", **PAGE)
def confirm(request: Request, account: Manager, campaign: Run, action: Action) -> Response:
    """What an action means, and the button that does it."""
    what = action_of(campaign, action, words(request))
    form = {one.name: one.typed(one.default) if one.default else "" for one in what.asks}
    return _page(request, account, campaign, what, form)


@router.post(
    "/admin/c/{slug}/do/{action}",
    **WRITE,
    openapi_extra=form_body(
        {"target": "Responses wanted for each item (extend)", "captions": "How many (a round that asks)"},
        required=["csrf"],
    ),
)
def do(request: Request, account: Manager, campaign: Run, action: Action, db: Db, form: Written) -> Response:
    """Do it, or say in one line why it cannot be done now."""
    given = texts_of(form)
    t = words(request)
    what = action_of(campaign, action, t)
    try:
        numbers = {
            one.name: whole_number(given.get(one.name, ""), one.label, t, low=one.low, high=one.high)
            for one in what.asks
        }
        if action in STEPS:
            STEPS[action](db, campaign, actor=account.name, **numbers)
        else:
            lifecycle.start_round(db, campaign, action, actor=account.name, **numbers)
    except InputError as error:
        field = what.asks[0].name if what.asks else ""
        return _page(request, account, campaign, what, given, Problem(field, str(error)))
    flash = f"admin.flash.{action}" if action in STEPS else round_key(campaign.protocol, action)
    return pages.redirect(request, f"/admin/c/{campaign.slug}", flash=flash)


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    what: Round,
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
        action=what.name,
        what=what,
        form=form,
        status_code=409 if problems and not problems[0].field else 0,
    )
