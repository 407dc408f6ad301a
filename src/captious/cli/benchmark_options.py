"""Options of the commands that read benchmark data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the benchmark data; else $CAPTIOUS_DATA, else "
                 "../shared/data."),
]  # fmt: skip
