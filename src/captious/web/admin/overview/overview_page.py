"""The list of campaigns; how far one is, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.people import members
from captious.campaigns.quality.control import QUALITY
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis
from captious.campaigns.results.analysis import Overview
from captious.campaigns.results.differences import FOUND
from captious.campaigns.results.outlook import OUTLOOK
from captious.campaigns.results.separation import SEPARATION
from captious.campaigns.results.verdict import Coming, Kept, Verdict, is_over, verdict
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.crowd import studies, visits
from captious.crowd.money import shown
from captious.protocols.capabilities import Rounds
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, page, show, words
from captious.web.admin.figures.background import FEW_RESPONSES, figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.figures.found import found_view
from captious.web.admin.models import CampaignHead
from captious.web.admin.overview.actions import possible
from captious.web.admin.raters.crowd_page import crowd_page

router = APIRouter()
# What the verdict reads of each campaign, in the order of `Kept`.
FIGURES_OF = (analysis.AGREEMENT, QUALITY, SEPARATION)
# The pace is drawn from the latest responses, over this many spans.
LATEST, SPANS, FEWEST = 300, 24, 5


@dataclass(frozen=True)
class Pace:
    """The latest responses, counted over equal spans of the time from `since` to `until`."""

    since: float
    until: float
    counts: list[int]


@dataclass(frozen=True)
class OverviewPage:
    """How far a campaign is. Times are seconds since 1970.

    `recent` is null where there are too few responses.
    """

    campaign: CampaignHead
    as_of: float
    counts: analysis.Overview
    recent: Pace | None
    verdict: Verdict


@router.get("/api/admin/c/{slug}", **TWIN)
def overview_page(campaign: Seen, db: Db) -> OverviewPage:
    """How far a campaign is, from counters and figures that are computed in the background."""
    counts = analysis.overview(db, campaign)
    kinds = (*FIGURES_OF, OUTLOOK) if _large(counts) else FIGURES_OF
    kept = Kept(*(figures(db, campaign, kind) for kind in kinds))
    if is_over(campaign, counts):
        kept = kept._replace(found=figures(db, campaign, FOUND))
    found = verdict(db, campaign, kept, counts, _coming(campaign, db))
    return OverviewPage(head(campaign), db.now(), counts, recent_pace(db, campaign), found)


def _coming(campaign: Campaign, db: Database) -> Coming:
    """The places of open studies that nobody has taken."""
    open_ = [one for one in studies.listed(db, campaign) if one.state == "open"]
    free = [
        (
            max(0, one.study.places - sum(visit.taken for visit in visits.of_study(db, one.id))),
            one.study.answers,
        )
        for one in open_
    ]
    return Coming(sum(places for places, _ in free), sum(places * answers for places, answers in free))


def _large(found: analysis.Overview) -> bool:
    """Whether who may be given what takes longer to find than a page may wait."""
    return found.responses > FEW_RESPONSES or found.target > FEW_RESPONSES


def recent_pace(db: Database, campaign: Campaign) -> Pace | None:
    """When the latest responses came in, counted over equal spans; None where too few tell."""
    last = snapshots.marker(db, campaign).response
    latest = responses.stored(db, campaign, after=max(0, last - LATEST), limit=LATEST)
    # A lead's decision is no rater's response.
    times = sorted(one.time for one in latest if one.kind != "adjudication")
    if len(times) < FEWEST or times[-1] <= times[0]:
        return None
    width = (times[-1] - times[0]) / SPANS
    counts = [0] * SPANS
    for time in times:
        counts[min(SPANS - 1, int((time - times[0]) / width))] += 1
    return Pace(since=times[0], until=times[-1], counts=counts)


@router.get("/admin/c/{slug}/live", **PAGE)
def live(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """The part of the overview that changes while responses come in."""
    return show(request, "live.html", account, **_live(request, campaign, db))


def _live(request: Request, campaign: Campaign, db: Database) -> dict[str, Any]:
    page = overview_page(campaign, db)
    # What was found stands in a card of its own.
    first, *rest = [one for one in page.verdict.lines if one.kind != "found"]
    found = found_view(db, campaign, words(request)) if is_over(campaign, page.counts) else None
    said = [(kind, list(own)) for kind, own in groupby(rest, key=lambda line: line.kind)]
    return {"campaign": page.campaign, "page": page, "first": first, "said": said, "found": found}


@router.get("/admin/c/{slug}", **PAGE)
def overview(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """How far a campaign is, and what can be done with it."""
    rules, now = campaign.rules(), _live(request, campaign, db)
    return show(
        request,
        "overview.html",
        account,
        **now,
        here="overview",
        study=next(iter(crowd_page(campaign, db).studies), None),
        money=shown,
        charts=charts_view(db, campaign, "progress", words(request)),
        actions=possible(campaign),
        rounds=Rounds.of(rules).rounds if campaign.state != "closed" else (),
        steps=_steps(campaign, now["page"].counts) if campaign.state == "draft" else (),
    )


def _steps(campaign: Campaign, counts: analysis.Overview) -> list[tuple[str, str, bool]]:
    """What is left to do before raters begin: which, where, and whether it is done."""
    own = f"/admin/c/{campaign.slug}"
    return [
        ("training", f"{own}/training", bool(campaign.settings.training)),
        ("raters", f"{own}/raters", counts.raters_active > 0),
        ("open", f"{own}/do/open", False),
    ]


@dataclass(frozen=True)
class CampaignRow:
    """A campaign in the list, with how far it is."""

    campaign: CampaignHead
    counts: Overview


@dataclass(frozen=True)
class CampaignsPage:
    """Campaigns, the newest first."""

    campaigns: list[CampaignRow]


@page(router, "/admin", "campaigns.html", twin="/api/admin/campaigns")
def campaigns_page(account: Viewer, db: Db) -> CampaignsPage:
    """The campaigns that the account may see."""
    found = members.seen_by(db, account, lifecycle.listed(db))
    return CampaignsPage([CampaignRow(CampaignHead.of(one), analysis.overview(db, one)) for one in found])
