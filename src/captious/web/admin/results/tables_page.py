"""Agreement and results: tables that are computed beside the pages, shown with their time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter, Request

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.tables import Table
from captious.tables.values import PageTable, for_page
from captious.web.admin.access import Db, Seen, words
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import charts_view
from captious.web.admin.figures.shown_tables import MOST_ROWS, markup
from captious.web.admin.models import Computed
from captious.web.admin.page import page

router = APIRouter()
Kind = Literal["agreement", "results"]


@dataclass(frozen=True)
class TablesPage(Computed):
    """Tables with the number of responses that they were made from."""

    responses: int
    tables: list[PageTable]


def tables_page(db: Database, campaign: Campaign, kind: Kind) -> TablesPage:
    """The kept tables at once; newer ones are begun where something has changed."""
    kept = figures(db, campaign, kind)
    tables = [for_page(table, MOST_ROWS) for table in _all(kept)]
    return TablesPage.of(campaign, kept, responses=kept.content.get("responses", 0), tables=tables)


def _all(kept: Snapshot) -> list[Table]:
    """The protocol's tables, and those beside them that are not there to be drawn."""
    return [*kept.tables(), *(table for table in kept.more() if table.chart is None)]


def _register(kind: Kind) -> None:
    def drawn(request: Request, campaign: Seen, db: Db) -> dict[str, Any]:
        tables, t = _all(figures(db, campaign, kind)), words(request)
        return {
            "shown": [markup(table, t) for table in tables],
            "drawn": [table.chart is not None for table in tables],
            "charts": charts_view(db, campaign, kind, t),
        }

    def tables(campaign: Seen, db: Db) -> TablesPage:
        return tables_page(db, campaign, kind)

    tables.__name__ = f"{kind}_page"
    page(router, f"/admin/c/{{slug}}/{kind}", "tables.html", beside=drawn)(tables)


_register("agreement")
_register("results")
