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
    from captious.benchmarks.reproduce import reproduce as run
    from captious.cli.output import emit, progress_bar

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
    emit(found.tables(), found.to_dict(), form)
    if not found.holds:
        raise typer.Exit(1)
