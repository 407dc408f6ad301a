"""Agreement and results: tables that are computed beside the pages, shown with their time."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.tables import Table
from captious.tables.values import PageTable, for_page
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show, words
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.figures.shown_tables import MOST_ROWS, markup
from captious.web.admin.models import Computed

router = APIRouter()
Kind = Literal["agreement", "results"]


class TablesPage(Computed):
    """Tables with the number of responses that they were made from."""

    responses: int
    tables: list[PageTable]


def tables_page(db: Database, campaign: Campaign, kind: Kind) -> TablesPage:
    """The kept tables at once; newer ones are begun where something has changed."""
    return of_snapshot(campaign, figures(db, campaign, kind))


def of_snapshot(campaign: Campaign, kept: Snapshot) -> TablesPage:
    """A snapshot as a page."""
    return TablesPage(
        campaign=head(campaign),
        computed_at=kept.time,
        computing=kept.pending,
        responses=kept.content.get("responses", 0),
        tables=[for_page(table, MOST_ROWS) for table in _all(kept)],
    )


def _all(kept: Snapshot) -> list[Table]:
    """The protocol's tables, and those beside them that are not there to be drawn."""
    return [*kept.tables(), *(table for table in kept.more() if table.chart is None)]


def _twin(kind: Kind) -> None:
    @router.get(f"/api/admin/c/{{slug}}/{kind}", name=f"{kind}_twin", **TWIN)
    def twin(campaign: Seen, db: Db) -> TablesPage:
        return tables_page(db, campaign, kind)

    @router.get(f"/admin/c/{{slug}}/{kind}", name=kind, **PAGE)
    def page(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
        kept, t = figures(db, campaign, kind), words(request)
        tables = _all(kept)
        return show(
            request,
            "tables.html",
            account,
            campaign=head(campaign),
            here=kind,
            page=of_snapshot(campaign, kept),
            shown=[markup(table, t) for table in tables],
            drawn=[table.chart is not None for table in tables],
            charts=charts_view(db, campaign, kind, t),
        )


_twin("agreement")
_twin("results")
