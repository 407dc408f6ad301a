"""`captious train lm`: an n-gram language model of captions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options


def lm(
    captions: Annotated[
        Path,
        typer.Option("--captions", "-c", metavar="FILE", help="File of captions to train on, in any format."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write (.npz).")],
    order: Annotated[
        int, typer.Option("--order", "-n", metavar="N", min=1, max=6, help="Length of the longest n-gram.")
    ] = 3,
    tokeniser: options.Tokeniser = "ptb",
) -> None:
    """Train an n-gram language model for the metric `lm`.

    Smoothing is interpolated modified Kneser-Ney.

    Example: captious train lm --captions captions_train.json --out coco.lm.npz
    """
    from captious.cli.output import note
    from captious.corpus.load import read_captions
    from captious.errors import InputError
    from captious.models.language.grammaticality import with_fluency
    from captious.models.language.load import NGRAM_SUFFIX
    from captious.models.language.ngram_train import train
    from captious.text.tokens import refuse_clauses, require_tokeniser

    if out.suffix != NGRAM_SUFFIX:
        raise InputError(f"--out {out}: the name must end in {NGRAM_SUFFIX}.")
    require_tokeniser(tokeniser)
    texts = [caption for _, caption in read_captions(captions)]
    refuse_clauses(texts, tokeniser, f"{captions}: captions")
    model = with_fluency(train(texts, order, tokeniser), texts)
    model.save(out)
    note(
        f"wrote {model.n_grams:,} n-grams of {model.captions:,} captions to {out}; "
        f'use it as "lm[model={out}]"'
    )
