"""Agreement and results: tables that are computed beside the pages, shown with their time."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Literal

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.tables import Cell, Number, Table
from captious.tables.html import DrawnColumn, interval_svg, to_html
from captious.tables.values import for_page
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show, words
from captious.web.admin.background import figures
from captious.web.admin.formatting import number
from captious.web.admin.models import TablesPage
from captious.web.texts import Texts

router = APIRouter()
# A page is read by people; the export has every row.
MOST_ROWS = 300
Kind = Literal["agreement", "results"]


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
        tables=[for_page(table, MOST_ROWS) for table in kept.tables()],
    )


def markup(table: Table, t: Texts) -> Markup:
    """A table as the page shows it: title and note above it, intervals drawn beside its rows."""
    page = for_page(table, MOST_ROWS)
    detail = f'<span class="detail">{escape(table.note)}</span>' if table.note else ""
    drawn = None
    if page.intervals:
        ends = {name: number(end, 0) for name, end in (("bottom", page.bottom), ("top", page.top))}
        cells = [interval_svg(one, page.bottom, page.top) for one in page.intervals]
        drawn = DrawnColumn(t("admin.tables.drawn", **ends), cells)
    shown = to_html(
        replace(table, rows=table.rows[:MOST_ROWS]),
        caption=f'<span class="caption-inner"><strong>{escape(table.title)}</strong>{detail}</span>',
        spell=_spelled,
        drawn=drawn,
        empty=t("admin.tables.empty"),
    )
    return Markup(shown)


def _spelled(cell: Cell) -> str:
    return (cell.text if isinstance(cell, Number) else number(cell, 3)).replace("_", " ")


def _twin(kind: Kind) -> None:
    @router.get(f"/api/admin/c/{{slug}}/{kind}", name=f"{kind}_twin", **TWIN)
    def twin(campaign: Seen, db: Db) -> TablesPage:
        return tables_page(db, campaign, kind)

    @router.get(f"/admin/c/{{slug}}/{kind}", name=kind, **PAGE)
    def page(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
        kept = figures(db, campaign, kind)
        shown = [markup(table, words(request)) for table in kept.tables()]
        found = of_snapshot(campaign, kept)
        return show(
            request, "tables.html", account, campaign=head(campaign), here=kind, page=found, shown=shown
        )


_twin("agreement")
_twin("results")
