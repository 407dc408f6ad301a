"""How far a campaign is, and what can be done with it."""

from __future__ import annotations

from itertools import groupby

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.quality.control import QUALITY
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis
from captious.campaigns.results.separation import SEPARATION
from captious.campaigns.results.standing import STANDING
from captious.campaigns.results.verdict import Kept, verdict
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.crowd.money import shown
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show, words
from captious.web.admin.figures.background import FEW_RESPONSES, figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.formatting import finite
from captious.web.admin.models import CampaignHead
from captious.web.admin.overview.actions import possible
from captious.web.admin.overview.verdict_view import VerdictView
from captious.web.admin.raters.crowd_page import crowd_page

router = APIRouter()
# What the verdict reads of each campaign, in the order of `Kept`.
FIGURES_OF = (analysis.AGREEMENT, QUALITY, SEPARATION)
# The pace is drawn from the latest responses, over this many spans.
LATEST, SPANS, FEWEST = 300, 24, 5


class StageProgress(BaseModel):
    """How far one stage is: items, finished items, responses that stand and that are wanted."""

    stage: str
    items: int
    finished: int
    done: int
    wanted: int


class Pace(BaseModel):
    """The latest responses, counted over equal spans of the time from `since` to `until`."""

    since: float
    until: float
    counts: list[int]


class OverviewPage(BaseModel):
    """How far a campaign is. Times are seconds since 1970.

    `wanted` counts `to_come` responses of later stages whose items are made as answers come in.
    `rate_per_hour` (an hour of work, breaks left out) is null where too few responses tell; so is
    `recent`. `seconds_left` follows from the pace of those who can still rate, and is null where
    nobody can or no pace is known; the verdict says why.
    """

    campaign: CampaignHead
    as_of: float
    done: int
    wanted: int
    responses: int
    raters_active: int
    raters_removed: int
    rate_per_hour: float | None
    seconds_left: float | None
    last_activity: float | None
    open_flags: int
    recent: Pace | None
    stages: list[StageProgress]
    to_come: int
    verdict: VerdictView


def overview_page(db: Database, campaign: Campaign) -> OverviewPage:
    """How far a campaign is, from counters and figures that are worked out beside the pages."""
    found = analysis.overview(db, campaign)
    kinds = (*FIGURES_OF, STANDING) if _large(found) else FIGURES_OF
    judged = verdict(db, campaign, Kept(*(figures(db, campaign, kind) for kind in kinds)), found)
    left = judged.standing.hours_left
    return OverviewPage(
        campaign=head(campaign),
        as_of=db.now(),
        done=found.done,
        wanted=found.target,
        responses=found.responses,
        raters_active=found.raters_active,
        raters_removed=found.raters_removed,
        rate_per_hour=finite(found.per_hour),
        seconds_left=None if left is None else finite(left * 3600),
        last_activity=found.last_activity,
        open_flags=found.open_flags,
        recent=recent_pace(db, campaign),
        stages=[
            StageProgress(
                stage=stage.stage,
                items=stage.items,
                finished=stage.finished,
                done=stage.done,
                wanted=stage.target,
            )
            for stage in found.stages
        ],
        to_come=max(0, found.to_come),
        verdict=VerdictView.model_validate(judged.to_dict()),
    )


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


@router.get("/api/admin/c/{slug}", **TWIN)
def overview_twin(campaign: Seen, db: Db) -> OverviewPage:
    """How far a campaign is; cheap enough to be asked every few seconds."""
    return overview_page(db, campaign)


@router.get("/admin/c/{slug}", **PAGE)
def overview(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """How far a campaign is, and what can be done with it."""
    rules = campaign.rules()
    page = overview_page(db, campaign)
    return show(
        request,
        "overview.html",
        account,
        study=next(iter(crowd_page(db, campaign).studies), None),
        money=shown,
        campaign=head(campaign),
        here="overview",
        page=page,
        said=[(kind, list(own)) for kind, own in groupby(page.verdict.lines[1:], key=lambda line: line.kind)],
        charts=charts_view(db, campaign, "progress", words(request)),
        actions=possible(campaign),
        rounds=rules.rounds if campaign.state != "closed" else (),
        steps=_steps(campaign, page) if campaign.state == "draft" else (),
    )


def _steps(campaign: Campaign, page: OverviewPage) -> list[tuple[str, str, bool]]:
    """What is left to do before raters begin: which, where, and whether it is done."""
    own = f"/admin/c/{campaign.slug}"
    return [
        ("training", f"{own}/training", bool(campaign.settings.training)),
        ("raters", f"{own}/raters", page.raters_active > 0),
        ("open", f"{own}/do/open", False),
    ]
