"""Notes: what raters said of items that they could not answer, and items that were set aside."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.work import aside
from captious.campaigns.work.aside import MOST_NOTES, Note, notes
from captious.web import pages
from captious.web.admin.access import WRITE, Db, Manager, Run, Seen, Written
from captious.web.admin.models import CampaignHead
from captious.web.admin.page import page
from captious.web.guard import security
from captious.web.openapi import form_body

router = APIRouter()


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
