"""Quality: what the rules saw, what is decided about it, and each rater's work in numbers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.quality import control as quality
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.web import pages
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Manager,
    RowId,
    Run,
    Seen,
    Viewer,
    Written,
    head,
    show,
    words,
)
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.form_fields import texts_of
from captious.web.admin.formatting import finite
from captious.web.admin.models import Computed, Shown
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()


class FlagRow(Shown):
    """Something that a rule saw in a rater's work, and what was decided about it."""

    id: int
    rater: str
    rule: str
    explanation: str
    evidence: dict[str, Any]
    created: float
    decision: str
    decided_by: str
    decided_at: float | None


class RaterQualityRow(BaseModel):
    """How one rater works: pace, checks, known answers, and how they go with the others."""

    rater: str
    state: str
    answers: int
    median_seconds: float | None
    fast_share: float | None
    checks: int
    checks_failed: int
    gold: int
    gold_right: int
    consensus: float | None
    shared: int
    longest_run: int


class QualityPage(Computed):
    """Flags, and a row for each rater."""

    flags: list[FlagRow]
    raters: list[RaterQualityRow]


def quality_page(db: Database, campaign: Campaign) -> QualityPage:
    """Flags and numbers as of the last run of the rules; a new run is begun where it is due."""
    kept = figures(db, campaign, quality.QUALITY)
    rows = quality.quality_rows(db, campaign, kept)
    return QualityPage(
        campaign=head(campaign),
        computed_at=kept.time,
        computing=kept.pending,
        flags=[FlagRow.model_validate(flag) for flag in quality.flags(db, campaign)],
        raters=[
            RaterQualityRow(
                rater=row.rater,
                state=row.state,
                answers=row.answered,
                median_seconds=finite(row.median_seconds),
                fast_share=finite(row.fast_share),
                checks=row.checks,
                checks_failed=row.checks_failed,
                gold=row.gold,
                gold_right=row.gold_right,
                consensus=finite(row.agreement),
                shared=row.shared,
                longest_run=row.longest_run,
            )
            for row in rows
        ],
    )


@router.get("/api/admin/c/{slug}/quality", **TWIN)
def quality_twin(campaign: Seen, db: Db) -> QualityPage:
    """What the rules saw, and each rater's work in numbers."""
    return quality_page(db, campaign)


@router.get("/admin/c/{slug}/quality", **PAGE)
def quality_view(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """What the rules saw, with the buttons that decide."""
    t = words(request)
    return show(
        request,
        "quality.html",
        account,
        campaign=head(campaign),
        here="quality",
        page=quality_page(db, campaign),
        charts=charts_view(db, campaign, "quality", t),
        rule_name=lambda rule: t.entries.get(f"admin.rule.{rule}", rule),
        rule_means=lambda rule: t.entries.get(f"admin.rule.{rule}.means", ""),
    )


@router.post(
    "/admin/c/{slug}/quality/{flag_id}",
    **WRITE,
    openapi_extra=form_body({"decision": "upheld or dismissed"}, required=["csrf", "decision"]),
)
def decide(
    request: Request, account: Manager, campaign: Run, db: Db, flag_id: RowId, form: Written
) -> Response:
    """Uphold a flag (the rater is removed) or dismiss it (and is taken back)."""
    given = texts_of(form).get("decision", "")
    if given not in ("upheld", "dismissed"):
        raise Refusal(422, "admin.errors.decision")
    if all(flag.id != flag_id for flag in quality.flags(db, campaign)):
        raise Refusal(404, "error.404")
    chosen: quality.Decision = "upheld" if given == "upheld" else "dismissed"
    quality.decide(db, flag_id, chosen, actor=account.name)
    flash = f"admin.flash.{chosen}"
    return pages.redirect(request, f"/admin/c/{campaign.slug}/quality", flash=flash)
