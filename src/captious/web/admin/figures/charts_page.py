"""Charts of a campaign: parts of the pages that come again by themselves, and their JSON twins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from captious.campaigns.quality import control as quality
from captious.campaigns.quality.rater_chart import rater_table
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.charts.drawn import file_name
from captious.charts.render import can_draw
from captious.charts.words import finding_of
from captious.tables import Table
from captious.tables.values import PageTable, for_page
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show, words
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.drawings import drawn
from captious.web.admin.figures.shown_tables import MOST_ROWS, markup
from captious.web.admin.models import CampaignHead, Computed
from captious.web.texts import Texts

router = APIRouter()
Kind = Literal["progress", "agreement", "results", "quality"]
# A table of so few rows stands beside its chart; a longer one is folded.
FEW_ROWS = 8


class ChartView(NamedTuple):
    """A chart as a template shows it: its words, its pictures and its table twin."""

    key: str
    title: str
    how: str
    finding: str
    pictures: Markup
    table: Markup
    more: int
    unfolded: bool


class ChartsView(NamedTuple):
    """The charts of a page; `waiting`: some are still being computed or drawn."""

    address: str
    charts: list[ChartView]
    waiting: bool
    can_draw: bool


@dataclass(frozen=True)
class ShownChart:
    """A chart: how it is read, what it shows, its table; `drawn` where the page has its picture."""

    title: str
    how: str
    finding: str
    table: PageTable
    drawn: bool


@dataclass(frozen=True)
class ChartsPage(Computed):
    """The charts of a page."""

    charts: list[ShownChart]


def charts_view(db: Database, campaign: Campaign, kind: Kind, t: Texts) -> ChartsView:
    """The charts of a page, as far as they are there; the rest is begun."""
    kept, tables = _tables(db, campaign, kind)
    pictures, drawing = drawn(db, campaign, kind, tables)
    views = []
    for table, picture in zip(tables, pictures, strict=True):
        if table.chart is None:
            continue
        views.append(
            ChartView(
                key=file_name(table.title),
                title=table.title,
                how=table.chart.how,
                finding=finding_of(table, table.chart),
                pictures=Markup("" if picture is None else picture.wide + picture.narrow),
                table=markup(table, t),
                more=max(0, len(table.rows) - MOST_ROWS),
                unfolded=len(table.rows) <= FEW_ROWS or (picture is None and not drawing),
            )
        )
    address = f"/admin/c/{campaign.slug}/charts/{kind}"
    return ChartsView(address, views, kept.pending or drawing, can_draw())


def _tables(db: Database, campaign: Campaign, kind: Kind) -> tuple[Snapshot, Sequence[Table]]:
    kept = figures(db, campaign, kind)
    if kind == quality.QUALITY:
        found = rater_table(quality.quality_rows(db, campaign, kept)) if kept.time is not None else []
    else:
        found = kept.charted()
    return kept, found


@router.get("/api/admin/c/{slug}/charts/{kind}", **TWIN)
def charts_twin(campaign: Seen, db: Db, kind: Kind) -> ChartsPage:
    """The charts of a page in words and as tables."""
    kept, tables = _tables(db, campaign, kind)
    found = drawn(db, campaign, kind, tables)
    return ChartsPage(
        campaign=CampaignHead.of(campaign),
        computed_at=kept.time,
        computing=kept.pending or found.drawing,
        charts=[
            ShownChart(
                title=table.title,
                how=table.chart.how,
                finding=finding_of(table, table.chart),
                table=for_page(table, MOST_ROWS),
                drawn=picture is not None,
            )
            for table, picture in zip(tables, found.pictures, strict=True)
            if table.chart is not None
        ],
    )


@router.get("/admin/c/{slug}/charts/{kind}", **PAGE)
def charts(request: Request, account: Viewer, campaign: Seen, db: Db, kind: Kind) -> Response:
    """The charts alone: what a page puts in the place of those that it shows."""
    return show(
        request,
        "charts.html",
        account,
        campaign=head(campaign),
        charts=charts_view(db, campaign, kind, words(request)),
    )
