"""A table as an admin page shows it."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from markupsafe import Markup

from captious.tables import Cell, Number, Table
from captious.tables.html import DrawnColumn, interval_svg, to_html
from captious.tables.values import for_page
from captious.web.admin.formatting import number
from captious.web.pages import Texts

# A page is read by people; the export has every row.
MOST_ROWS = 300


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
