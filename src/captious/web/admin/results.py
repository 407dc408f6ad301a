"""Agreement and results of a campaign, and its data as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask
from starlette.responses import Response

from captious.campaigns.exchange.export import export_zip
from captious.campaigns.exchange.export_files import FORMATS
from captious.campaigns.people import raters
from captious.campaigns.records import Account, Campaign
from captious.campaigns.results import analysis
from captious.campaigns.results.verdict import is_over
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.charts.apart import file_pictures
from captious.charts.render import can_draw
from captious.protocols import Problem
from captious.tables import Table
from captious.tables.values import PageTable, for_page
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Seen,
    Viewer,
    Written,
    head,
    page,
    rights,
    show,
    words,
)
from captious.web.admin.figures.background import figures
from captious.web.admin.figures.charts_page import charts_view, files_address
from captious.web.admin.figures.found import found_view
from captious.web.admin.figures.shown_tables import MOST_ROWS, markup
from captious.web.admin.form_fields import texts_of
from captious.web.admin.models import CampaignHead, Computed
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

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
    """The protocol's tables, and those beside them that are not there to be drawn; none without rows."""
    found = [*kept.tables(), *(table for table in kept.more() if table.chart is None)]
    return [table for table in found if table.rows]


def _register(kind: Kind) -> None:
    def drawn(request: Request, campaign: Seen, db: Db) -> dict[str, Any]:
        kept, t = figures(db, campaign, kind), words(request)
        tables = _all(kept)
        over = kind == "results" and is_over(campaign, analysis.overview(db, campaign))
        return {
            "found": found_view(db, campaign, t) if over else None,
            "marked": bool(kept.content.get("marked")),
            "addresses": [files_address(campaign, kind, table) for table in tables],
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


CONTENTS = ("responses", "judgments", "final", "items", "raters", "croissant", "datasheet")
BEFORE_OTHERS = CONTENTS.index("croissant")


@dataclass(frozen=True)
class ExportsPage:
    """What can be downloaded."""

    campaign: CampaignHead
    responses: int
    formats: list[str]
    contents: list[str]
    identities: bool


@router.get("/api/admin/c/{slug}/exports", **TWIN)
def exports_page(account: Viewer, campaign: Seen, db: Db) -> ExportsPage:
    """What can be downloaded, and whether with names."""
    added = [Path(note.name).stem for note in campaign.rules().export_files]
    return ExportsPage(
        campaign=head(campaign),
        responses=sum(rater.answered for rater in raters.listed(db, campaign)),
        formats=list(FORMATS),
        contents=[*CONTENTS[:BEFORE_OTHERS], *added, *CONTENTS[BEFORE_OTHERS:]],
        identities=rights(account).manage and campaign.settings.identities_in_export,
    )


@router.get("/admin/c/{slug}/exports", **PAGE)
def exports(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """What can be downloaded, and the form that asks for it."""
    ticked = {f"format-{name}": "yes" for name in FORMATS}
    return _page(request, account, campaign, db, ticked)


@router.post(
    "/admin/c/{slug}/exports",
    **{
        **WRITE,
        "status_code": 200,
        "response_class": FileResponse,
        "responses": {
            **WRITE["responses"],
            200: {"description": "The archive.", "content": {"application/zip": {}}},
        },
    },
    openapi_extra=form_body(
        {
            **{f"format-{name}": "yes: with this format" for name in FORMATS},
            "identities": "yes: names and addresses of raters too",
            "confirm": "yes: that is meant",
        },
        required=["csrf"],
    ),
)
def download(request: Request, account: Viewer, campaign: Seen, db: Db, form: Written) -> Response:
    """Write the archive and send it; the log says who took it, and whether with names."""
    given = texts_of(form)
    t = words(request)
    chosen = [name for name in FORMATS if given.get(f"format-{name}") == "yes"]
    identities = given.get("identities") == "yes"
    if identities and not rights(account).manage:
        raise Refusal(403, "error.role", role="manager")
    problems = []
    if not chosen:
        problems.append(Problem(f"format-{FORMATS[0]}", t("admin.exports.no_format")))
    if identities and given.get("confirm") != "yes":
        problems.append(Problem("confirm", t("admin.exports.unconfirmed")))
    if problems:
        return _page(request, account, campaign, db, given, *problems)
    draw = file_pictures if can_draw() else None
    path = export_zip(db, campaign, formats=chosen, identities=identities, actor=account.name, draw=draw)
    name = f"{campaign.slug}{'-identities' if identities else ''}.zip"
    return FileResponse(
        path, media_type="application/zip", filename=name, background=BackgroundTask(_drop, path)
    )


def _drop(path: Path) -> None:
    path.unlink(missing_ok=True)


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    form: dict[str, str],
    *problems: Problem,
) -> Response:
    names = [*(f"format-{name}" for name in FORMATS), "identities"]
    return show(
        request,
        "exports.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="exports",
        page=exports_page(account, campaign, db),
        added={Path(note.name).stem: note for note in campaign.rules().export_files},
        form=dict.fromkeys(names, "") | form,
    )
