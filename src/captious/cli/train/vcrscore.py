"""`captious train vcrscore`: the metric of VCRScore, 3.3, on your data."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import benchmark_options, options
from captious.cli.output import Format
from captious.cli.train import options as own


def vcrscore(
    judgments: own.Judgments,
    external: Annotated[
        list[str] | None,
        typer.Option(
            "--external",
            metavar="FILE",
            help="Further data sets (files or benchmarks), split 70/30; repeatable.",
        ),
    ] = None,
    split: own.Split = "",
    drop_zero: Annotated[
        bool, typer.Option("--drop-zero", help="Leave out captions with a score of 0, as in the paper.")
    ] = False,
    released: Annotated[
        bool,
        typer.Option(
            "--released", help="Use the released model's inputs: precision as recall, ViLT, MCIP-ref."
        ),
    ] = False,
    features: Annotated[
        str,
        typer.Option(
            "--features",
            "-F",
            metavar="LIST",
            help="Features instead of the paper's, such as your own weights: vcr_recall,vilt[model=DIR].",
        ),
    ] = "",
    model: own.Model = "gbr",
    aspect: own.Aspect = "",
    candidates: own.Candidates = None,
    references: own.References = None,
    images: options.Images = None,
    objects: options.Objects = None,
    data: benchmark_options.Data = None,
    beside: own.Beside = "",
    out: own.Out = None,
    overwrite: own.Overwrite = False,
    licence: own.Licence = "",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Train VCRScore.

    It is gradient boosting over word overlap, ViLT and MCIP-ref.

    Example: captious train vcrscore --judgments tagging.jsonl --external flickr8k-expert --objects d.json
    """
    from dataclasses import replace

    from captious.cli.train.data import Typed, rated_sets
    from captious.cli.train.run import train_and_print
    from captious.learn.models import parse_learner
    from captious.learn.recipes import EXTERNAL_SHARES, OWN_SHARES, POOL, vcrscore_data, vcrscore_settings
    from captious.metrics import split_list

    typed = Typed(candidates, references, images, objects, data, aspect, split=split)
    sets = rated_sets(judgments, typed, OWN_SHARES)
    others = typed._replace(candidates=None, references=None, aspect="", split="")
    given = rated_sets(external or [], others, EXTERNAL_SHARES)
    sets += given
    chosen = vcrscore_data(sets, drop_zero=drop_zero)
    settings = vcrscore_settings(
        chosen,
        released=released,
        features=tuple(split_list(features)),
        learner=parse_learner(model),
        drop_zero=drop_zero,
    )
    pools = ((POOL, tuple(one.name for one in given)),) if len(given) > 1 else ()
    settings = replace(settings, resamples=resamples, seed=seed, licence=licence, pools=pools)
    if beside:
        settings = replace(settings, beside=tuple(split_list(beside)))
    train_and_print(chosen, settings, out, overwrite, form, by_set=True)
