"""`captious data filter`: keep captions by their scores, over shards of any size."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import options


def filter_command(
    scores: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="Output of `captious score --out`, or other shards (Parquet, JSON lines): folder, pattern "
            "or address.",
        ),
    ],
    where: Annotated[
        str,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help='Captions to keep. Compare columns, or the caption\'s "length" (characters) and "words"; '
            "join with and, or, not. Also: known(COLUMN), COLUMN in (…), COLUMN contains TEXT.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="DIR", help="Folder or address to write to.", show_default=False),
    ],
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Also keep the columns NAME.statistics.")
    ] = False,
    jobs: options.Jobs = 1,
) -> None:
    """Keep captions by their scores.

    Captions that meet the condition are written as shards in the format they were read in.

    Example: captious data filter scores --where "clipscore > 0.25 and length < 200" --out kept
    """
    from captious.cli.output import note, progress_bar
    from captious.engine.filter import filter_shards

    with progress_bar() as progress:
        found = filter_shards(scores, where, out, jobs=jobs, statistics=statistics, progress=progress)
    share = f" ({found.kept / found.rows:.1%})" if found.rows else ""
    typer.echo(f"kept {found.kept:,} of {found.rows:,} captions{share} in {out}")
    for line in found.notes:
        note(line)
    for one in found.set_aside:
        note(f"set aside: {one.reason}")
    if found.set_aside:
        raise typer.Exit(1)
