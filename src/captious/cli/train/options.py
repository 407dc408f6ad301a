"""Options that the commands of `captious train` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Judgments = Annotated[
    list[str],
    typer.Option(
        "--judgments",
        "-J",
        metavar="FILE",
        help="File of judgments (such as a campaign's export), or name of a benchmark; repeatable. NAME=FILE "
        "names the data set.",
        show_default=False,
    ),
]
Candidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidates", "-c", metavar="FILE...", help="Files of captions, if the judgments contain none."
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        "--references", "-r", metavar="FILE...", help="Files of references, if the judgments contain none."
    ),
]
Aspect = Annotated[
    str,
    typer.Option(
        "--aspect", metavar="NAME", help="Aspect to learn. Default: overall, total or the only one."
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        "--scale",
        metavar="LOW-HIGH",
        help="Lowest and highest rating, such as 1-5. Default: those found in the data.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Folder to write. Default: the name of the metric."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an existing trained metric in that folder.")
]
Licence = Annotated[
    str, typer.Option("--licence", metavar="TEXT", help="Licence of the trained metric, for its card.")
]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="gbr, hist, ridge or mlp; options in brackets: gbr[trees=300,rate=0.05].",
    ),
]
Features = Annotated[
    str,
    typer.Option(
        "--features",
        "-F",
        metavar="LIST",
        help="Metrics and embeddings by name, separated by commas: cider,sentsim.mean.",
    ),
]
Split = Annotated[
    str,
    typer.Option(
        "--split",
        metavar="SHARES|FILE",
        help="Shares of the images, training/test or training/validation/test, or a file of images and "
        "parts. Default: the column split, subset or part of the judgments, else the recipe's shares.",
        show_default=False,
    ),
]
Folds = Annotated[
    int, typer.Option("--folds", metavar="N", min=0, max=50, help="Folds of cross-validation; 0 for none.")
]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds",
        metavar="N",
        min=1,
        max=100,
        help="Number of fits from different seeds; the metric is their mean.",
    ),
]
Beside = Annotated[
    str,
    typer.Option("--beside", metavar="LIST", help="Further metrics to compare with, separated by commas."),
]
Refit = Annotated[
    bool,
    typer.Option("--refit", help="After testing, fit again on all data; reported figures do not change."),
]
