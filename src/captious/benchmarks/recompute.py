"""What we measure against the published values, benchmark by benchmark."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from captious.benchmarks.composite import load_composite
from captious.benchmarks.flickr8k import load_crowdflower, load_expert
from captious.benchmarks.image_text import IMAGE_TEXT
from captious.benchmarks.karpathy import load_karpathy_m2
from captious.benchmarks.locate import GOLDEN, GOLDEN_VARIABLE, MissingDataError
from captious.benchmarks.measurements import Measurements, Recompute, ReproductionRequest
from captious.benchmarks.meta_evaluation import evaluate
from captious.benchmarks.pascal50s import load_pascal50s
from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.result import MetaSettings
from captious.benchmarks.score_files import read_scores
from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.benchmarks.spice.recompute import recompute_spice
from captious.benchmarks.thumb import load_thumb
from captious.engine import Progress, run_metrics
from captious.errors import MissingDependencyError
from captious.metrics import Metric, resolve
from captious.stats.ranking import best_and_worst
from captious.stats.resample import bootstrap_interval
from captious.stats.virtual_raters import virtual_rater_agreement

CLASSIC = ("bleu1", "bleu4", "rouge_l", "meteor", "cider")
# The metrics of Kasai et al. 2022, A.2, under our names.
THUMB_METRICS = {"BLEU": "sacrebleu", "ROUGE-L": "rouge_l[variant=rouge_score]", "CIDEr": "cider"}
THUMB_ASPECTS = ("precision", "recall", "total")
# More draws than is usual, so that the second decimal of an interval's end does not waver.
INTERVAL_DRAWS = 10_000
ELSEWHERE = "thumb/scores_by_others.csv.gz"


def recompute_thumb(asked: ReproductionRequest) -> Measurements:
    """Kasai et al. 2022: Tables 2 to 4."""
    measured = Measurements()
    folder, progress = asked.data, asked.progress
    everyone = load_thumb(folder, human="with", leaked="keep")
    _thumb_humans(everyone, measured)
    metrics = metrics_for(list(THUMB_METRICS.values()), everyone.protocol.documents)
    loads = {
        "r_without": load_thumb(folder, human="without"),
        "r_with_kept": everyone,
        "r_with_dropped": load_thumb(folder, human="with", leaked="drop"),
    }
    for measure, data in loads.items():
        scores = compute_scores(data, metrics, progress=progress)
        named = dict(zip(THUMB_METRICS, scores.arrays.values(), strict=True))
        joined = BenchmarkScores(named, {})
        _thumb_correlations(measure, data, joined, measured)
        if measure == "r_with_dropped":
            _thumb_reach(data, joined, measured)
        if measure == "r_with_kept":
            for system in data.corpus.systems:
                rows = data.corpus.rows_of(system)
                for name, array in named.items():
                    measured.values[f"score/{system}/{name}"] = float(array[0, rows].mean())
    thumb_elsewhere(asked, loads["r_without"], measured)
    return measured


def _thumb_humans(data: RatedExamples, measured: Measurements) -> None:
    systems = data.corpus.systems
    rows = {system: data.corpus.rows_of(system) for system in systems}
    by_aspect = {aspect: data.judgments.means(aspect) for aspect in data.judgments.aspects}
    for aspect, values in by_aspect.items():
        # Penalties are negative in the file; the paper prints what is taken off.
        sign = 1 if aspect in THUMB_ASPECTS else -1
        for system in systems:
            mean = float(sign * values[rows[system]].mean())
            measured.values[f"mean/{system}/{aspect}"] = mean + 0.0
    for system in systems:
        totals = by_aspect["total"][rows[system]]
        statistics = np.stack([totals, np.ones_like(totals)], axis=1)
        interval = bootstrap_interval(
            statistics, lambda s: s[..., 0] / s[..., 1], resamples=INTERVAL_DRAWS, level=0.90
        )
        measured.values[f"reach/{system}/below"] = interval.value - interval.low
        measured.values[f"reach/{system}/above"] = interval.high - interval.value
    images = data.corpus.image_of
    order = {system: rows[system][np.argsort(images[rows[system]])] for system in systems}
    cube = np.stack(
        [
            np.stack([by_aspect[aspect][order[system]] for system in systems], axis=1)
            for aspect in ("precision", "recall")
        ],
        axis=2,
    )
    counts = best_and_worst(cube)
    for place, system in enumerate(systems):
        measured.values[f"count/best/{system}"] = float(counts.best[place])
        measured.values[f"count/worst/{system}"] = float(counts.worst[place])


def _thumb_correlations(
    measure: str, data: RatedExamples, scores: BenchmarkScores, measured: Measurements
) -> None:
    for aspect in THUMB_ASPECTS:
        settings = MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0)
        for name, found in evaluate(data, scores, settings).results.items():
            measured.values[f"{measure}/{name}/{aspect}"] = found["pearson"].value


def _thumb_reach(data: RatedExamples, scores: BenchmarkScores, measured: Measurements) -> None:
    """How far the 90% interval of r with the total reaches; whole images are drawn."""
    settings = MetaSettings(coefficients=("pearson",), resamples=INTERVAL_DRAWS)
    for name, found in evaluate(data, scores, settings).results.items():
        value = found["pearson"]
        measured.values[f"r_reach/{name}/below"] = value.value - value.low
        measured.values[f"r_reach/{name}/above"] = value.high - value.value


def thumb_elsewhere(asked: ReproductionRequest, data: RatedExamples, measured: Measurements) -> None:
    """Judge scores that the benchmark's authors computed, where their file is here."""
    named = asked.golden or os.environ.get(GOLDEN_VARIABLE)
    beside = asked.data.resolve().parent / GOLDEN
    folders = [asked.data, *([Path(named)] if named else []), beside]
    path = next((place / ELSEWHERE for place in folders if (place / ELSEWHERE).is_file()), None)
    if path is None:
        measured.skipped["r_elsewhere/"] = f"no {ELSEWHERE} in the data folder or in ${GOLDEN_VARIABLE}"
        return
    _thumb_correlations("r_elsewhere", data, read_scores(path, data), measured)


