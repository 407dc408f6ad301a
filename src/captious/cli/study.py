"""`captious study`: a paper's tables on your own judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            help="thumb, humanr, vcrscore, iicr, vifidel, another of `captious reproduce`, or a file.",
            show_default=False,
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="PATH",
            help="Your judgments: a file of them, or the folder of an export.",
            show_default=False,
        ),
    ],
    human: Annotated[
        list[str] | None,
        typer.Option(
            "--human",
            metavar="SYSTEM",
            help="A system whose captions people wrote; repeatable; `none` if nobody did. Tables without "
            "human captions need it.",
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option(
            "--images", metavar="DIR", help="Folder of the photographs, for metrics that use images."
        ),
    ] = None,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Compute a paper's tables on your own judgments.

    Example: captious study thumb --data EXPORT --human people
    """
    from captious.benchmarks.studies.own import study as run
    from captious.cli.output import emit, progress_bar

    with progress_bar() as progress:
        found = run(name, data, human=human or (), images=images, progress=progress)
    emit(found.tables(), found.to_dict(), form)
