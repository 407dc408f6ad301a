"""`captious campaign training` and `gold`: known answers before the work, and within it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from captious.cli import options
from captious.cli.campaign.create import checked_choice
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Files, Slug, actor, opened
from captious.cli.output import Format
from captious.errors import InputError


def training(
    slug: Slug,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="YAML file of a new training, or `sample`.")
    ] = None,
    images: options.Images = None,
    pass_mark: Annotated[
        float | None,
        typer.Option(
            "--pass-mark", metavar="X", min=0.01, max=1, help="Share of right answers needed to pass, 0 to 1."
        ),
    ] = None,
    tries: Annotated[int | None, typer.Option("--tries", metavar="N", min=1, max=100, help="Tries.")] = None,
    after_failing: Annotated[
        str | None,
        typer.Option(
            "--after-failing",
            metavar="stop|uncounted|again",
            help="After the last failed try: stop, uncounted or again.",
        ),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove the training.")] = False,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
    form: options.OutputFormat = Format.table,
) -> None:
    """Show who passed the training. With a file, replace the training.

    Example: captious campaign training alt-text sample --pass-mark 0.8 --tries 2
    """
    from dataclasses import replace

    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    if file is not None and none:
        raise InputError("FILE and --none: give only one of them.")
    with opened(database, files) as db:
        from captious.campaigns.entry import training as kept
        from captious.campaigns.entry.training_files import load_training
        from captious.campaigns.setup import lifecycle
        from captious.campaigns.setup.lifecycle import set_training

        campaign = lifecycle.find(db, slug)
        changed: dict[str, Any] = {"training_pass": pass_mark, "training_tries": tries}
        changed["after_failing"] = None if after_failing is None else checked_choice(after_failing)
        changed = {name: value for name, value in changed.items() if value is not None}
        if changed:
            settings = replace(campaign.settings, **changed)
            campaign = lifecycle.change_settings(db, campaign, settings, actor=actor())
        if file is not None or none:
            folders = [images] if images else []
            found = load_training(file, campaign.rules(), folders) if file is not None else None
            campaign = set_training(db, campaign, found, actor=actor())
        trained = kept.trained(db, campaign)
        payload = {
            "training": campaign.settings.training,
            "examples": len(kept.examples(db, campaign)),
            "pass_mark": campaign.settings.training_pass,
            "tries": campaign.settings.training_tries,
            "after_failing": campaign.settings.after_failing,
            "raters": [
                one._asdict() | {"score": None if one.score != one.score else one.score} for one in trained
            ],
        }
        emit_guarded(campaign_tables.trained_table(trained, campaign.settings.training_pass), payload, form)


def gold(
    slug: Slug,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="JSON file of known answers."),
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(
            "--clear", metavar="ITEM", help="Key of an item whose known answers are removed; repeatable."
        ),
    ] = None,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """List the items with known answers. With a file, add some.

    Example: captious campaign gold alt-text known.json
    """
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    with opened(database) as db:
        from captious.campaigns.quality import gold as known
        from captious.campaigns.setup import lifecycle
        from captious.campaigns.work import reading

        campaign = lifecycle.find(db, slug)
        given: known.Gold = {key: {} for key in clear or []}
        if file is not None:
            given |= known.parse_gold(file.read_bytes(), reading.items(db, campaign), str(file))
        if given:
            known.set_gold(db, campaign, given, actor=actor())
        found = known.listed(db, campaign)
        payload = {"gold": {one.item.key: dict(one.known) for one in found}}
        emit_guarded(campaign_tables.gold_table(found), payload, form)
