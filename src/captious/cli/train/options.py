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
        help="File of judgments (a campaign's export), or a benchmark's name; may be repeated.",
        show_default=False,
    ),
]
Candidates = Annotated[
    list[Path] | None,
    typer.Option("--candidates", "-c", help="Captions, where the file of judgments holds none."),
]
References = Annotated[
    list[Path] | None,
    typer.Option("--references", "-r", help="References, where the file of judgments holds none."),
]
Aspect = Annotated[
    str, typer.Option("--aspect", help="Aspect to learn; else overall, total or the only one.")
]
Scale = Annotated[
    str, typer.Option("--scale", help="Lowest and highest rating, such as 1-5; else those that were given.")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Folder to write; else a folder of its name.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a trained metric in that folder.")]
Licence = Annotated[str, typer.Option("--licence", help="Licence of the trained metric, for its card.")]
Model = Annotated[
    str,
    typer.Option("--model", help="gbr, hist, ridge or mlp; options in brackets: gbr[trees=300,rate=0.05]."),
]
Features = Annotated[
    str,
    typer.Option(
        "--features", "-F", help="Metrics and embeddings by name, separated by commas: cider,sentsim.mean."
    ),
]
Split = Annotated[
    str, typer.Option("--split", help="Shares of the images: training/test or training/validation/test.")
]
Folds = Annotated[int, typer.Option("--folds", min=0, max=50, help="Folds of cross-validation; 0 for none.")]
Seeds = Annotated[
    int, typer.Option("--seeds", min=1, max=100, help="Fits from different seeds, whose mean is the metric.")
]
Beside = Annotated[str, typer.Option("--beside", help="Metrics to show beside it that are not its features.")]
Refit = Annotated[
    bool, typer.Option("--refit", help="After the test, fit again on all data; figures stay those of before.")
]
