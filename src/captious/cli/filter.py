"""`captious filter`: keep captions by their scores, over shards of any size."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import options


def filter_command(
    scores: Annotated[
        str,
        typer.Argument(
            help="What `captious score --out` wrote, or Parquet shards: folder, pattern, address."
        ),
    ],
    where: Annotated[
        str,
        typer.Option(
            "--where",
            help='What to keep: comparisons of columns, and of "length" (characters) and "words" of the '
            "caption, joined by and, or, not; known(COLUMN), COLUMN in (…), COLUMN contains TEXT.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", help="Folder or address of the shards to write.", show_default=False)
    ],
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Keep the columns of sums (NAME.statistics), too.")
    ] = False,
    jobs: options.Jobs = 1,
) -> None:
    """Keep the captions whose scores meet a condition, as Parquet shards again.

    Example: captious filter scores --where "clipscore > 0.25 and length < 200" --out kept
    """
    from captious.cli.output import note, progress_bar
    from captious.engine.filter import filter_shards

    with progress_bar() as progress:
        found = filter_shards(scores, where, out, jobs=jobs, statistics=statistics, progress=progress)
    share = f" ({found.kept / found.rows:.1%})" if found.rows else ""
    typer.echo(f"kept {found.kept:,} of {found.rows:,} captions{share} in {out}")
    for one in found.set_aside:
        note(f"set aside: {one.reason}")
    if found.set_aside:
        raise typer.Exit(1)
