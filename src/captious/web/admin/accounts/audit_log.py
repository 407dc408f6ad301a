"""The audit log: who did what and when, in one campaign or in all."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.records import Campaign
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.web.admin.access import HIGHEST_ID, PAGE, TWIN, Db, Owner, Seen, Viewer, head, show

router = APIRouter()
ROWS = 50

Before = Annotated[int | None, Query(ge=1, le=HIGHEST_ID, description="Entries older than this one.")]


class LogRow(BaseModel):
    """One entry of the audit log."""

    id: int
    time: float
    actor: str
    action: str
    campaign: str | None
    subject: str
    detail: dict[str, Any]


class LogPage(BaseModel):
    """A page of the audit log, the newest first; `older` is the `before` of the next page."""

    entries: list[LogRow]
    older: int | None


def log_page(db: Database, campaign: Campaign | None, before: int | None) -> LogPage:
    """One page of the log, and where the next begins."""
    found = log.entries(db, campaign, limit=ROWS + 1, before=before)
    slugs = {} if campaign is not None else {one.id: one.slug for one in lifecycle.listed(db)}
    if campaign is not None:
        slugs = {campaign.id: campaign.slug}
    rows = [
        LogRow(
            id=entry.id,
            time=entry.time,
            actor=entry.actor,
            action=entry.action,
            campaign=slugs.get(entry.campaign_id) if entry.campaign_id is not None else None,
            subject=entry.subject,
            detail=entry.detail,
        )
        for entry in found[:ROWS]
    ]
    return LogPage(entries=rows, older=rows[-1].id if len(found) > ROWS else None)


@router.get("/api/admin/c/{slug}/log", **TWIN)
def campaign_log_twin(campaign: Seen, db: Db, before: Before = None) -> LogPage:
    """What was done in a campaign."""
    return log_page(db, campaign, before)


@router.get("/api/admin/log", **TWIN)
def log_twin(_: Owner, db: Db, before: Before = None) -> LogPage:
    """What was done anywhere."""
    return log_page(db, None, before)


@router.get("/admin/c/{slug}/log", **PAGE)
def campaign_log(
    request: Request, account: Viewer, campaign: Seen, db: Db, before: Before = None
) -> Response:
    """What was done in a campaign."""
    page = log_page(db, campaign, before)
    here = f"/admin/c/{campaign.slug}/log"
    return show(
        request,
        "log.html",
        account,
        campaign=head(campaign),
        here="log",
        page=page,
        **_pager(here, page, before),
    )


@router.get("/admin/log", **PAGE)
def whole_log(request: Request, account: Owner, db: Db, before: Before = None) -> Response:
    """What was done anywhere."""
    page = log_page(db, None, before)
    return show(request, "whole_log.html", account, page=page, **_pager("/admin/log", page, before))


def _pager(here: str, page: LogPage, before: int | None) -> dict[str, Any]:
    return {
        "older": f"{here}?before={page.older}" if page.older is not None else "",
        "newest": here if before is not None else "",
    }
