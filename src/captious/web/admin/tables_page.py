"""Agreement and results: tables that are computed beside the pages, shown with their time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.protocols import Table
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show
from captious.web.admin.background import figures
from captious.web.admin.formatting import finite
from captious.web.admin.models import Cell, Drawn, ResultTable, TablesPage

router = APIRouter()
# A page is read by people; the export has every row.
MOST_ROWS = 300
LOW, HIGH = "low", "high"
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
        tables=[result_table(table) for table in kept.tables()],
    )


def result_table(table: Table) -> ResultTable:
    """A table as JSON and pages can hold it, with its intervals where it has any.

    >>> made = result_table(Table("T", ("system", "mean", "low", "high"), (("m", 0.5, 0.4, 0.6),)))
    >>> made.intervals[0].value, made.numeric
    (0.5, [False, True, True, True])
    """
    rows = [[_cell(cell) for cell in row] for row in table.rows[:MOST_ROWS]]
    numeric = [
        any(isinstance(row[at], (int, float)) for row in table.rows) for at in range(len(table.columns))
    ]
    intervals = _intervals(table.columns, rows)
    bottom, top = _scale(intervals or [])
    return ResultTable(
        title=table.title,
        columns=list(table.columns),
        numeric=numeric,
        rows=rows,
        note=table.note,
        more=max(0, len(table.rows) - MOST_ROWS),
        intervals=intervals,
        bottom=bottom,
        top=top,
    )


def _cell(cell: str | float) -> Cell:
    return finite(cell) if isinstance(cell, float) else cell


def _intervals(columns: Sequence[str], rows: Sequence[list[Cell]]) -> list[Drawn] | None:
    """The value before a pair of `low` and `high`, where a table has one such pair."""
    if columns.count(LOW) != 1 or columns.count(HIGH) != 1 or columns.index(LOW) == 0:
        return None
    at, low, high = columns.index(LOW) - 1, columns.index(LOW), columns.index(HIGH)
    return [Drawn(value=_number(row[at]), low=_number(row[low]), high=_number(row[high])) for row in rows]


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, (int, float)) else None


def _scale(drawn: Sequence[Drawn]) -> tuple[float, float]:
    """Ends that hold every interval: [0, 1] or [-1, 1] where they fit, else whole numbers."""
    values = [v for one in drawn for v in (one.value, one.low, one.high) if v is not None]
    least, most = min(values, default=0.0), max(values, default=1.0)
    if least >= -1 and most <= 1:
        return (0.0 if least >= 0 else -1.0), 1.0
    return float(math.floor(min(least, 0.0))), float(math.ceil(max(most, 0.0)))


def _twin(kind: Kind) -> None:
    @router.get(f"/api/admin/c/{{slug}}/{kind}", name=f"{kind}_twin", **TWIN)
    def twin(campaign: Seen, db: Db) -> TablesPage:
        return tables_page(db, campaign, kind)

    @router.get(f"/admin/c/{{slug}}/{kind}", name=kind, **PAGE)
    def page(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
        found = tables_page(db, campaign, kind)
        return show(request, "tables.html", account, campaign=head(campaign), here=kind, page=found)


_twin("agreement")
_twin("results")
