"""The audit log: who did what and when, in one campaign or in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from captious.campaigns.records import Campaign
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.web.admin.access import HIGHEST_ID, Db, Owner, Seen
from captious.web.admin.models import CampaignHead
from captious.web.admin.page import page

router = APIRouter()
ROWS = 50

Before = Annotated[int | None, Query(ge=1, le=HIGHEST_ID, description="Entries older than this one.")]


@dataclass(frozen=True)
class LogRow:
    """One entry of the audit log."""

    id: int
    time: float
    actor: str
    action: str
    campaign: str | None
    subject: str
    detail: dict[str, Any]


@dataclass(frozen=True)
class LogPage:
    """A page of the audit log, the newest first; `older` is the `before` of the next page."""

    campaign: CampaignHead | None
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
    head = None if campaign is None else CampaignHead.of(campaign)
    return LogPage(head, rows, rows[-1].id if len(found) > ROWS else None)


def first(before: Before = None) -> dict[str, Any]:
    """Whether the page shows the newest entries."""
    return {"first": before is None}


@page(router, "/admin/c/{slug}/log", "log.html", beside=first)
def campaign_log(campaign: Seen, db: Db, before: Before = None) -> LogPage:
    """What was done in a campaign."""
    return log_page(db, campaign, before)


@page(router, "/admin/log", "whole_log.html", beside=first)
def whole_log(_: Owner, db: Db, before: Before = None) -> LogPage:
    """What was done anywhere."""
    return log_page(db, None, before)
