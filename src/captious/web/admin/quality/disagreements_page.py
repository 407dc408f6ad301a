"""Where raters differ: the list of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from captious.campaigns.quality import adjudication
from captious.web.admin.access import Db, Seen, page
from captious.web.admin.figures.background import figures
from captious.web.admin.formatting import links_around
from captious.web.admin.models import Computed

router = APIRouter()
ROWS = 25
Offset = Annotated[int, Query(ge=0, le=1_000_000)]


@dataclass(frozen=True)
class DisagreementRow:
    """An item on which raters differ."""

    item: str
    image: str
    stage: str
    spread: float
    why: str
    responses: int
    adjudicated: bool


@dataclass(frozen=True)
class DisagreementsPage(Computed):
    """Items on which raters differ, the widest first."""

    total: int
    offset: int
    rows: list[DisagreementRow]
    place: adjudication.Place


def disagreements_page(campaign: Seen, db: Db, offset: Offset = 0) -> DisagreementsPage:
    """Items on which raters differ, the widest first, as of when they were last computed."""
    kept = figures(db, campaign, adjudication.KIND)
    found = []
    if kept.time is not None:
        found = adjudication.disagreements(
            db, campaign, limit=ROWS, offset=offset, fresh_within=float("inf"), wait=False
        )
    return DisagreementsPage.of(
        campaign,
        kept,
        total=int(kept.content.get("count", 0)),
        offset=offset,
        place=adjudication.place(db, campaign),
        rows=[
            DisagreementRow(
                item=one.item.key,
                image=one.item.image,
                stage=one.item.stage,
                spread=one.spread,
                why=one.why,
                responses=len(one.responses),
                adjudicated=one.decided is not None,
            )
            for one in found
        ],
    )


def neighbours(
    campaign: Seen, page: Annotated[DisagreementsPage, Depends(disagreements_page)]
) -> dict[str, Any]:
    """The addresses of the pages before and after."""
    more = page.offset + len(page.rows) < page.total and len(page.rows) == ROWS
    return links_around(f"/admin/c/{campaign.slug}/disagreements", page.offset, ROWS, more=more)


page(router, "/admin/c/{slug}/disagreements", "disagreements.html", beside=neighbours)(disagreements_page)
