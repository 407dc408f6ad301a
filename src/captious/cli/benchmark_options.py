"""Options of the commands that read benchmark data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the benchmark data; else $CAPTIOUS_DATA, else your data folder."),
]
Golden = Annotated[
    Path | None,
    typer.Option(
        "--golden",
        help="Folder of what other programs said of the same data; else "
        "$CAPTIOUS_GOLDEN, else the folder golden beside that of the data.",
    ),
]
Benchmark = Annotated[
    str,
    typer.Argument(
        help="A benchmark's name (flickr8k-expert, flickr8k-cf, composite, pascal-50s, "
        "thumb, nebula, capeval1k, vicr, foils) or a file of judgments.",
        show_default=False,
    ),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        help="Scores computed elsewhere, long (system,id,metric,score) or "
        "wide: CSV, TSV, JSONL, Parquet, also .gz.",
    ),
]
Aspects = Annotated[str, typer.Option("--aspect", help="Aspects, separated by commas; else the protocol's.")]
Coefficients = Annotated[
    str,
    typer.Option(
        "--coefficient",
        help="kendall_c, kendall_b, pearson, spearman, "
        "kendall_weighted, separated by commas; else the protocol's.",
    ),
]
CorrelationLevel = Annotated[str, typer.Option("--level", help="Correlate over: item, system or image.")]
IntervalKind = Annotated[
    str,
    typer.Option("--interval", help="Draw whole images (cluster), captions (item), or nothing (analytic)."),
]
Confidence = Annotated[
    float | None,
    typer.Option("--confidence", min=0.5, max=0.9999, help="Level of intervals; else the protocol's."),
]
Human = Annotated[
    str | None, typer.Option("--human", help="thumb, composite: with or without the captions by people.")
]
Leaked = Annotated[
    str | None,
    typer.Option(
        "--leaked",
        help="thumb: keep or drop references that are Human captions, or replace them by the fifth.",
    ),
]
Subset = Annotated[str | None, typer.Option("--subset", help="composite: one subset.")]
ReferenceCount = Annotated[
    int | None,
    typer.Option(
        "--reference-count",
        min=1,
        help="Use the first so many references of each image "
        "(pascal-50s: draw so many); else all that the protocol gives.",
    ),
]
Objects = Annotated[
    Path | None,
    typer.Option(
        "--objects",
        help="Objects of each image, as `captious detect` writes them; "
        "images that the file does not name are left out.",
    ),
]
Images = Annotated[
    Path | None, typer.Option("--images", help="Folder with the images; those not in it are left out.")
]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="A file of your own: only rows with COLUMN=VALUE; several must all hold."),
]
By = Annotated[
    str,
    typer.Option("--by", help="Also the result for each value of this column of your file, or of system."),
]
CompareMetrics = Annotated[
    bool, typer.Option("--compare", help="Also test the difference of every two metrics.")
]
