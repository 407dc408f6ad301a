"""`captious train invented`: the prior of the metric `invented`, from marked captions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format
from captious.cli.train import options as own


def train_invented(
    findings: Annotated[
        Path,
        typer.Option(
            "--findings", "-f", metavar="FILE", help="File of findings: captions that raters marked."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write (.npz).")],
    references: own.References = None,
    objects: options.Objects = None,
    precision: Annotated[
        float,
        typer.Option(
            "--precision",
            metavar="X",
            min=0,
            max=1,
            help="Share of the flagged sentences that raters should have marked; decides the threshold.",
        ),
    ] = 0.75,
    of: Annotated[
        str,
        typer.Option(
            "--of", metavar="TEXT", help="Whose captions they are, for the card. Default: the systems."
        ),
    ] = "",
    split: Annotated[
        str,
        typer.Option(
            "--split",
            metavar="SHARES|FILE",
            help="Shares of the images or a file of images and parts; the test part is only for figures. "
            "Default: all images are learnt from, and the figures are those of the folds.",
            show_default=False,
        ),
    ] = "",
    folds: Annotated[
        int, typer.Option("--folds", metavar="N", min=3, max=50, help="Folds of cross-validation.")
    ] = 5,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Train a prior for the metric `invented`.

    It learns from marked captions where and in which words captioners invent.

    Example: captious train invented --findings mine.jsonl --objects objects.json --out mine.npz
    """
    from dataclasses import replace

    from captious.cli.output import emit, note
    from captious.cli.train.data import split_typed
    from captious.corpus.finding_files import read_findings
    from captious.corpus.given import rows_of
    from captious.corpus.load import texts_by_image
    from captious.corpus.objects import read_objects
    from captious.corpus.splits import Split, hashed_split
    from captious.errors import InputError
    from captious.files import check_output
    from captious.learn.invented import corpus_of, train_prior
    from captious.metrics.invented.prior import save_prior

    if out.suffix != ".npz":
        raise InputError(f"--out {out}: the name must end in .npz.")
    check_output(out, [findings])
    marked = read_findings(findings)
    texts = None
    if references:
        sets = texts_by_image(rows_of(references, "references"))
        texts = {image: sets.sets[place] for image, place in sets.ids.items()}
    corpus = corpus_of(marked, texts)
    if objects:
        corpus = replace(corpus, objects=read_objects(objects, corpus.image_ids))
    given = split_typed(split)
    if given is not None and not isinstance(given, Split):
        given = hashed_split(corpus.image_ids, given)
    trained = train_prior(
        corpus, marked, precision=precision, folds=folds, seed=seed, split=given, captions_of=of
    )
    save_prior(out, trained.prior)
    emit([trained.table()], trained.prior.card, form)
    note(f'wrote {out}; use it as "invented[prior={out}]"')
