"""`captious campaign`: human evaluations from files to an exported data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.campaign import create as campaign_create
from captious.cli.campaign import data as campaign_data
from captious.cli.campaign import drafts as campaign_drafts
from captious.cli.campaign import entry as campaign_entry
from captious.cli.campaign import mix as campaign_mix
from captious.cli.campaign import payout as campaign_payout
from captious.cli.campaign import people as campaign_people
from captious.cli.campaign import simulate as campaign_simulate
from captious.cli.campaign.options import (
    DEFAULT_DATABASE,
    Database,
    Files,
    Slug,
    actor,
    opened,
    require_found,
)
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.campaigns.store.backup import BackedUp

app = typer.Typer(
    help="Create, run, watch and export human evaluations.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def about() -> None:
    """Create, run, watch and export human evaluations."""


app.command("create")(campaign_create.create)
app.command("import")(campaign_create.import_)
app.command("mix")(campaign_mix.mix)
app.command("payout")(campaign_payout.payout)
app.command("protocols")(campaign_drafts.protocols)
app.command("export")(campaign_data.export)
app.command("report")(campaign_data.report)
app.command("simulate")(campaign_simulate.simulate)
app.command("quality")(campaign_data.quality)
app.command("training")(campaign_entry.training)
app.command("gold")(campaign_entry.gold)
app.add_typer(campaign_data.adjudicate_app, name="adjudicate")
app.add_typer(campaign_people.raters_app, name="raters")
app.add_typer(campaign_people.account_app, name="account")


@app.command("list")
def list_(database: Database = DEFAULT_DATABASE, form: options.OutputFormat = Format.table) -> None:
    """List all campaigns with their state and progress.

    Example: captious campaign list
    """
    from captious.campaigns.results import analysis
    from captious.campaigns.setup import cost, lifecycle
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    with opened(database) as db:
        found = [(one, analysis.overview(db, one)) for one in lifecycle.listed(db)]
        payload = [
            campaign_tables.overview_payload(
                one, view, cost.estimate(one.rules(), view.first_target, one.settings)
            )
            for one, view in found
        ]
        emit_guarded(campaign_tables.campaigns(found), {"campaigns": payload}, form)


@app.command("status")
def status(
    slug: Slug, database: Database = DEFAULT_DATABASE, form: options.OutputFormat = Format.table
) -> None:
    """Show a campaign's summary, progress and cost.

    The summary says whether the campaign can finish with these raters, whether they agree, what needs
    a decision, who is stuck, which systems differ, and how much time and money is left.

    Example: captious campaign status alt-text
    """
    from captious.campaigns.results import analysis, verdict
    from captious.campaigns.setup import cost, lifecycle
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    with opened(database) as db:
        one = lifecycle.find(db, slug)
        kept = verdict.worked_out(db, one)
        view = analysis.overview(db, one)
        found = verdict.verdict(db, one, kept, view)
        asked = cost.estimate(one.rules(), view.first_target, one.settings, view.mean_seconds)
        payload = campaign_tables.overview_payload(one, view, asked) | {"verdict": found.to_dict()}
        width = campaign_tables.READABLE if form is Format.table else 0
        emit_guarded(campaign_tables.status(one, view, found, asked, width=width), payload, form)


def _step(slug: str, database: str, name: str) -> None:
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note

    steps = {
        "open": lifecycle.open_campaign,
        "pause": lifecycle.pause,
        "resume": lifecycle.resume,
        "close": lifecycle.close,
    }
    with opened(database) as db:
        changed = steps[name](db, lifecycle.find(db, slug), actor=actor())
        note(f"{slug} is {changed.state}")


@app.command("open")
def open_(slug: Slug, database: Database = DEFAULT_DATABASE) -> None:
    """Open a campaign, so that raters can start.

    Example: captious campaign open alt-text
    """
    _step(slug, database, "open")


@app.command("pause")
def pause(slug: Slug, database: Database = DEFAULT_DATABASE) -> None:
    """Pause a campaign: no new items are assigned. Raters can finish the items they have.

    Example: captious campaign pause alt-text
    """
    _step(slug, database, "pause")


@app.command("resume")
def resume(slug: Slug, database: Database = DEFAULT_DATABASE) -> None:
    """Resume a campaign that was paused or closed.

    Example: captious campaign resume alt-text
    """
    _step(slug, database, "resume")


@app.command("close")
def close(slug: Slug, database: Database = DEFAULT_DATABASE) -> None:
    """Close a campaign. Raters can still answer the items they have until their time is up.

    Example: captious campaign close alt-text
    """
    _step(slug, database, "close")


@app.command("extend")
def extend(
    slug: Slug,
    target: Annotated[
        int | None, typer.Option("--target", metavar="N", min=1, help="New number of responses per item.")
    ] = None,
    candidates: Annotated[
        list[Path] | None,
        typer.Option("--candidates", "-c", metavar="FILE...", help="Files of further captions."),
    ] = None,
    references: options.OptionalReferences = None,
    images: options.Images = None,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Ask for more responses per item, for more items, or both.

    Example: captious campaign extend alt-text --target 3
    """
    from captious.campaigns.results import analysis
    from captious.campaigns.setup import lifecycle
    from captious.cli import inputs
    from captious.cli.output import note
    from captious.errors import InputError

    if target is None and not candidates:
        raise InputError("extend: give --target, --candidates, or both.")
    corpus = inputs.load(candidates, references, None, images) if candidates else None
    if corpus is not None:
        require_found(corpus, images)
    with opened(database, files) as db:
        one = lifecycle.find(db, slug)
        lifecycle.extend(db, one, target=target, corpus=corpus, actor=actor())
        note(f"{slug} now asks for {analysis.overview(db, one).target:,} responses")


