"""The list of campaigns."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.web.admin.access import PAGE, TWIN, Db, Viewer, head, show
from captious.web.admin.models import CampaignHead

router = APIRouter()


class CampaignRow(CampaignHead):
    """A campaign in the list, with how far it is."""

    done: int
    wanted: int
    raters: int
    last_activity: float | None


class CampaignsPage(BaseModel):
    """All campaigns, the newest first."""

    campaigns: list[CampaignRow]


def campaigns_page(db: Database) -> CampaignsPage:
    """Every campaign with its counts."""
    rows = []
    for campaign in lifecycle.listed(db):
        found = analysis.overview(db, campaign)
        rows.append(
            CampaignRow(
                **head(campaign).model_dump(),
                done=found.done,
                wanted=found.target,
                raters=found.raters,
                last_activity=found.last_activity,
            )
        )
    return CampaignsPage(campaigns=rows)


@router.get("/api/admin/campaigns", **TWIN)
def campaigns_twin(_: Viewer, db: Db) -> CampaignsPage:
    """All campaigns."""
    return campaigns_page(db)


@router.get("/admin", **PAGE)
def campaigns(request: Request, account: Viewer, db: Db) -> Response:
    """All campaigns."""
    page = campaigns_page(db)
    return show(request, "campaigns.html", account, campaigns=page.campaigns)
