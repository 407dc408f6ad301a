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
            metavar="STUDY",
            help="Studies: thumb, humanr, vcrscore, iicr, vifidel, hessel2021, cornia2020, sarto2023; a file "
            "of your own. Or benchmarks, of which every study's values are recomputed: flickr8k-expert, "
            "flickr8k-cf, composite, pascal-50s, coco-karpathy, spice, clipscore, refclipscore, pac-s, mcip, "
            "vilt, bertscore. Default: all.",
            show_default=False,
        ),
    ] = None,
    data: Data = None,
    golden: Golden = None,
    images: Annotated[
        Path | None,
        typer.Option(
            "--images",
            metavar="DIR",
            help="Folder of the photographs, for clipscore and other metrics that use images.",
        ),
    ] = None,
    leaked: Annotated[
        str | None,
        typer.Option(
            "--leaked",
            metavar="keep|drop|replace",
            help="thumb only: keep, drop or replace references that are Human captions. Default: replace.",
        ),
    ] = None,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Recompute published values and compare. Exit code 1 if a value is unexpectedly not reproduced.

    Example: captious reproduce flickr8k-expert thumb --data DIR
    """
    from captious.benchmarks.studies.reproduce import reproduce as run
    from captious.cli.output import emit, progress_bar

    with progress_bar() as progress:
        found = run(
            benchmarks or (),
            data,
            golden=golden,
            images=images,
            leaked=leaked,  # type: ignore[arg-type]  # reproduce refuses what is unknown
            progress=progress,
        )
    emit(found.tables(), found.to_dict(), form)
    if not found.holds:
        raise typer.Exit(1)
