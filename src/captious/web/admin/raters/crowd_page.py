"""Crowd: the studies of a campaign at providers, and publishing one after an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign
from captious.campaigns.store.database import Database
from captious.crowd import calls, run, studies
from captious.crowd.base import known_providers, provider
from captious.crowd.money import shown
from captious.crowd.planning import MINIMUM_WAGE, plan, work_of
from captious.crowd.run import Look, Plan
from captious.crowd.values import Study
from captious.errors import CaptiousError, InputError
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
from captious.web.admin.form_fields import texts_of, whole_number
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()
FIELDS = ("provider", "options", "places", "answers", "reward", "minutes", "currency", "budget")
STEPS = {"publish": calls.publish, "pause": calls.pause, "resume": calls.resume, "close": calls.close}
NEXT = {"open": ("pause", "close"), "paused": ("resume", "close"), "draft": ("publish",), "closed": ()}


@dataclass(frozen=True)
class StudyView:
    """Summary of a study; money in minor units of `currency`."""

    key: str
    provider: str
    title: str
    state: str
    link: str
    places: int
    counts: dict[str, int]
    done: int
    target: int
    spent: int
    committed: int
    budget: int | None
    currency: str
    median_seconds: float | None
    hourly: int | None
    minimum_wage: int
    below_minimum: bool
    bonus: int
    seconds_left: float | None
    due: int
    review: dict[str, str]


@dataclass(frozen=True)
class CrowdPage:
    """The studies of a campaign, newest first."""

    studies: list[StudyView]


@router.get("/api/admin/c/{slug}/crowd", **TWIN)
def crowd_page(campaign: Seen, db: Db) -> CrowdPage:
    """The studies of a campaign at crowd providers, by what is stored here: no provider is asked."""
    found = [_view(run.look(db, one, Plan(), ask=False)) for one in studies.listed(db, campaign)]
    return CrowdPage(studies=found[::-1])


def _view(seen: Look) -> StudyView:
    study = seen.stored.study
    return StudyView(
        key=study.key,
        provider=seen.stored.provider().title,
        title=study.title,
        state=seen.stored.state,
        link=(seen.stored.remote.address or study.address) if seen.stored.remote else "",
        places=study.places,
        counts={str(state): count for state, count in seen.found.counts.items()},
        done=seen.done,
        target=seen.target,
        spent=seen.spent,
        committed=seen.committed,
        budget=study.budget,
        currency=study.currency,
        median_seconds=seen.wage.median_seconds,
        hourly=seen.wage.hourly,
        minimum_wage=study.minimum_wage,
        below_minimum=seen.wage.below,
        bonus=seen.wage.bonus,
        seconds_left=None if seen.hours_left is None else seen.hours_left * 3600,
        due=len(seen.found.due),
        review={one.visit.place: one.reason for one in seen.found.review},
    )


@router.get("/admin/c/{slug}/crowd", **PAGE)
def crowd(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """The studies of a campaign at crowd providers, and the form that plans one."""
    return _page(request, account, campaign, db, {})


@router.post(
    "/admin/c/{slug}/crowd",
    **WRITE,
    openapi_extra=form_body(
        {
            **dict.fromkeys(FIELDS, "Of the plan."),
            "confirmed": "The total of the estimate that is agreed to.",
        },
        required=["csrf"],
    ),
)
def plan_study(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Show what a plan costs; publish it once its total comes back as confirmed."""
    given = texts_of(form)
    try:
        study, options = _planned(request, campaign, db, given)
        found = provider(given.get("provider", ""), options)
        found.check(study)
        quote = found.quote(study)
        if study.budget is not None and quote.total > study.budget:
            t = words(request)
            raise InputError(t("admin.crowd.over_budget", cost=shown(quote.total, quote.currency)))
        if studies.cut_off(db, campaign) is not None:
            raise InputError(words(request)("admin.crowd.cut_off"))
        if given.get("confirmed") == str(quote.total):
            found.ready()
            stored = studies.create(db, campaign, study, found.name, options, actor=account.name)
            calls.publish(db, stored, actor=account.name)
            return pages.redirect(request, f"/admin/c/{campaign.slug}/crowd", flash="admin.flash.published")
    except CaptiousError as error:
        return _page(request, account, campaign, db, given, Problem("", str(error)))
    return show(
        request,
        "crowd_estimate.html",
        account,
        campaign=head(campaign),
        here="crowd",
        study=study,
        quote=quote,
        provider=found.title,
        form={name: given.get(name, "") for name in FIELDS},
        money=shown,
        status_code=200,
    )


@router.post(
    "/admin/c/{slug}/crowd/{key}",
    **WRITE,
    openapi_extra=form_body({"do": "ask, approve, publish, pause, resume or close"}, required=["csrf", "do"]),
)
def act(request: Request, account: Manager, campaign: Run, db: Db, key: str, form: Written) -> Response:
    """Look at the provider, pay what is due, pause, resume or close a study."""
    stored = next((one for one in studies.listed(db, campaign) if one.study.key == key), None)
    what = texts_of(form).get("do", "")
    if stored is None or what not in ("ask", "approve", *STEPS):
        raise Refusal(404, "error.404")
    try:
        if what in STEPS:
            STEPS[what](db, stored, actor=account.name)
        else:
            seen = run.look(db, stored, Plan())
            if what == "approve":
                run.pay_due(db, seen)
    except CaptiousError as error:
        return _page(request, account, campaign, db, {}, Problem("", str(error)))
    return pages.redirect(request, f"/admin/c/{campaign.slug}/crowd", flash=f"admin.flash.crowd_{what}")


def _planned(
    request: Request, campaign: Campaign, db: Database, given: dict[str, str]
) -> tuple[Study, dict[str, Any]]:
    """The plan of a form; what is left empty is worked out."""
    settings = security.settings_of(request)
    base_url = settings.base_url or str(request.base_url)
    options = {}
    for line in given.get("options", "").splitlines():
        name, equals, value = line.partition("=")
        if line.strip() and not equals:
            raise InputError(words(request)("admin.crowd.bad_option", line=line[:40]))
        if line.strip():
            options[name.strip()] = value.strip()
    study = plan(
        campaign,
        work_of(db, campaign),
        base_url,
        places=_count(request, given, "places"),
        answers=_count(request, given, "answers"),
        reward=given.get("reward") or None,
        minutes=_minutes(request, given.get("minutes", "")),
        currency=given.get("currency") or "USD",
        budget=given.get("budget") or None,
        minimum_wage=campaign.settings.hourly_wage or MINIMUM_WAGE,
    )
    return study, options


def _minutes(request: Request, text: str) -> float | None:
    number = as_number(text) if text.strip() else None
    if text.strip() and (number is None or not number > 0):
        raise InputError(words(request)("admin.crowd.bad_minutes"))
    return number


def _count(request: Request, given: dict[str, str], name: str) -> int | None:
    text, t = given.get(name, "").strip(), words(request)
    if not text:
        return None
    return whole_number(text, t(f"admin.crowd.{name}"), t, low=1, high=studies.MOST_PLACES)


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    form: dict[str, str],
    *problems: Problem,
) -> Response:
    offered = {name: kind.title for name, kind in known_providers().items() if name != "simulated"}
    return show(
        request,
        "crowd.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="crowd",
        page=crowd_page(campaign, db),
        offered=offered,
        actions=NEXT,
        form={name: form.get(name, "") for name in FIELDS},
        money=shown,
    )
