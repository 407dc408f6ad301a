"""`captious train captious`: our metric again, from the data or from judgments of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import benchmark_options

if TYPE_CHECKING:
    from captious.corpus import Corpus
    from captious.learn.captious_metric.recipe import Judged
    from captious.learn.captious_metric.sources import Sources

TESTED = ("flickr8k-expert", "thumb", "nebula", "pascal-50s")
TRAINED = (*TESTED, "capeval1k")
_FOILS = "foils/sugarcrepe.jsonl"


def train_captious(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write (.npz).")],
    data: benchmark_options.Data = None,
    judgments: Annotated[
        Path | None,
        typer.Option(
            "--judgments", "-j", metavar="FILE", help="File of judgments to train on, instead of --data."
        ),
    ] = None,
    candidates: Annotated[
        list[Path] | None,
        typer.Option("--candidates", "-c", metavar="FILE...", help="Files of the judged captions."),
    ] = None,
    references: Annotated[
        list[Path] | None,
        typer.Option("--references", "-r", metavar="FILE...", help="Files of their references."),
    ] = None,
    aspect: Annotated[
        str,
        typer.Option(
            "--aspect", metavar="NAME", help="Aspect of the judgments to learn. Default: the first."
        ),
    ] = "",
    start: Annotated[
        list[Path] | None,
        typer.Option(
            "--start",
            metavar="FILE",
            help="Model whose tuned encoder to start from; repeatable: the mean is used.",
        ),
    ] = None,
    steps: Annotated[
        int,
        typer.Option(
            "--steps", metavar="N", min=0, help="Steps of tuning the encoder; 0 keeps the encoder of --start."
        ),
    ] = 300,
    strength: Annotated[
        float,
        typer.Option(
            "--strength",
            metavar="X",
            min=0,
            max=1,
            help="Share of the tuning that is added to the encoder, 0 to 1.",
        ),
    ] = 1.0,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            min=0,
            help="Use at most this many examples per data set to fit the weights; 0: all.",
        ),
    ] = 0,
    split: Annotated[
        str,
        typer.Option(
            "--split",
            metavar="SHARES|FILE",
            help="With --judgments: shares of the images or a file of images and parts; test images are "
            "left out. Default: the column split, subset or part of the judgments, else all are trained on.",
            show_default=False,
        ),
    ] = "",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of all random draws.")] = 0,
) -> None:
    """Train the metric `captious`.

    Tunes the encoder, then fits the weights of the features.

    Example: captious train captious --data DIR --out mine.npz
    """
    from captious.cli.output import note
    from captious.errors import InputError
    from captious.files import check_output
    from captious.learn.captious_metric.recipe import make_model, mean_encoder, run_digest
    from captious.learn.captious_metric.tune import Tuning
    from captious.learn.journal import Journal
    from captious.metrics.captious_metric.model import NOTHING, load_model, save_model

    if out.suffix != ".npz":
        raise InputError(f"--out {out}: the name must end in .npz.")
    if not steps and not start:
        raise InputError("--steps 0 keeps the encoder of another model. Give that model with --start.")
    if split and judgments is None:
        raise InputError("--split needs --judgments: the benchmarks' images are left out in any case.")
    check_output(out, [path for path in (judgments, *(start or ())) if path is not None])
    if judgments is not None:
        sources, judged = _own(judgments, candidates, references, aspect, split)
        tested: dict[str, Corpus] = {}
    else:
        sources, judged, tested = _benchmarks(data)
    for line in sources.notes:
        note(line)

    def report(step: int, steps: int, loss: float) -> None:
        if step % 10 == 0 or step == steps:
            note(f"step {step} of {steps}: loss {loss:.3f}")

    def tell(held_out: str, weights: dict[str, float]) -> None:
        which = "weights" if held_out == NOTHING else f"weights without {held_out}"
        note(f"{which}: " + ", ".join(f"{k} {v:g}" for k, v in weights.items()))

    begun = mean_encoder([load_model(str(path)) for path in start]) if start else None
    how = Tuning(steps=steps, seed=seed)
    journal = Journal(
        out.with_name(f".{out.name}.training"), run_digest(sources, list(judged), how, begun, strength, limit)
    )
    if journal.steps:
        note("resuming an interrupted run")
    try:
        model = make_model(
            sources,
            judged,
            how=how,
            start=begun,
            strength=strength,
            tested=tested,
            limit=limit,
            report=report,
            tell=tell,
            journal=journal,
            seen_before=frozenset().union(*(load_model(str(path)).images for path in start or ())),
        )
    except KeyboardInterrupt:
        note("stopped; run the same command again to resume")
        raise
    save_model(out, model)
    journal.close()
    note(f'wrote {out}; use it as "captious[model={out}]"')


def _benchmarks(data: Path | None) -> tuple[Sources, dict[str, Judged], dict[str, Corpus]]:
    """Crisscrossed Captions and Flickr8k for the encoder, the benchmarks for the weights."""
    import orjson

    from captious.benchmarks import load_benchmark
    from captious.benchmarks.data_files import data_folder
    from captious.benchmarks.protocol import Preferences
    from captious.corpus import Corpus
    from captious.learn.captious_metric.recipe import Judged
    from captious.learn.captious_metric.sources import read_sources

    folder = data_folder(data)
    found: dict[str, Judged] = {}
    for name in TRAINED:
        loaded = load_benchmark(name, folder)
        if isinstance(loaded, Preferences):
            first = loaded.label == 0
            better = loaded.first * first + loaded.second * ~first
            worse = loaded.second * first + loaded.first * ~first
            # A quarter of the pairs weighs as much as all, in a quarter of the time.
            found[name] = Judged(loaded.corpora[0], pairs=(better, worse)).first(len(better) // 2)
        else:
            ratings = loaded.judgments.matrix(loaded.protocol.aspect)
            found[name] = Judged(loaded.corpus, ratings=ratings.mean(axis=1))
    held = {image for name in ("thumb", "capeval1k") for image in found[name].corpus.image_ids}
    tested = {name: found[name].corpus for name in TESTED}
    foils = folder / _FOILS
    if foils.is_file():
        rows = [orjson.loads(line) for line in foils.read_bytes().splitlines()]
        held |= {str(row["image"]) for row in rows}
        tested["foils"] = Corpus.from_lists(
            [row["caption"] for row in rows], [row["references"] for row in rows]
        )
    hidden = [list(own) for own in found["nebula"].corpus.references]
    return read_sources(folder, held, hidden), found, tested


def _own(
    judgments: Path, candidates: list[Path] | None, references: list[Path] | None, aspect: str, split: str
) -> tuple[Sources, dict[str, Judged]]:
    """Judgments of one's own; their references are what the encoder is tuned on."""
    import numpy as np

    from captious.cli import inputs
    from captious.cli.judged import judged_corpus
    from captious.cli.train.data import split_typed
    from captious.corpus.splits import Split, find_split, hashed_split
    from captious.errors import InputError
    from captious.learn.captious_metric.recipe import Judged
    from captious.learn.captious_metric.sources import Sources, groups_of

    corpus, judged = judged_corpus(
        candidates,
        references,
        judgments,
        None,
        lambda paths: inputs.load(paths, references, None),
        "train on",
    )
    if judged is None or not len(judged.values):
        raise InputError(f"{judgments}: contains no judgments.")
    if without := int(np.count_nonzero(corpus.references_of < 0)):
        raise InputError(
            f"{judgments}: {without:,} of {len(corpus):,} captions have no references, which this metric "
            "learns from. Give --references FILE, or learn from metrics that need none: captious train NAME "
            "--features lm,alttext."
        )
    places = judged.places_in(corpus)
    chosen = aspect or judged.aspects[0]
    if chosen not in judged.aspects:
        raise InputError(f'{judgments}: no aspect "{chosen}". It has {", ".join(judged.aspects)}.')
    kept = (judged.aspect_of == judged.aspects.index(chosen)) & (places[judged.example_of] >= 0)
    rows = places[judged.example_of[kept]]
    counts = np.bincount(rows, minlength=len(corpus))
    means = np.bincount(rows, judged.values[kept], minlength=len(corpus)) / np.maximum(counts, 1)
    ids = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    given = split_typed(split) or find_split(judgments)
    if given is not None and not isinstance(given, Split):
        given = hashed_split(ids, given)
    learned = np.array([given is None or given.part(image) != "test" for image in ids])
    rated = np.flatnonzero((counts > 0) & learned)
    sets = {
        image: list(corpus.references[own])
        for image, own, kept in zip(ids, corpus.references_of.tolist(), learned, strict=True)
        if kept
    }
    left = {image for image, kept in zip(ids, learned, strict=True) if not kept}
    notes = (f"{len(left):,} images are left out for testing ({given.source}).",) if given else ()
    own = Judged(corpus.select(rated).compact(), ratings=means[rated])
    return Sources((), groups_of(sets), notes=notes), {judgments.stem: own}
