"""`captious campaign export`, `report`, `quality` and `adjudicate`: what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, actor, opened
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign
    from captious.campaigns.store.database import Database as OpenDatabase
    from captious.tables import Table

adjudicate_app = typer.Typer(help="List disagreements between raters and decide them.", no_args_is_help=True)


@adjudicate_app.callback()
def about_adjudicate() -> None:
    """List disagreements between raters and decide them."""


def export(
    slug: Slug,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="PATH", help="Folder to write, or a .zip file.")
    ],
    formats: Annotated[
        str,
        typer.Option(
            "--formats",
            metavar="LIST",
            help="Formats of the tables, separated by commas: jsonl, csv, parquet.",
        ),
    ] = "jsonl,csv,parquet",
    identities: Annotated[
        bool, typer.Option("--identities", help="Include raters' names, if the campaign's settings allow it.")
    ] = False,
    licence: Annotated[
        str, typer.Option("--license", metavar="URL", help="URL of the licence, for croissant.json.")
    ] = "",
    cite_as: Annotated[
        str, typer.Option("--cite", metavar="TEXT", help="How to cite the data, for croissant.json.")
    ] = "",
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Export the data set of a campaign.

    It has responses, judgments, raters, a Croissant description and a datasheet. Raters appear under
    pseudonyms.

    Example: captious campaign export alt-text --out alt-text-data
    """
    from captious.cli.output import note

    with opened(database) as db:
        from captious.campaigns.exchange.export import Citation, export_zip
        from captious.campaigns.exchange.export import export as write
        from captious.campaigns.setup import lifecycle
        from captious.charts.drawn import chart_files
        from captious.charts.render import can_draw

        campaign = lifecycle.find(db, slug)
        chosen = [one.strip() for one in formats.split(",") if one.strip()]
        asked = {
            "formats": chosen,
            "identities": identities,
            "actor": actor(),
            "citation": Citation(cite_as, licence),
            "draw": chart_files if can_draw() else None,
        }
        if out.suffix == ".zip":
            export_zip(db, campaign, out, **asked)  # type: ignore[arg-type]
            note(f"wrote {out}")
        else:
            files = write(db, campaign, out, **asked)  # type: ignore[arg-type]
            note(f"wrote {len(files)} files to {out}")
    if identities:
        note("the export contains raters' names: keep it private")


def report(
    slug: Slug,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PATH", help="Also write an HTML report to this file."),
    ] = None,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Print a campaign's results and its raters' agreement.

    Both have intervals.

    Example: captious campaign report thumb-1-0 --out report.html
    """
    from captious.cli.output import emit_guarded, note
    from captious.files import check_output
    from captious.tables.values import by_column

    if out is not None:
        check_output(out)
    with opened(database) as db:
        from captious.campaigns.setup import lifecycle

        campaign = lifecycle.find(db, slug)
        results, agreement = _tables(db, campaign)
        if out is not None:
            from captious.report.campaign import write_page

            write_page(db, campaign, results, agreement, out)
    payload = {
        "campaign": campaign.slug,
        "protocol": campaign.protocol,
        "results": [by_column(table) for table in results],
        "agreement": [by_column(table) for table in agreement],
    }
    emit_guarded([*results, *agreement], payload, form)
    if not results and not agreement:
        note("there is nothing to report yet")
    if out is not None:
        note(f"wrote {out}; open it in a browser")


def _tables(db: OpenDatabase, campaign: Campaign) -> tuple[list[Table], list[Table]]:
    """Results, and agreement without the tables that the results hold already."""
    from captious.campaigns.results import analysis

    results = analysis.result_tables(db, campaign)
    titles = {table.title for table in results}
    agreement = analysis.agreement(db, campaign).tables()
    return results, [table for table in agreement if table.title not in titles]


def quality(
    slug: Slug,
    uphold: Annotated[
        list[int] | None,
        typer.Option(
            "--uphold", metavar="FLAG", help="Number of a flag to uphold: the rater is removed. Repeatable."
        ),
    ] = None,
    dismiss: Annotated[
        list[int] | None,
        typer.Option(
            "--dismiss",
            metavar="FLAG",
            help="Number of a flag to dismiss: the rater is reinstated. Repeatable.",
        ),
    ] = None,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Run the quality rules and decide on the flags they raise.

    Example: captious campaign quality alt-text --uphold 3
    """
    from dataclasses import asdict

    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded
    from captious.errors import InputError

    with opened(database) as db:
        from captious.campaigns.quality.control import decide, flags, rater_quality, run_quality
        from captious.campaigns.setup import lifecycle

        campaign = lifecycle.find(db, slug)
        run_quality(db, campaign)
        known = {flag.id for flag in flags(db, campaign)}
        wrong = next((n for n in [*(uphold or []), *(dismiss or [])] if n not in known), None)
        if wrong is not None:
            raise InputError(f"flag {wrong}: {slug} has no flag with that number.")
        for number in uphold or []:
            decide(db, number, "upheld", actor=actor())
        for number in dismiss or []:
            decide(db, number, "dismissed", actor=actor())
        found, pointed = rater_quality(db, campaign, fresh_within=0), flags(db, campaign)
    payload = {"raters": [asdict(one) for one in found], "flags": [asdict(one) for one in pointed]}
    emit_guarded(campaign_tables.quality(found, pointed), payload, form)


@adjudicate_app.command("list")
def adjudicate_list(
    slug: Slug,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Number of rows to show.")] = 20,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Number of rows to skip.")] = 0,
    undecided: Annotated[
        bool, typer.Option("--undecided", help="Show only undecided disagreements.")
    ] = False,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """List disagreements between raters, the largest first.

    Example: captious campaign adjudicate list alt-text --limit 10
    """
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    with opened(database) as db:
        from captious.campaigns.quality.adjudication import disagreement_snapshot, disagreements
        from captious.campaigns.setup import lifecycle

        campaign = lifecycle.find(db, slug)
        total = disagreement_snapshot(db, campaign).content.get("count", 0)
        found = disagreements(db, campaign, limit=limit, offset=offset, undecided_only=undecided)
    payload = {
        "count": total,
        "disagreements": [
            {
                "item": one.item.key,
                "image": one.item.image,
                "spread": one.spread,
                "why": one.why,
                "decided": one.decided,
                "responses": [
                    {"rater": said.rater, "item": said.item, "answers": said.answers}
                    for said in one.responses
                ],
            }
            for one in found
        ],
    }
    emit_guarded(campaign_tables.disagreements(found, total), payload, form)


@adjudicate_app.command("decide")
def adjudicate_decide(
    slug: Slug,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="Key of the item.", show_default=False)],
    answers: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON file of answers by question.", show_default=False)
    ],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Decide a disagreement. A later decision replaces an earlier one.

    Example: captious campaign adjudicate decide alt-text first/7 decision.json
    """
    import orjson

    from captious.cli.output import note
    from captious.errors import InputError

    try:
        given = orjson.loads(answers.read_bytes())
    except orjson.JSONDecodeError as error:
        raise InputError(f"{answers}: not valid JSON: {error}.") from None
    if not isinstance(given, dict):
        raise InputError(f"{answers}: expected a JSON object of answers by question.")
    with opened(database) as db:
        import uuid

        from captious.campaigns.quality.adjudication import adjudicate
        from captious.campaigns.setup import lifecycle

        found = adjudicate(
            db, lifecycle.find(db, slug), item, given, actor=actor(), key=uuid.uuid4().hex, source="api"
        )
    if isinstance(found, list):
        raise InputError(" ".join(problem.message for problem in found))
    note(f"decided {item}" + (" anew" if found.correction else ""))
