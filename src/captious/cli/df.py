"""`captious df`: document frequencies for CIDEr."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options

app = typer.Typer(help="Document frequencies for CIDEr.", no_args_is_help=True)


@app.callback()
def about() -> None:
    """Document frequencies for CIDEr."""


@app.command("build")
def build(
    references: options.References,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write (.npz).")],
    n: Annotated[int, typer.Option("--n", min=1, max=4, help="Longest n-gram.")] = 4,
    tokeniser: Annotated[
        str, typer.Option("--tokeniser", help="As the option of cider: ptb, 13a, intl, zh, char or space.")
    ] = "ptb",
) -> None:
    """Count in how many images' references each n-gram occurs, and save the table.

    Example: captious df build --references captions_train.json --out coco.df.npz
    """
    from captious.cli.output import note
    from captious.corpus.load import load_references
    from captious.files import check_output
    from captious.metrics.document_frequency import DocumentFrequencies
    from captious.text.tokens import require_tokeniser

    require_tokeniser(tokeniser)
    check_output(out, references)
    table = DocumentFrequencies.build(load_references(references), n=n, tokeniser=tokeniser)
    table.save(out)
    note(f"wrote {table.n_grams:,} n-grams of {table.documents:,} images to {out}")
