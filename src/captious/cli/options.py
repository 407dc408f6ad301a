"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from captious.cli.output import Format


def complete_metrics(incomplete: str) -> list[str]:
    """What the shell may make of a list of metrics whose last name has begun.

    >>> complete_metrics("bleu4,cid")
    ['bleu4,cider', 'bleu4,cider_original']
    """
    from importlib.metadata import entry_points

    from captious.metric_names import GROUPS, PLUGINS, metric_homes

    names = sorted(metric_homes())
    if entry_points(group=PLUGINS):  # whose names only an import tells
        from captious.metrics import known_metrics

        names = list(known_metrics())
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in (*GROUPS, *names) if name.startswith(begun)]


Candidates = Annotated[
    list[Path],
    typer.Option(
        "--candidates",
        "-c",
        metavar="FILE...",
        help="Captions to score: one file per system.",
        show_default=False,
    ),
]
ShardedScores = Annotated[
    str,
    typer.Option(
        "--scores",
        metavar="DIR",
        help="Output folder of `captious score --out`, instead of --candidates; nothing is scored again. "
        "Large data sets: tests and examples use a sample of the images.",
    ),
]
CandidatePlaces = Annotated[
    list[str],
    typer.Option(
        "--candidates",
        "-c",
        metavar="FILE...",
        help="Captions to score: one file per system. With --out: shards, as folders, patterns or addresses.",
        show_default=False,
    ),
]
ReferencePlaces = Annotated[
    list[str] | None,
    typer.Option(
        "--references",
        "-r",
        metavar="FILE...",
        help="References. Not needed for reference-free metrics.",
        show_default=False,
    ),
]
OptionalCandidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidates",
        "-c",
        metavar="FILE...",
        help="Captions to score: one file per system.",
        show_default=False,
    ),
]
References = Annotated[
    list[Path], typer.Option("--references", "-r", metavar="FILE...", help="References.", show_default=False)
]
OptionalReferences = Annotated[
    list[Path] | None,
    typer.Option(
        "--references",
        "-r",
        metavar="FILE...",
        help="References. Not needed for reference-free metrics.",
        show_default=False,
    ),
]
KeptReferences = Annotated[
    list[Path] | None,
    typer.Option(
        "--references",
        "-r",
        metavar="FILE...",
        help="References; kept, and exported with the judgments, for captious meta.",
        show_default=False,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="NAME...",
        help="System names, in the order of the files. Default: file names without extension.",
    ),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        "-m",
        metavar="LIST",
        help="Metrics, separated by commas. Options go in brackets: cider[sigma=4]. Name a trained metric by "
        "its folder: ./mine, a function of yours by module:function. Groups: classic, free (no references), "
        "offline (no neural weights), all. "
        "Default: classic, or free if there are no references.",
        autocompletion=complete_metrics,
    ),
]
Images = Annotated[Path | None, typer.Option("--images", metavar="DIR", help="Folder with the images.")]
Objects = Annotated[
    Path | None,
    typer.Option(
        "--objects",
        metavar="FILE",
        help="Objects in each image: {id: [labels]}, {id: {source: [labels]}} or COCO instances.",
    ),
]
DocumentFrequencies = Annotated[
    Path | None,
    typer.Option("--df", metavar="FILE", help="Document frequencies for CIDEr, from `captious data df`."),
]
Common = Annotated[bool, typer.Option("--common", help="Keep only the images that every system describes.")]
Duplicates = Annotated[
    str,
    typer.Option(
        "--duplicates",
        metavar="CHOICE",
        help="If a system has two captions for one image: error (stop), first (keep the first) or all "
        "(score both).",
    ),
]
Columns = Annotated[
    str,
    typer.Option(
        "--columns",
        metavar="ROLE=NAME,...",
        help='Columns of the candidates: image="Image File",caption="Alt Text",context="Page title". '
        "Default: found by name.",
    ),
]
# More draws than these change no digit that is printed, and run for hours.
MOST_DRAWS = 100_000
MOST_JOBS = 256
Resamples = Annotated[
    int,
    typer.Option(
        "--resamples", metavar="N", min=0, max=MOST_DRAWS, help="Bootstrap resamples. 0: no intervals."
    ),
]
Level = Annotated[
    float,
    typer.Option("--level", metavar="NUMBER", min=0.5, max=0.9999, help="Confidence level of the intervals."),
]
Tokeniser = Annotated[
    str,
    typer.Option(
        "--tokeniser",
        metavar="NAME",
        help="Tokeniser: ptb, 13a, intl, space; without spaces between words zh, zh-jieba, ja-mecab, "
        "th-newmm or char; ko-mecab.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed.")]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, max=MOST_JOBS, help="Number of processes. Results do not change."
    ),
]
Long = Annotated[
    str | None,
    typer.Option(
        "--long",
        metavar="CHOICE",
        help="Texts longer than a metric's limit: error (stop), truncate (cut, and report it) or chunk "
        "(read in windows). Default: as each metric declares, see captious doctor.",
    ),
]
AnyLanguage = Annotated[
    bool,
    typer.Option(
        "--any-language",
        help="Score captions in languages that a metric is not for. The signature tells the language.",
    ),
]
SystemEncoders = Annotated[
    list[str] | None,
    typer.Option(
        "--system-encoder",
        metavar="SYSTEM=ENCODER",
        help="Image encoder of a system, for example clipcap=CLIP. Metrics that use the same kind of encoder "
        "print a caution.",
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
        "--download", callback=_allow_download, help="Download missing weights. Same as CAPTIOUS_DOWNLOAD=1."
    ),
]
CsvSafe = Annotated[
    bool,
    typer.Option(
        "--csv-safe", help="CSV for spreadsheets: text that could run as a formula gets an apostrophe."
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]

Baseline = Annotated[
    str,
    typer.Option(
        "--baseline",
        metavar="SYSTEM",
        help="Print the table of a paper: systems by metrics, marks where one is significantly better or "
        "worse than this system (Holm-corrected paired tests), and the sentence for its caption.",
    ),
]


class Spread(StrEnum):
    """What stands beside a value."""

    interval = "interval"
    error = "error"
    none = "none"


Beside = Annotated[
    Spread,
    typer.Option("--spread", help="What stands beside a value: its interval, its standard error or nothing."),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="METRIC=VALUE",
        help="Exit with code 1 if a system's score is below this (cider=1.1), or above it where lower is "
        "better; repeatable.",
    ),
]
Cite = Annotated[bool, typer.Option("--cite", help="Also print the BibTeX of every metric that is used.")]

DEFAULT_RESAMPLES = 1000
DEFAULT_TRIALS = 10_000
DEFAULT_SEED = 12345
DEFAULT_LEVEL = 0.95
