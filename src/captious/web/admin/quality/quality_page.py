"""Quality: what the rules saw, what is decided about it, and each rater's work in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.quality import control as quality
from captious.campaigns.work import aside
from captious.campaigns.work.aside import MOST_NOTES, Note, notes
from captious.web import pages
from captious.web.admin.access import WRITE, Db, Manager, RowId, Run, Seen, Written, page, words
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.form_fields import texts_of
from captious.web.admin.models import CampaignHead, Computed
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()


@dataclass(frozen=True)
class QualityPage(Computed):
    """Flags, and a row for each rater, as of the last run of the rules."""

    flags: list[quality.Flag]
    raters: list[quality.RaterQuality]


def words_and_charts(request: Request, campaign: Seen, db: Db) -> dict[str, Any]:
    """The rules in words, and the charts."""
    t = words(request)
    return {
        "charts": charts_view(db, campaign, "quality", t),
        "rule_name": lambda rule: t.entries.get(f"admin.rule.{rule}", rule),
        "rule_means": lambda rule: t.entries.get(f"admin.rule.{rule}.means", ""),
    }


@page(router, "/admin/c/{slug}/quality", "quality.html", beside=words_and_charts)
def quality_page(campaign: Seen, db: Db) -> QualityPage:
    """What the rules saw, and each rater's work in numbers."""
    kept = figures(db, campaign, quality.QUALITY)
    rows = quality.quality_rows(db, campaign, kept)
    return QualityPage.of(campaign, kept, flags=quality.flags(db, campaign), raters=rows)


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


@dataclass(frozen=True)
class NotesPage:
    """The notes, newest first, and how many raters who cannot judge an item set it aside."""

    campaign: CampaignHead
    notes: list[Note]
    set_aside_after: int


@page(router, "/admin/c/{slug}/notes", "notes.html")
def notes_page(campaign: Seen, db: Db) -> NotesPage:
    """What raters said of items."""
    found = notes(db, campaign, limit=MOST_NOTES)
    return NotesPage(CampaignHead.of(campaign), found, campaign.settings.set_aside_after)


@router.post(
    "/admin/c/{slug}/notes/{note}",
    **WRITE,
    openapi_extra=form_body({"put_back": "yes: hand its item out again."}, required=["csrf"]),
)
def settle(request: Request, account: Manager, campaign: Run, db: Db, note: int, form: Written) -> Response:
    """A note has been read; its item may be put back."""
    put_back = security.text_field(form, "put_back") == "yes"
    aside.settle(db, campaign, note, put_back=put_back, actor=account.name)
    return pages.redirect(request, f"/admin/c/{campaign.slug}/notes", flash="admin.flash.note")
