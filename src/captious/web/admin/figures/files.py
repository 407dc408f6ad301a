"""A table or a figure of a page as a file for a paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from captious.charts.apart import drawn_file
from captious.charts.drawn import file_name
from captious.tables import Table
from captious.tables.text import to_csv, to_latex, to_markdown
from captious.web.admin.access import PAGE, Db, Seen, Viewer
from captious.web.admin.figures.charts_page import Kind, tables_of
from captious.web.refusals import Refusal

router = APIRouter()
TEXTS: dict[str, tuple[Callable[[Table], str], str]] = {
    "tex": (to_latex, "application/x-tex"),
    "csv": (lambda table: to_csv(table, safe=True), "text/csv"),
    "md": (to_markdown, "text/markdown"),
}
DRAWINGS = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}


@router.get("/admin/c/{slug}/files/{kind}/{key}.{form}", **PAGE)
def file(
    _: Viewer,
    campaign: Seen,
    db: Db,
    kind: Kind,
    key: str,
    form: Literal["tex", "csv", "md", "pdf", "svg", "png"],
) -> Response:
    """A table as LaTeX, CSV or Markdown, or its chart as PDF, SVG or PNG."""
    _kept, tables = tables_of(db, campaign, kind)
    table = next((one for one in tables if file_name(one.title) == key), None)
    if table is None or (form in DRAWINGS and table.chart is None):
        raise Refusal(404, "error.404")
    if form in TEXTS:
        write, media = TEXTS[form]
        content: str | bytes = write(table)
    else:
        content, media = drawn_file(table, form), DRAWINGS[form]
    named = {"Content-Disposition": f'attachment; filename="{campaign.slug}-{key}.{form}"'}
    return Response(content, media_type=media, headers=named)