def recompute_flickr8k_expert(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021 on the metrics, Scott et al. 2023 on the raters."""
    data = load_expert(asked.data)
    measured = Measurements()
    _correlations("kendall_c", data, CLASSIC, measured, asked.progress)
    found = virtual_rater_agreement(data.judgments.matrix("overall"), runs=1)
    for name, value in zip(("tau_x", "tau_y", "tau_z"), found.tau, strict=True):
        measured.values[f"virtual_raters/raters/{name}"] = value.mean
    measured.values["virtual_raters/raters/w"] = found.w.mean
    measured.values["virtual_raters/raters/kappa"] = found.kappa.mean
    return measured


def recompute_flickr8k_cf(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, where the whole file is there."""
    return _whole_file("kendall_b", load_crowdflower(asked.data), asked.progress)


def recompute_composite(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, where the whole file is there."""
    return _whole_file("kendall_c", load_composite(asked.data), asked.progress)


def recompute_pascal50s(asked: ReproductionRequest) -> Measurements:
    """Madhyastha et al. 2019, Table 6."""
    data = load_pascal50s(asked.data)
    measured = Measurements()
    metrics = _ready(CLASSIC, "accuracy/all/", data, measured)
    scores = compute_scores(data, metrics, progress=asked.progress)
    for name, found in evaluate(data, scores, MetaSettings(resamples=0)).results.items():
        measured.values[f"accuracy/all/{name}"] = found["accuracy"].value
    return measured


def recompute_karpathy(asked: ReproductionRequest) -> Measurements:
    """The outputs of the M2 Transformer on the Karpathy test split."""
    corpus = load_karpathy_m2(asked.data)
    measured = Measurements()
    metrics: dict[str, Metric] = {}
    for name in CLASSIC:
        metric = resolve(name)
        if _is_ready(metric, f"corpus/m2_transformer/{name}", measured):
            metrics[name] = metric
    runs = run_metrics(corpus, list(metrics.values()), progress=asked.progress)
    for (name, metric), run in zip(metrics.items(), runs, strict=True):
        value = float(metric.corpus_score(run.statistics.sum(axis=0)))
        measured.values[f"corpus/m2_transformer/{name}"] = value
    return measured


def _whole_file(method: str, data: RatedExamples, progress: Progress | None) -> Measurements:
    if data.notes:
        raise MissingDataError(data.notes[0])
    measured = Measurements()
    _correlations(method, data, CLASSIC, measured, progress)
    return measured


def _correlations(
    method: str, data: RatedExamples, names: Iterable[str], measured: Measurements, progress: Progress | None
) -> None:
    prefix = f"{method}/{data.protocol.aspect}/"
    metrics = _ready(names, prefix, data, measured)
    scores = compute_scores(data, metrics, progress=progress)
    settings = MetaSettings(coefficients=(method,), resamples=0)
    for name, found in evaluate(data, scores, settings).results.items():
        measured.values[prefix + name] = found[method].value


def _ready(
    names: Iterable[str], prefix: str, data: RatedExamples | Preferences, measured: Measurements
) -> dict[str, Metric]:
    ready = [name for name in names if _is_ready(resolve(name), prefix + name, measured)]
    return metrics_for(ready, data.protocol.documents)


def _is_ready(metric: Metric, key: str, measured: Measurements) -> bool:
    try:
        metric.ready()
    except MissingDependencyError:
        measured.skipped[key] = f"needs captious[{metric.name}]"
        return False
    return True


RECOMPUTED: dict[str, Recompute] = {
    "thumb": recompute_thumb,
    "flickr8k-expert": recompute_flickr8k_expert,
    "flickr8k-cf": recompute_flickr8k_cf,
    "composite": recompute_composite,
    "pascal-50s": recompute_pascal50s,
    "coco-karpathy": recompute_karpathy,
    "spice": recompute_spice,
    **IMAGE_TEXT,
}
