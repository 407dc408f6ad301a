"""`captious judgments aggregate`: one value for each caption from the ratings of several raters."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


class Rule(StrEnum):
    """How several ratings become one."""

    mean = "mean"
    median = "median"
    rounded = "rounded"
    without_extremes = "without-extremes"
    vote = "vote"
    dawid_skene = "dawid-skene"
    mace = "mace"


def aggregate(
    ratings: Annotated[
        Path, typer.Argument(metavar="RATINGS", help="File of judgments, in any format.", show_default=False)
    ],
    rule: Annotated[
        Rule,
        typer.Option(
            "--rule",
            help="mean; median; rounded (mean rounded to a whole number); without-extremes (mean without the "
            "lowest and the highest rating); vote (most frequent); dawid-skene or mace (most likely value "
            "under a model of the raters).",
        ),
    ] = Rule.mean,
    aspect: Annotated[
        str | None, typer.Option("--aspect", metavar="NAME", help="Aspect to use, if there are several.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="LIST",
            help="Print means by system, rater or stage, separated by commas, not by caption.",
        ),
    ] = "",
    raters: Annotated[
        bool, typer.Option("--raters", help="Print each rater's ability under both models, not the captions.")
    ] = False,
    seed: options.Seed = options.DEFAULT_SEED,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Combine the ratings of each caption into one value.

    Example: captious judgments aggregate ratings.csv --rule without-extremes --format csv > mean.csv
    """
    from captious.benchmarks.rater_agreement.aggregated import abilities, aggregated, group_means
    from captious.cli.output import emit
    from captious.corpus.judged import read_judgments
    from captious.tables import Cell, Table

    judged = read_judgments(ratings).judgments
    if raters:
        able = abilities(judged, aspect=aspect, seed=seed)
        people: list[list[Cell]] = [[one.rater, one.dawid_skene, one.mace, one.ratings] for one in able]
        table = Table(f"{ratings.name}: raters", ["rater", "Dawid-Skene", "MACE", "ratings"], people)
        emit(table, {"raters": [one._asdict() for one in able]}, form, csv_safe=csv_safe)
        return
    if by:
        columns = [name.strip() for name in by.split(",") if name.strip()]
        groups = group_means(judged, columns, rule.value, aspect=aspect, seed=seed)
        lines: list[list[Cell]] = [[*one.names, one.mean, one.sd, one.n] for one in groups]
        table = Table(f"{ratings.name}: {rule.value}", [*columns, "mean", "SD", "n"], lines)
        payload = [{**dict(zip(columns, one.names, strict=True)), **one._asdict()} for one in groups]
        emit(table, {"rule": rule.value, "by": columns, "groups": payload}, form, csv_safe=csv_safe)
        return
    found = aggregated(judged, rule.value, aspect=aspect, seed=seed)
    rows: list[list[Cell]] = [[one.image, one.system, one.value, one.ratings] for one in found]
    header = ["image", "system", "rating", "ratings"]
    table = Table(f"{ratings.name}: {rule.value} of {len(found):,} captions", header, rows)
    emit(table, {"rule": rule.value, "items": [one._asdict() for one in found]}, form, csv_safe=csv_safe)
