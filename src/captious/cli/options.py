"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli.output import Format

Candidates = Annotated[
    list[Path],
    typer.Option("--candidates", "-c", help="Captions to score, one or several files.", show_default=False),
]
ShardedScores = Annotated[
    str,
    typer.Option(
        "--scores",
        help="What `captious score --out` wrote, in place of candidates; no metric runs again. Tests and "
        "examples are of a sample of images where there are many.",
    ),
]
CandidatePlaces = Annotated[
    list[str],
    typer.Option(
        "--candidates",
        "-c",
        help="Captions to score, one or several files; with --out shards: folders, patterns, addresses.",
        show_default=False,
    ),
]
ReferencePlaces = Annotated[
    list[str] | None,
    typer.Option(
        "--references",
        "-r",
        help="File with the references; metrics that need none do without.",
        show_default=False,
    ),
]
OptionalCandidates = Annotated[
    list[Path] | None,
    typer.Option("--candidates", "-c", help="Captions to score, one or several files.", show_default=False),
]
References = Annotated[
    list[Path], typer.Option("--references", "-r", help="File with the references.", show_default=False)
]
OptionalReferences = Annotated[
    list[Path] | None,
    typer.Option(
        "--references",
        "-r",
        help="File with the references; metrics that need none do without.",
        show_default=False,
    ),
]
KeptReferences = Annotated[
    list[Path] | None,
    typer.Option(
        "--references",
        "-r",
        help="File with the references; kept, and exported with the judgments, for captious meta.",
        show_default=False,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", help="Name of each system, in the order of the files (else the stem)."),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        "-m",
        help="Metrics, separated by commas; options in brackets: cider[sigma=4]; trained metrics by "
        "their folder: ./mine. Groups: classic, free (no references), offline (no neural weights), all. "
        "Without it: classic, or free where there are no references.",
    ),
]
Images = Annotated[Path | None, typer.Option("--images", help="Folder with the images.")]
Objects = Annotated[
    Path | None,
    typer.Option(
        "--objects", help="Objects of each image: {id: [labels]}, {id: {source: [labels]}} or COCO."
    ),
]
DocumentFrequencies = Annotated[
    Path | None, typer.Option("--df", help="Document frequencies for CIDEr, made by `captious df build`.")
]
Common = Annotated[bool, typer.Option("--common", help="Keep only the images that every system describes.")]
Duplicates = Annotated[
    str,
    typer.Option(
        "--duplicates",
        help="A second caption of a system for one image: error (refuse), "
        "first (keep the first) or all (score both).",
    ),
]
# More draws than these change no digit that is printed, and run for hours.
MOST_DRAWS = 100_000
MOST_JOBS = 256
Resamples = Annotated[
    int, typer.Option("--resamples", min=0, max=MOST_DRAWS, help="Bootstrap resamples; 0 for no intervals.")
]
Level = Annotated[float, typer.Option("--level", min=0.5, max=0.9999, help="Confidence level of intervals.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random draws.")]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", min=1, max=MOST_JOBS, help="Processes; the result does not depend on it."),
]
Long = Annotated[
    str | None,
    typer.Option(
        "--long",
        help="Captions beyond the tokens that a model reads: error (refuse), truncate (cut, and say so) or "
        "chunk (mean over windows). For metrics with such a limit; else truncate.",
    ),
]
SystemEncoders = Annotated[
    list[str] | None,
    typer.Option(
        "--system-encoder",
        help="SYSTEM=ENCODER, the image encoder that a system uses, such as clipcap=CLIP; metrics that use "
        "the same kind of encoder get a caution.",
    ),
]


def _allow_download(wanted: bool) -> bool:
    import os

    if wanted:
        os.environ["CAPTIOUS_DOWNLOAD"] = "1"
    return wanted


Download = Annotated[
    bool,
    typer.Option(
        "--download",
        callback=_allow_download,
        help="Fetch weights that are not on this machine; the same as CAPTIOUS_DOWNLOAD=1.",
    ),
]
CsvSafe = Annotated[
    bool,
    typer.Option(
        "--csv-safe", help="CSV for a spreadsheet: an apostrophe before text that it would run as a formula."
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", "-f", help="How to print the result.")]

DEFAULT_RESAMPLES = 1000
DEFAULT_TRIALS = 10_000
DEFAULT_SEED = 12345
DEFAULT_LEVEL = 0.95
