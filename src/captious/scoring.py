"""`score` and `compute`: a corpus in, every metric's scores out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

import numpy as np

from captious.arguments import check_arguments, found_kind
from captious.corpus import Corpus, CorpusScore, MetricScores, Scores
from captious.corpus.columns import is_list, is_table, listed, require_texts
from captious.corpus.findings import Findings
from captious.corpus.given import Given, may_be_captions, refuse_caption
from captious.corpus.load import load_corpus
from captious.corpus.readers.memory import are_rows
from captious.corpus.scores import sums_by_image
from captious.corpus.shards import ShardedCorpus
from captious.engine import Progress, Run, run_metrics
from captious.engine.shards import ShardedScores, score_shards
from captious.engine.shards.choice import EngineName, engine_of
from captious.errors import CaptiousWarning, InputError, MissingDependencyError, UnknownNameError
from captious.groups import expand, missing_for, usual
from captious.metrics import Asked, Metric, known_metrics, resolve_all
from captious.metrics.languages import refuse_languages, warn_of_texts
from captious.metrics.seen import warn_of_seen
from captious.stats.resample import DEFAULT_SEED

NEEDS = ("references", "image", "objects")  # what metrics may ask for beside captions
_SAMPLE = 100  # captions that tell which metrics of a group can run over shards

__all__ = ["assemble", "available_metrics", "compute", "missing_for", "score"]


@overload
def score(
    corpus: ShardedCorpus,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    out: str | PathLike[str] | None = None,
    engine: EngineName = "local",
    address: str = "",
    overwrite: bool = False,
) -> ShardedScores: ...
@overload
def score(
    corpus: Corpus | Given,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    references: Given | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    findings: bool = False,
    out: None = None,
    engine: Literal["local"] = "local",
    address: str = "",
) -> Scores: ...
def score(
    corpus: Corpus | ShardedCorpus | Given,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    references: Given | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    findings: bool = False,
    out: str | PathLike[str] | None = None,
    engine: EngineName = "local",
    address: str = "",
    overwrite: bool = False,
) -> Scores | ShardedScores:
    """Score every caption of `corpus` with the given metrics or groups of metrics.

    `corpus` is a `Corpus`, or captions and `references` as `load_corpus` takes them: lists, dicts,
    data frames, files.

    The default is the group `classic`, or `free` if there are no references. Metrics of a group that
    cannot run are skipped with a warning.

    With `resamples` (usually 1,000), each system's corpus value gets a percentile bootstrap interval
    over images (Efron 1979; Koehn 2004).

    With `findings`, the metrics that can mark what is wrong in a caption do so: `scores.findings` has
    the places.

    Shards (`captious.open_shards`) are scored block by block, their captions' scores written to the
    folder `out`, on this machine or, with `engine="ray"`, on the Ray cluster at `address`; intervals
    are then of the Poisson bootstrap. The result is a `ShardedScores`, which holds the corpus's values.
    Finished scores in `out` of shards or metrics that are not given again are replaced only with
    `overwrite`.

    >>> corpus = Corpus.from_lists(
    ...     ["A cat on a mat.", "Two dogs."],
    ...     [["A cat sits on a mat."], ["Two dogs play.", "A pair of dogs."]])
    >>> scores = score(corpus, ["bleu1", "rouge_l"])
    >>> round(scores["bleu1"].score, 3)
    0.751
    >>> scores["rouge_l"].signature
    'rouge_l|refs:1-2|tok:ptb|variant:coco|beta:1.2|v:0.1.0'
    >>> round(score(["A cat on a mat."], "bleu1", references=[["A cat sits on a mat."]])["bleu1"].score, 3)
    0.819
    """
    refuse_references_as_metrics(metrics)
    check_arguments(score, locals())
    if isinstance(corpus, ShardedCorpus):
        if references is not None:
            raise InputError(
                "shards: give references when you open them: open_shards(candidates, references)."
            )
        if findings:
            raise InputError("findings of shards are not written. Load captions with load_corpus instead.")
        if out is None:
            raise InputError(
                "candidates: a folder, pattern or address is read as shards, whose scores go to a folder.",
                python="Give out=FOLDER, or load files with load_corpus.",
                command="Give --out FOLDER, or name the files.",
            )
        sample = corpus.sample(_SAMPLE)
        found = resolve_all(_chosen(metrics, sample))
        captions = Corpus.from_lists(sample.captions)  # its references may be made up
        refuse_languages(captions, found.values())
        warn_of_texts(found.values(), captions)
        where = engine_of(engine, jobs, address, list(found.values()))
        draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
        return score_shards(corpus, found, out, where, **draws, overwrite=overwrite, progress=progress)
    if out is not None:
        raise InputError(
            "out= is for shards. Open them with captious.open_shards, or leave it out and write "
            "score(…).to_pandas() to a file."
        )
    corpus = as_corpus(corpus, references)
    if len(corpus) == 0:
        raise InputError("the corpus has no captions to score.")
    asked = resolve_all(_chosen(metrics, corpus))
    _refuse_missing_references(corpus, asked)
    warn_of_seen(asked, [corpus.image_ids[image] for image in np.unique(corpus.image_of).tolist()])
    if findings:
        _say_which_find(asked)
    runs = run_metrics(corpus, list(asked.values()), jobs=jobs, progress=progress, findings=findings)
    warn_of_texts(asked.values(), corpus)
    return assemble(corpus, asked, runs, resamples=resamples, level=level, seed=seed)


def assemble(
    corpus: Corpus,
    asked: Mapping[str, Metric],
    runs: Sequence[Run],
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """Corpus values, intervals and signatures from what the engine gave for each metric of `asked`."""
    found = {}
    for (name, metric), run in zip(asked.items(), runs, strict=True):
        values = metric.example_scores(run.statistics)
        scored = corpus.system_of[~np.isnan(values)]
        counts = np.bincount(scored, minlength=len(corpus.systems)).tolist()
        sums = sums_by_image(corpus, run.statistics)
        given = metric.corpus_values(run.knowledge)
        systems = {
            system: CorpusScore(
                given.get(system, float(metric.corpus_score(sums[system].sum(axis=0)))), None, None, n
            )
            for system, n in zip(corpus.systems, counts, strict=True)
            if system in sums
        }
        found[name] = MetricScores(
            name=name,
            signature=metric.signature(corpus, run.knowledge),
            values=values,
            statistics=run.statistics,
            systems=systems,
            metric=metric,
            percent=metric.percent,
            details=metric.details(run.statistics),
            title=metric.title,
            notes=tuple(metric.notes(corpus, run.knowledge)),
            unscored=metric.unscored(run.knowledge),
            resampled=not given,
        )
    scores = Scores(corpus, found, level, found=_findings(corpus, asked, runs))
    return scores.with_intervals(resamples, level=level, seed=seed) if resamples else scores


def _findings(corpus: Corpus, asked: Mapping[str, Metric], runs: Sequence[Run]) -> Findings | None:
    """The findings of all metrics that were asked for them, by their names; None where none was."""
    parts = [
        Findings.from_places(corpus, name, run.found)
        for name, run in zip(asked, runs, strict=True)
        if run.found is not None
    ]
    return parts[0].merge(*parts[1:]) if parts else None


def without_findings(asked: Mapping[str, Metric]) -> str:
    """A note that names the metrics that mark no places in captions; empty where all do."""
    silent = [name for name, metric in asked.items() if not metric.gives_findings]
    return f"no findings are given by {', '.join(silent)}." if silent else ""


def _say_which_find(asked: Mapping[str, Metric]) -> None:
    """Warn of the metrics that mark no places in captions, and refuse if none of them does."""
    if not any(metric.gives_findings for metric in asked.values()):
        able = [name for name, one in known_metrics().items() if one.findings is not Metric.findings]
        raise InputError(f"none of these metrics gives findings. Add one that does: {', '.join(able)}.")
    if silent := without_findings(asked):
        warnings.warn(silent, CaptiousWarning, stacklevel=3)


def compute(
    predictions: Given,
    references: Given | None = None,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    jobs: int = 1,
) -> dict[str, float]:
    """Corpus scores of parallel lists, in the manner of Hugging Face's `evaluate`.

    Lists, tuples, Series, arrays and generators of texts; or dicts from image id to caption and to
    references, and all else that `load_corpus` takes, of one system.

    >>> compute(["a cat"], [["a cat", "the cat"]], metrics=["bleu1"])["bleu1"]
    0.999999999...
    """
    refuse_references_as_metrics(metrics)
    check_arguments(compute, locals())
    corpus = _compute_corpus(listed(predictions), listed(references))
    if len(corpus.systems) > 1:
        raise InputError(
            f"predictions are of {len(corpus.systems)} systems, but compute scores one. Use captious.score."
        )
    scores = score(corpus, metrics, jobs=jobs)
    for name in scores:
        for line in scores[name].notes:  # plain numbers have no place for them
            warnings.warn(line, CaptiousWarning, stacklevel=2)
    return {name: scores[name].score for name in scores}


def _compute_corpus(predictions: Any, references: Any) -> Corpus:
    """A corpus from parallel lists, or from anything that `load_corpus` reads."""
    if predictions is None:
        raise InputError("predictions is None. Give a list of texts.")
    refuse_caption(predictions, "predictions")
    if isinstance(predictions, Mapping) and is_list(references) and not are_rows(references):
        raise InputError(
            "predictions are a dict by image id, but references are a list. Give two dicts or two lists."
        )
    if is_list(predictions) and not are_rows(predictions):
        return parallel_corpus(predictions, references)
    return load_corpus(predictions, references)


def parallel_corpus(predictions: Any, references: Any, image_ids: Any = None) -> Corpus:
    """A corpus of a list of predictions, and of one reference or a list of them for each.

    >>> parallel_corpus(["a dog", "a cat"], ["the dog", ["the cat", "one cat"]]).example(0).references
    ['the dog']
    """
    texts, given = listed(predictions), listed(references)
    if is_list(texts) and any(is_list(listed(one)) for one in texts):
        raise InputError(
            "predictions: found a list of lists, as references are. Were predictions and references swapped? "
            "Predictions have one text for each image."
        )
    require_texts(texts, "predictions")
    if given is None:
        return Corpus.from_lists(texts, image_ids=image_ids)
    if not is_list(given):
        raise InputError(
            f"references must be a list with an entry for each prediction; found {type(given).__name__}. "
            "To match by image id, give predictions as a dict from image id too."
        )
    sets = [[own] if isinstance(own, str) else listed(own) for own in given]
    for place, own in enumerate(sets, 1):
        require_texts(own, f"references of prediction {place}")
    return Corpus.from_lists(texts, [list(own) for own in sets], image_ids=image_ids)


def as_corpus(corpus: Given, references: Given | None) -> Corpus:
    """A corpus as it is, or of captions and references as `load_corpus` takes them."""
    corpus = listed(corpus)
    if not may_be_captions(corpus):
        raise InputError(
            "corpus must be a corpus, or captions as captious.load_corpus takes them; "
            f"found {found_kind(corpus)}."
        )
    return load_corpus(corpus, references)


def refuse_references_as_metrics(metrics: object) -> None:
    """Refuse what can only be references in the place of metrics, whose names have no spaces.

    >>> refuse_references_as_metrics([["a dog", "the dog"]])
    Traceback (most recent call last):
    captious.errors.InputError: metrics: found what looks like references. Give them by name: references=…
    """
    found = listed(metrics)
    names = list(found) if is_list(found) else []
    texts = any(isinstance(name, str) and " " in name.partition("[")[0].strip() for name in names)
    if isinstance(found, Mapping) or is_table(found) or texts or any(map(is_list, names)):
        raise InputError("metrics: found what looks like references. Give them by name: references=…")


def _chosen(metrics: Asked | Sequence[Asked] | None, corpus: Corpus) -> list[Asked]:
    chosen = expand(usual(corpus) if metrics is None else metrics, corpus)
    for line in chosen.reasons():
        warnings.warn(line, CaptiousWarning, stacklevel=3)
    if chosen.left_out and not chosen.metrics:
        raise InputError("none of the default metrics can run on these captions. Name one in metrics=.")
    return chosen.metrics


def available_metrics(needs: str | Collection[str] = ("references",)) -> list[str]:
    """Names of the metrics that ask for no more than `needs` and can run here as things are.

    `needs` is any of `references`, `image` and `objects`.

    >>> "cider" in available_metrics(), "cider" in available_metrics(needs=())
    (True, False)
    """
    wanted = {needs} if isinstance(needs, str) else set(needs) if is_list(needs) else None
    if wanted is None:
        raise InputError(f"needs must be a list of texts; found {found_kind(needs)}.")
    for name in wanted - set(NEEDS):
        raise UnknownNameError("need", name, NEEDS)
    names = []
    for name, metric in known_metrics().items():
        if metric.needs <= wanted and not missing_for(name):
            names.append(name)
    return names


def _refuse_missing_references(corpus: Corpus, asked: Mapping[str, Metric]) -> None:
    for name, metric in asked.items():
        if "references" in metric.needs and not len(corpus.references):
            raise InputError(
                f"{name} needs references, but there are none.",
                python='Give references=, or use metrics="free" for metrics that need none.',
                command="Give --references FILE, or --metrics free for those that need none.",
            )
        if "image" in metric.needs and corpus.image_paths is None:  # vectors of a file may stand in
            _refuse_missing_images(name, metric)


def _refuse_missing_images(name: str, metric: Metric) -> None:
    """Where weights lack too, the images are told first: they are the user's own to give."""
    try:
        metric.ready()
    except MissingDependencyError as error:
        raise InputError(
            f"{name} needs images, but there are none.",
            python=f"Load the captions with images=FOLDER. Then: {error}",
            command=f"Give --images DIR. Then: {error.typed}",
        ) from None
