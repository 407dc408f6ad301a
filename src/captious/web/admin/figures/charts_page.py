"""Charts of a campaign: parts of the pages that come again by themselves, and their JSON twins."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from captious.campaigns.quality import control as quality
from captious.campaigns.quality.control import rater_table
from captious.campaigns.records import Campaign
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Marker, Snapshot
from captious.charts.apart import Pictures, page_pictures
from captious.charts.drawn import digest_of, file_name
from captious.charts.render import can_draw
from captious.charts.words import finding_of
from captious.errors import CaptiousError
from captious.tables import Table
from captious.tables.values import PageTable, for_page
from captious.web.admin.access import PAGE, TWIN, Db, Seen, Viewer, head, show, words
from captious.web.admin.figures.background import OneAtATime, figures
from captious.web.admin.figures.shown_tables import MOST_ROWS, markup
from captious.web.admin.models import CampaignHead, Computed
from captious.web.pages import Texts

NOTHING = Pictures("", "")
_log = logging.getLogger("captious.web")
_work = OneAtATime()


class Drawn(NamedTuple):
    """The pictures of tables, in their order (None: not there), and whether more are coming."""

    pictures: list[Pictures | None]
    drawing: bool


def drawn(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> Drawn:
    """What is kept of the charts of a page at once; the others are begun where they can be drawn."""
    digests = [digest_of(table) for table in tables]
    known = _known(db, campaign, kind)
    missing = [table for table, digest in zip(tables, digests, strict=True) if digest not in known]
    drawing = bool(missing) and can_draw()
    if drawing:
        _begin(db, campaign, kind, tables)
    return Drawn([_picture(known.get(digest)) for digest in digests], drawing)


def _picture(kept: list[str] | None) -> Pictures | None:
    return Pictures(*kept) if kept and any(kept) else None


def _kind(kind: str) -> str:
    return f"drawn {kind}"


def _known(db: Database, campaign: Campaign, kind: str) -> dict[str, list[str]]:
    kept = snapshots.latest(db, campaign, _kind(kind))
    return dict(kept.content.get("pictures", {})) if kept is not None else {}


def draw(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> None:
    """Draw what is not kept yet, and keep it in place of what the page shows no more.

    A chart that cannot be drawn is kept as empty, so that it is not tried at every visit.
    """
    known = _known(db, campaign, kind)
    wanted = {digest_of(table): table for table in tables}
    missing = {digest: table for digest, table in wanted.items() if digest not in known}
    try:
        found = page_pictures(list(missing.values()))
    except CaptiousError as error:
        _log.warning("%s of %s: %s", kind, campaign.slug, error)
        found = [NOTHING] * len(missing)
    pictures = {digest: list(one) for digest, one in zip(missing, found, strict=True)}
    kept = {digest: pictures.get(digest) or known[digest] for digest in wanted}
    snapshots.keep(db, campaign, _kind(kind), {"pictures": kept}, Marker(0, 0))


def _begin(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> None:
    """Draw in a thread that waits for a process, unless one is at it already."""
    key = (str(id(db)), campaign.id, kind)
    _work.begin(key, f"captious-{_kind(kind)}-{campaign.slug}", partial(draw, db, campaign, kind, tables))


router = APIRouter()
Kind = Literal["found", "progress", "agreement", "results", "quality"]
# A table of so few rows stands beside its chart; a longer one is folded.
FEW_ROWS = 8


class ChartView(NamedTuple):
    """A chart as a template shows it: its words, its pictures and its table twin."""

    key: str
    files: str
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


def files_address(campaign: Campaign, kind: Kind, table: Table) -> str:
    """Where a table is as a file, without the ending of its name."""
    return f"/admin/c/{campaign.slug}/files/{kind}/{file_name(table.title)}"


def charts_view(db: Database, campaign: Campaign, kind: Kind, t: Texts) -> ChartsView:
    """The charts of a page, as far as they are there; the rest is begun."""
    kept, tables = _charted(db, campaign, kind)
    pictures, drawing = drawn(db, campaign, kind, tables)
    views = []
    for table, picture in zip(tables, pictures, strict=True):
        if table.chart is None:
            continue
        views.append(
            ChartView(
                key=file_name(table.title),
                files=files_address(campaign, kind, table),
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


def tables_of(db: Database, campaign: Campaign, kind: Kind) -> tuple[Snapshot, list[Table]]:
    """The tables of a page that have rows, drawn or not."""
    kept = figures(db, campaign, kind)
    if kind == quality.QUALITY:
        found = rater_table(quality.quality_rows(db, campaign, kept)) if kept.time is not None else []
    else:
        found = [*kept.tables(), *kept.more()]
    return kept, [table for table in found if table.rows]


def _charted(db: Database, campaign: Campaign, kind: Kind) -> tuple[Snapshot, list[Table]]:
    kept, tables = tables_of(db, campaign, kind)
    return kept, [table for table in tables if table.chart is not None]


@router.get("/api/admin/c/{slug}/charts/{kind}", **TWIN)
def charts_twin(campaign: Seen, db: Db, kind: Kind) -> ChartsPage:
    """The charts of a page in words and as tables."""
    kept, tables = _charted(db, campaign, kind)
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