@app.command("metrics")
def metrics(
    slug: Slug,
    metrics: Annotated[
        str, typer.Option("--metrics", "-m", metavar="LIST", help="One or two metrics, separated by commas.")
    ],
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Change the metrics of a running game.

    They give each pair its first ratings. Ratings by people and points stay as they are.
    The log keeps the change.

    Example: captious campaign metrics rating-game --metrics "rating[model=models/iicr]"
    """
    from captious.campaigns.setup import lifecycle
    from captious.campaigns.setup.first_metrics import change_first_metrics
    from captious.cli.output import note
    from captious.metrics import resolve_all, split_list

    chosen = split_list(metrics)
    for metric in resolve_all(chosen).values():
        metric.ready()
    with opened(database, files) as db:
        one = lifecycle.find(db, slug)
        _, changed = change_first_metrics(db, one, chosen, actor=actor())
        note(f"{slug}: {changed:,} pairs start from other ratings now, by {', '.join(chosen)}")


@app.command("delete")
def delete(
    slug: Slug,
    yes: Annotated[
        str, typer.Option("--yes", metavar="CAMPAIGN", help="Name of the campaign, instead of typing it.")
    ] = "",
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Delete a campaign with all its data. There is no way back.

    Asks for the campaign's name. Export or back up first what you want to keep.

    Example: captious campaign delete alt-text
    """
    import sys

    from captious.campaigns.results import analysis
    from captious.campaigns.setup import lifecycle
    from captious.campaigns.setup.deletion import delete_campaign
    from captious.cli.output import note
    from captious.errors import InputError

    with opened(database, files) as db:
        one = lifecycle.find(db, slug)
        if not yes and not sys.stdin.isatty():
            raise InputError(f"delete: there is no terminal to type the name in. Give --yes {one.slug}.")
        count = analysis.overview(db, one).responses
        typed = yes or typer.prompt(f"{one.title}: {count:,} responses. Type {one.slug} to delete it")
        delete_campaign(db, one, typed=str(typed), actor=actor())
    note(f"{slug} is deleted")


@app.command("migrate")
def migrate(database: Database = DEFAULT_DATABASE) -> None:
    """Update the database of an older version. Back it up first.

    Example: captious campaign migrate --database captious.db
    """
    from captious.cli.output import note

    with opened(database):
        note(f"{_address(database)} is up to date")


@app.command("backup")
def backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="File to write (.zip).", show_default=False)],
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Back up all campaigns, responses and images to one file. Raters can keep working.

    Example: captious campaign backup captious-2026-11-16.zip
    """
    from captious.campaigns.store.backup import backup as write
    from captious.cli.output import note
    from captious.files import check_output

    check_output(out, ending=".zip")
    with opened(database, files) as db:
        done = write(db, out)
    note(f"wrote {_counted(done)} to {out} ({done.bytes / 1e6:.1f} MB)")


@app.command("restore")
def restore(
    backup_file: Annotated[
        Path,
        typer.Argument(
            metavar="BACKUP", help="File written by `captious campaign backup`.", show_default=False
        ),
    ],
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Restore a backup into an empty SQLite or PostgreSQL database.

    Example: captious campaign restore captious-2026-11-16.zip --database new.db
    """
    from captious.cli.campaign.options import require_database_library
    from captious.cli.output import note

    require_database_library()
    from captious.campaigns.store.backup import restore as read

    done = read(backup_file, database, files)
    note(f"restored {_counted(done)} to {_address(database)}")


def _counted(done: BackedUp) -> str:
    """What a backup holds, in words."""
    counts = (("campaign", done.campaigns), ("response", done.responses), ("image", done.images))
    campaigns, responses, images = (f"{count:,} {what}{'' if count == 1 else 's'}" for what, count in counts)
    return f"{campaigns}, {responses} and {images}"


def _address(database: str) -> str:
    """The database as it may be shown: without a password."""
    from captious.campaigns.store.database import database_url

    url = database_url(database)
    return url.render_as_string(hide_password=True) if "://" in database else database
