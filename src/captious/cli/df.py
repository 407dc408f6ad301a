"""`captious df`: document frequencies for CIDEr."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options

app = typer.Typer(help="Build document-frequency tables for CIDEr.", no_args_is_help=True)


@app.callback()
def about() -> None:
    """Build document-frequency tables for CIDEr."""


@app.command("build")
def build(
    references: options.References,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write (.npz).")],
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, max=4, help="Maximum n-gram length.")] = 4,
    tokeniser: Annotated[
        str, typer.Option("--tokeniser", metavar="NAME", help="Tokeniser: ptb, 13a, intl, zh, char or space.")
    ] = "ptb",
) -> None:
    """Count the images whose references contain each n-gram.

    Example: captious df build --references captions_train.json --out coco.df.npz
    """
    from captious.cli.output import note
    from captious.corpus.load import load_references
    from captious.files import check_output
    from captious.metrics.document_frequency import DocumentFrequencies
    from captious.text.tokens import require_tokeniser

    require_tokeniser(tokeniser)
    check_output(out, references, ending=".npz")
    table = DocumentFrequencies.build(load_references(references), n=n, tokeniser=tokeniser)
    table.save(out)
    note(f"wrote {table.n_grams:,} n-grams of {table.documents:,} images to {out}")
