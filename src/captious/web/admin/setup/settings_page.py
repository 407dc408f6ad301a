"""Settings that may change while a campaign runs; the protocol's rules may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign, Settings
from captious.campaigns.setup import lifecycle
from captious.errors import InputError
from captious.protocols import Problem
from captious.protocols.item import as_number
from captious.web import pages
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Manager,
    Run,
    Seen,
    Viewer,
    Written,
    head,
    show,
    words,
)
from captious.web.admin.form_fields import problem_of, texts_of
from captious.web.admin.models import CampaignHead
from captious.web.openapi import form_body
from captious.web.pages import Texts, languages

router = APIRouter()
Kind = Literal["number", "whole", "maybe", "flag", "text", "area", "language"]
# `maybe`: a number, or nothing.
KINDS: dict[str, Kind] = {
    "instructions": "area",
    "consent": "area",
    "contact": "text",
    "language": "language",
    "hold_seconds": "number",
    "link_days": "whole",
    "reusable_links": "flag",
    "submit_on_choice": "flag",
    "set_aside_after": "whole",
    "minimum_seconds": "number",
    "straight_line": "whole",
    "consensus_floor": "maybe",
    "payment_per_response": "maybe",
    "hourly_wage": "maybe",
    "currency": "text",
    "identities_in_export": "flag",
    "retention_days": "whole",
}
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("raters", ("instructions", "consent", "contact", "language")),
    ("links", ("hold_seconds", "link_days", "reusable_links")),
    ("work", ("submit_on_choice", "set_aside_after")),
    ("quality", ("minimum_seconds", "straight_line", "consensus_floor")),
    ("pay", ("payment_per_response", "hourly_wage", "currency")),
    ("privacy", ("identities_in_export", "retention_days")),
)
HIGHEST = {
    "link_days": 3650.0,
    "retention_days": 3650.0,
    "hold_seconds": 60 * 86400.0,
    "consensus_floor": 1.0,
}
LOWEST = {"set_aside_after": 0, "retention_days": 0}
LONGEST = {"area": 20_000, "text": 300}


@dataclass(frozen=True)
class SettingsPage:
    """The settings that may change while a campaign runs, and the rules that may not."""

    campaign: CampaignHead
    settings: dict[str, Any]
    options: dict[str, Any]
    seed: int
    protocol_file: str | None


@router.get("/api/admin/c/{slug}/settings", **TWIN)
def settings_page(campaign: Seen) -> SettingsPage:
    """The settings of a campaign."""
    return SettingsPage(
        campaign=head(campaign),
        settings=campaign.settings.to_dict(),
        options=dict(campaign.options),
        seed=campaign.seed,
        protocol_file=campaign.protocol_file,
    )


@router.get("/admin/c/{slug}/settings", **PAGE)
def settings_view(request: Request, account: Viewer, campaign: Seen) -> Response:
    """The settings of a campaign, to be changed."""
    return _page(request, account, campaign, typed(campaign))


@router.post(
    "/admin/c/{slug}/settings",
    **WRITE,
    openapi_extra=form_body({"title": "The campaign's title", **KINDS}, required=["csrf", "title"]),
)
def change(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Change the settings; the log keeps what was changed."""
    given = dict.fromkeys(["title", *KINDS], "") | texts_of(form)
    values, problems = read_settings(given, words(request))
    try:
        settings = replace(campaign.settings, **values) if not problems else campaign.settings
        if not problems and given["title"] != campaign.title:
            campaign = lifecycle.rename(db, campaign, given["title"], actor=account.name)
        if not problems:
            lifecycle.change_settings(db, campaign, settings, actor=account.name)
    except InputError as error:
        problems = [problem_of(error)]
    if problems:
        return _page(request, account, campaign, given, problems)
    address = f"/admin/c/{campaign.slug}/settings"
    return pages.redirect(request, address, flash="admin.flash.settings")


def read_settings(given: dict[str, str], t: Texts) -> tuple[dict[str, Any], list[Problem]]:
    """The settings that a page sent, and what is wrong with them."""
    values: dict[str, Any] = {}
    problems = []
    for name, kind in KINDS.items():
        value = _read(name, kind, given.get(name, ""))
        if isinstance(value, str) and kind in ("number", "whole", "maybe"):
            key = "whole" if kind == "whole" else "number"
            label = t(f"admin.settings.{name}")
            limits = {"least": LOWEST.get(name, 1), "most": f"{HIGHEST.get(name, 1_000_000.0):,.12g}"}
            message = t(f"admin.errors.{key}", label=label, **limits)
            problems.append(Problem(name, message))
        elif isinstance(value, str) and len(value) > LONGEST.get(kind, 20):
            most = f"{LONGEST.get(kind, 20):,}"
            problems.append(Problem(name, t("admin.errors.too_long", most=most)))
        elif kind == "language" and value not in languages():
            problems.append(Problem(name, t("admin.settings.no_language")))
        else:
            values[name] = value
    return values, problems


def _read(name: str, kind: Kind, raw: str) -> str | float | bool | None:
    """The value of a field; a text where a number was wanted means that it is none."""
    if kind == "flag":
        return raw == "yes"
    if kind in ("text", "area", "language"):
        return raw.strip()
    if kind == "maybe" and not raw.strip():
        return None
    number = as_number(raw)
    least = -1.0 if name == "consensus_floor" else 0.0
    if number is None or not least <= number <= HIGHEST.get(name, 1_000_000.0):
        return raw
    if kind == "whole":
        return int(number) if number == int(number) and number >= LOWEST.get(name, 1) else raw
    return number


def typed(campaign: Campaign) -> dict[str, str]:
    """The settings as they stand in their boxes."""
    found = {"title": campaign.title}
    for one in fields(Settings):
        value = getattr(campaign.settings, one.name)
        if isinstance(value, bool):
            found[one.name] = "yes" if value else ""
        else:
            shown = f"{value:g}" if isinstance(value, float) else value
            found[one.name] = "" if shown is None else str(shown)
    return found


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    form: dict[str, str],
    problems: Sequence[Problem] = (),
) -> Response:
    return show(
        request,
        "settings.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="settings",
        form=form,
        groups=GROUPS,
        kinds=KINDS,
        languages=languages(),
        options=list(campaign.options.items()),
        seed=campaign.seed,
        protocol_file=campaign.protocol_file,
    )
