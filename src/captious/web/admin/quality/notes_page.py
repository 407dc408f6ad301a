"""Notes: what raters said of items that they could not answer, and items that were set aside."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.work import aside
from captious.campaigns.work.notes import MOST, Note, notes
from captious.web import pages
from captious.web.admin.access import PAGE, TWIN, WRITE, Db, Manager, Run, Seen, Viewer, Written, head, show
from captious.web.guard import security
from captious.web.openapi import form_body

router = APIRouter()


class NotesPage(BaseModel):
    """The notes, newest first, and how many raters who cannot judge an item set it aside."""

    notes: list[Note]
    set_aside_after: int


def notes_page(db: Database, campaign: Campaign) -> NotesPage:
    """The notes of a campaign."""
    found = notes(db, campaign, limit=MOST)
    return NotesPage(notes=found, set_aside_after=campaign.settings.set_aside_after)


@router.get("/api/admin/c/{slug}/notes", **TWIN)
def notes_twin(campaign: Seen, db: Db) -> NotesPage:
    """What raters said."""
    return notes_page(db, campaign)


@router.get("/admin/c/{slug}/notes", **PAGE)
def notes_view(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """What raters said."""
    page = notes_page(db, campaign)
    return show(request, "notes.html", account, campaign=head(campaign), here="notes", page=page)


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
