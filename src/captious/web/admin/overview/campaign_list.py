"""The list of campaigns."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from captious.campaigns.results.analysis import Overview, overview
from captious.campaigns.setup import lifecycle
from captious.web.admin.access import Db, Viewer
from captious.web.admin.models import CampaignHead
from captious.web.admin.page import page

router = APIRouter()


@dataclass(frozen=True)
class CampaignRow:
    """A campaign in the list, with how far it is."""

    campaign: CampaignHead
    counts: Overview


@dataclass(frozen=True)
class CampaignsPage:
    """All campaigns, the newest first."""

    campaigns: list[CampaignRow]


@page(router, "/admin", "campaigns.html", twin="/api/admin/campaigns")
def campaigns_page(_: Viewer, db: Db) -> CampaignsPage:
    """All campaigns."""
    found = lifecycle.listed(db)
    return CampaignsPage([CampaignRow(CampaignHead.of(one), overview(db, one)) for one in found])
