"""Options of the commands that read benchmark data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder of the benchmark data. Default: $CAPTIOUS_DATA, else your data folder.",
    ),
]
Golden = Annotated[
    Path | None,
    typer.Option(
        "--golden",
        metavar="DIR",
        help="Folder of other programs' results on the same data. Default: $CAPTIOUS_GOLDEN, else the folder "
        "`golden` next to the data folder.",
    ),
]
Benchmark = Annotated[
    str,
    typer.Argument(
        metavar="BENCHMARK",
        help="Name of a benchmark (flickr8k-expert, flickr8k-cf, composite, pascal-50s, "
        "thumb, nebula, capeval1k, vicr, foils, discofoil, mhal) or your own file of judgments or findings.",
        show_default=False,
    ),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="File of scores computed elsewhere, long (system,id,metric,score) or wide (one column per "
        "metric): CSV, TSV, JSONL or Parquet, also .gz.",
    ),
]
Aspects = Annotated[
    str,
    typer.Option("--aspect", metavar="LIST", help="Aspects, separated by commas. Default: the protocol's."),
]
Coefficients = Annotated[
    str,
    typer.Option(
        "--coefficient",
        metavar="LIST",
        help="kendall_c, kendall_b, pearson, spearman or kendall_weighted, separated by commas. Default: the "
        "protocol's.",
    ),
]
CorrelationLevel = Annotated[
    str,
    typer.Option(
        "--level",
        metavar="item|system|image",
        help="Level of correlation: item, system or image. Default: the protocol's.",
    ),
]
IntervalKind = Annotated[
    str,
    typer.Option(
        "--interval",
        metavar="cluster|item|analytic",
        help="Bootstrap over images (cluster), over captions (item), or a formula (analytic).",
    ),
]
Confidence = Annotated[
    float | None,
    typer.Option(
        "--confidence",
        metavar="X",
        min=0.5,
        max=0.9999,
        help="Confidence level of intervals. Default: the protocol's.",
    ),
]
Human = Annotated[
    str | None,
    typer.Option(
        "--human",
        metavar="with|without",
        help="thumb and composite only: with or without the captions written by people.",
    ),
]
Leaked = Annotated[
    str | None,
    typer.Option(
        "--leaked",
        metavar="keep|drop|replace",
        help="thumb only: keep references that are Human captions, drop them, or replace them with the "
        "image's fifth caption.",
    ),
]
Release = Annotated[
    str | None,
    typer.Option(
        "--release",
        metavar="first|later",
        help="thumb only: the judgments as first released, which the paper used, or as corrected later. "
        "Default: later.",
    ),
]
Subset = Annotated[
    str | None, typer.Option("--subset", metavar="NAME", help="composite and mhal only: use one subset.")
]
ReferenceCount = Annotated[
    int | None,
    typer.Option(
        "--reference-count",
        metavar="N",
        min=1,
        help="Number of references per image: the first ones, or random ones for pascal-50s. Default: all "
        "that the protocol gives.",
    ),
]
Objects = Annotated[
    Path | None,
    typer.Option(
        "--objects",
        metavar="FILE",
        help="File of the objects in each image, from `captious data detect`. Images that are not in the "
        "file are left out.",
    ),
]
Images = Annotated[
    Path | None,
    typer.Option(
        "--images", metavar="DIR", help="Folder with the images. Images that are not in it are left out."
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Your own file only: use rows with COLUMN=VALUE; repeatable, and all must hold.",
    ),
]
By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Also print the result for each value of this column of your file, or for each system.",
    ),
]
Unseen = Annotated[
    bool,
    typer.Option(
        "--unseen",
        help="Leave out images that a learned metric was trained on, for all metrics. Without this, such a "
        "metric is refused.",
    ),
]
Published = Annotated[
    bool,
    typer.Option(
        "--published", help="Print the values beside those that papers print for the same protocol."
    ),
]
Figure = Annotated[
    Path | None,
    typer.Option(
        "--figure", metavar="FILE", help="With --published: also draw them as an .svg, .png or .pdf file."
    ),
]
CompareMetrics = Annotated[
    bool, typer.Option("--compare", help="Also test the difference between every two metrics.")
]
