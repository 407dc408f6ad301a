"""`captious data df`: document frequencies for CIDEr."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options


def df(
    references: options.References,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write (.npz).")],
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, max=4, help="Maximum n-gram length.")] = 4,
    tokeniser: options.Tokeniser = "ptb",
) -> None:
    """Build a document-frequency table for CIDEr.

    Counts the images whose references contain each n-gram.

    Example: captious data df --references captions_train.json --out coco.df.npz
    """
    from captious.cli.output import note
    from captious.corpus.load import load_references
    from captious.files import check_output
    from captious.metrics.document_frequency import DocumentFrequencies
    from captious.text.tokens import refuse_clauses, require_tokeniser

    require_tokeniser(tokeniser)
    check_output(out, references, ending=".npz")
    given = load_references(references)
    refuse_clauses(given.values, tokeniser, "references")
    table = DocumentFrequencies.build(given, n=n, tokeniser=tokeniser)
    table.save(out)
    note(f"wrote {table.n_grams:,} n-grams of {table.documents:,} images to {out}")
