"""What a finished study found, as a page shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from captious.campaigns.records import Campaign
from captious.campaigns.results.differences import FOUND, lines_of
from captious.campaigns.store.database import Database
from captious.charts.render import can_draw
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import files_address
from captious.web.admin.figures.shown_tables import markup
from captious.web.pages import Texts


class FoundView(NamedTuple):
    """The sentences, the table and where both are as files."""

    lines: list[str]
    table: Markup
    notes: list[str]
    files: str
    can_draw: bool


def found_view(db: Database, campaign: Campaign, t: Texts) -> FoundView | None:
    """The differences of a study that is over; None where no two systems can be compared."""
    kept = figures(db, campaign, FOUND)
    tables = kept.tables()
    if not tables:
        return None
    (table,) = tables
    shown = markup(replace(table, note=""), t)
    address = files_address(campaign, FOUND, table)
    return FoundView(lines_of(kept.content), shown, table.note.splitlines(), address, can_draw())
