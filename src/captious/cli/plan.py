"""`captious judgments plan`: images and raters for a wanted interval or power."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format

LARGEST = 1e9  # as in `stats.planning`, which is not imported to parse; a limit also refuses NaN


def plan(
    pilot: Annotated[
        Path | None,
        typer.Argument(
            metavar="PILOT",
            help="File of judgments of a pilot. Without it, give --sd-images and --sd-raters.",
            show_default=False,
        ),
    ] = None,
    aspect: Annotated[
        str | None, typer.Option("--aspect", metavar="NAME", help="Aspect to use, if there are several.")
    ] = None,
    system: Annotated[
        str, typer.Option("--system", metavar="NAME", help="Plan for this system's mean.")
    ] = "",
    minus: Annotated[
        str,
        typer.Option(
            "--minus", metavar="NAME", help="Plan for the difference between --system and this system."
        ),
    ] = "",
    mean: Annotated[
        float | None,
        typer.Option(
            "--mean",
            metavar="X",
            min=-LARGEST,
            max=LARGEST,
            help="Assumed mean or difference. Default: the pilot's.",
        ),
    ] = None,
    sd_images: Annotated[
        float | None,
        typer.Option(
            "--sd-images",
            metavar="X",
            min=0,
            max=LARGEST,
            help="Without a pilot: SD of the images' true values.",
        ),
    ] = None,
    sd_raters: Annotated[
        float | None,
        typer.Option(
            "--sd-raters",
            metavar="X",
            min=0,
            max=LARGEST,
            help="Without a pilot: SD of the ratings of one image.",
        ),
    ] = None,
    images: Annotated[
        str, typer.Option("--images", metavar="LIST", help="Numbers of images to try, separated by commas.")
    ] = "50,100,200,500,1000",
    raters: Annotated[
        str,
        typer.Option(
            "--raters", metavar="LIST", help="Numbers of ratings per image to try, separated by commas."
        ),
    ] = "1,2,3,5",
    half_width: Annotated[
        float | None,
        typer.Option(
            "--half-width", metavar="X", min=0, max=LARGEST, help="Goal: half the width of the interval."
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(
            "--power", metavar="X", min=0, max=1, help="Goal: probability of showing a mean above 0."
        ),
    ] = None,
    crossed: Annotated[
        bool,
        typer.Option(
            "--crossed", help="The same raters rate all images. Default: each image has its own raters."
        ),
    ] = False,
    simulations: Annotated[
        int,
        typer.Option(
            "--simulations", metavar="N", min=1, max=options.MOST_DRAWS, help="Simulated studies per size."
        ),
    ] = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Find out how many images and raters a study needs.

    Simulates studies of several sizes.

    Example: captious judgments plan pilot.csv --system A --minus B --power 0.8
    """
    from captious import benchmarks
    from captious.cli.output import emit

    found = benchmarks.plan(
        pilot,
        aspect=aspect,
        system=system,
        minus=minus,
        mean=mean,
        sd_images=sd_images,
        sd_raters=sd_raters,
        images=_counts(images, "--images"),
        raters=_counts(raters, "--raters"),
        half_width=half_width,
        power=power,
        crossed=crossed,
        simulations=simulations,
        level=level,
        seed=seed,
    )
    emit([found.table()] if form is Format.csv else found.tables(), found.to_dict(), form)


def _counts(text: str, option: str) -> list[int]:
    """Read `50,100,200`.

    >>> _counts("50, 100", "--images")
    [50, 100]
    """
    from captious.errors import InputError, one_line

    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        shown = one_line(text, 30)
        raise InputError(f'{option}: "{shown}" is not a list of numbers. Write 50,100,200.') from None
