"""`captious data stats`: statistics of data sets of captions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def stats(
    captions: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Caption files, shown side by side.", show_default=False),
    ],
    images: Annotated[
        int | None,
        typer.Option(
            "--images",
            metavar="N",
            min=1,
            help="Images per sample. Default: 4,500, or as many as all files have.",
        ),
    ] = None,
    per_image: Annotated[
        int | None,
        typer.Option(
            "--captions",
            metavar="N",
            min=1,
            help="Captions per image. Default: 5, or as many as all images have.",
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", metavar="N", min=1, max=1000, help="Number of samples.")
    ] = 5,
    tagger: Annotated[
        str,
        typer.Option(
            "--tagger",
            metavar="NAME",
            help="Part-of-speech tagger: caption (captious' own parser), spacy (its small "
            "English model), the name of another spaCy model, or none.",
        ),
    ] = "caption",
    tokeniser: options.Tokeniser = "ptb",
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Describe caption data sets.

    Prints size, lengths, vocabulary, unique n-grams and parts of speech.

    Example: captious data stats coco.json nocaps.json --images 4500 --captions 5
    """
    from captious.cli.described import describe_files, tables
    from captious.cli.output import emit, progress_bar

    with progress_bar() as progress:
        found = describe_files(
            captions,
            images=images,
            captions=per_image,
            draws=draws,
            seed=seed,
            tagger=tagger,
            tokeniser=tokeniser,
            progress=progress,
        )
    emit(tables(found, form), {"files": {one.name: one.to_dict() for one in found}}, form)
