"""Where raters differ: the list of items."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from captious.campaigns.quality import adjudication
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show
from captious.web.admin.figures.background import figures
from captious.web.admin.formatting import finite
from captious.web.admin.long_lists import links_around
from captious.web.admin.models import Computed
from captious.web.admin.quality.adjudication_page import QueuePlace

router = APIRouter()
ROWS = 25
Offset = Annotated[int, Query(ge=0, le=1_000_000)]


class DisagreementRow(BaseModel):
    """An item on which raters differ."""

    item: str
    image: str
    stage: str
    spread: float | None
    why: str
    responses: int
    adjudicated: bool


class DisagreementsPage(Computed):
    """Items on which raters differ, the widest first."""

    total: int
    offset: int
    rows: list[DisagreementRow]
    place: QueuePlace


def disagreements_page(db: Database, campaign: Campaign, offset: int) -> DisagreementsPage:
    """A page of the list, as of when it was last computed."""
    kept = figures(db, campaign, adjudication.KIND)
    found = []
    if kept.time is not None:
        found = adjudication.disagreements(
            db, campaign, limit=ROWS, offset=offset, fresh_within=float("inf"), wait=False
        )
    count = int(kept.content.get("count", 0))
    return DisagreementsPage(
        campaign=head(campaign),
        computed_at=kept.time,
        computing=kept.pending,
        total=count,
        offset=offset,
        place=QueuePlace.model_validate(adjudication.place(db, campaign)),
        rows=[
            DisagreementRow(
                item=one.item.key,
                image=one.item.image,
                stage=one.item.stage,
                spread=finite(one.spread),
                why=one.why,
                responses=len(one.responses),
                adjudicated=one.decided is not None,
            )
            for one in found
        ],
    )


@router.get("/api/admin/c/{slug}/disagreements", **TWIN)
def disagreements_twin(campaign: Seen, db: Db, offset: Offset = 0) -> DisagreementsPage:
    """Items on which raters differ, the widest first."""
    return disagreements_page(db, campaign, offset)


@router.get("/admin/c/{slug}/disagreements", **PAGE)
def disagreements_list(
    request: Request, account: Viewer, campaign: Seen, db: Db, offset: Offset = 0
) -> Response:
    """Items on which raters differ."""
    page = disagreements_page(db, campaign, offset)
    here = f"/admin/c/{campaign.slug}/disagreements"
    more = offset + len(page.rows) < page.total and len(page.rows) == ROWS
    return show(
        request,
        "disagreements.html",
        account,
        campaign=head(campaign),
        here="disagreements",
        page=page,
        **links_around(here, offset, ROWS, more=more),
    )
