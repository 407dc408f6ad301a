"""`captious reproduce`: recompute published values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.benchmark_options import Data, Golden
from captious.cli.output import Format


def reproduce(
    benchmarks: Annotated[
        list[str] | None,
        typer.Argument(
            help="thumb, flickr8k-expert, flickr8k-cf, composite, pascal-50s, "
            "coco-karpathy, spice, clipscore, refclipscore, pac-s, mcip, vilt; all without a name.",
            show_default=False,
        ),
    ] = None,
    data: Data = None,
    golden: Golden = None,
    parser: Annotated[
        Path | None,
        typer.Option(
            "--parser",
            help="spice: weights of the caption parser, such as those that "
            "never saw a benchmark's captions; else the weights of the package.",
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option("--images", help="clipscore and others that look at images: the folder of photographs."),
    ] = None,
    leaked: Annotated[
        str | None,
        typer.Option(
            "--leaked",
            help="thumb: keep, drop or replace the references that are Human captions; else replace.",
        ),
    ] = None,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Recompute published values: expected, got and verdict; exit 1 where one is newly not met.

    Example: captious reproduce flickr8k-expert thumb --data DIR
    """
    from captious.benchmarks.published import Published
    from captious.benchmarks.reproduce import VERDICTS, Check
    from captious.benchmarks.reproduce import reproduce as run
    from captious.cli.output import emit, progress_bar
    from captious.tables import Cell, Number, Table

    def number(check: Check) -> Cell:
        entry = check.published
        if check.got is None:
            return ""
        decimals = len(entry.printed.partition(".")[2])
        return Number(check.got, f"{check.got * (100 if entry.percent else 1):.{decimals + 1}f}")

    def expected(entry: Published) -> Cell:
        return Number(
            entry.value, f"{'≥ ' if entry.at_least else '≤ ' if entry.at_most else ''}{entry.printed}"
        )

    with progress_bar() as progress:
        found = run(
            benchmarks or (),
            data,
            progress,
            golden=golden,
            parser=parser,
            images=images,
            leaked=leaked,  # type: ignore[arg-type]  # reproduce refuses what is unknown
        )
    said = list(dict.fromkeys(check.note for check in found.checks if check.note))
    rows: list[list[Cell]] = [
        [
            check.published.benchmark,
            check.published.table,
            check.published.row,
            check.published.column,
            expected(check.published),
            number(check),
            check.verdict,
            f"({said.index(check.note) + 1})" if check.note else "",
        ]
        for check in found.checks
    ]
    header = ["benchmark", "table", "row", "column", "expected", "got", "verdict", "note"]
    counts = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in VERDICTS)
    sources = list(dict.fromkeys(check.published.source for check in found.checks))
    notes = [f"({number}) {line}" for number, line in enumerate(said, 1)]
    emit(Table("", header, rows, "\n".join([*notes, *sources, counts])), found.to_dict(), form)
    if not found.holds:
        raise typer.Exit(1)
