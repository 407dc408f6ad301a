"""What we measure against Kasai et al. 2022 (THumB), Tables 2 to 4.

In the release 39 Human captions are among their own references, which the paper says were kept
apart. What depends on it is measured with those references kept, dropped and replaced; the range of
the three is the reason that may make a value near.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from captious.benchmarks.data_files.locate import GOLDEN, GOLDEN_VARIABLE, MissingDataError
from captious.benchmarks.datasets.thumb import HUMAN, Leaked, load_thumb
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.meta_evaluation.score_files import read_scores
from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.engine import Progress
from captious.stats.ranking import best_and_worst
from captious.stats.resample import bootstrap_interval

# The metrics of Kasai et al. 2022, A.2, under our names.
METRICS = {"BLEU": "sacrebleu", "ROUGE-L": "rouge_l[variant=rouge_score]", "CIDEr": "cider"}
ASPECTS = ("precision", "recall", "total")
FLUENCY = "fluency"
LEAKED: tuple[Leaked, ...] = ("keep", "drop", "replace")
# More draws than is usual, so that the second decimal of an interval's end does not waver.
INTERVAL_DRAWS = 10_000
INTERVAL_SEEDS = (1, 2, 3)
ELSEWHERE = "thumb/scores_by_others.csv.gz"


def recompute_thumb(asked: ReproductionRequest) -> Measurements:
    """Tables 2 to 4, and that every metric's correlation with fluency is below .1."""
    measured = Measurements()
    _humans(load_thumb(asked.data, human="with"), measured)
    machines = load_thumb(asked.data, human="without")
    scores = _scored(machines, asked.progress)
    _correlations("r_without", machines, scores, measured)
    for system in machines.corpus.systems:
        for name, mean in _means(machines, scores, system).items():
            measured.values[f"score/{system}/{name}"] = mean
    _with_human(asked, measured)
    thumb_elsewhere(asked, machines, measured)
    return measured


def _scored(data: RatedExamples, progress: Progress | None) -> BenchmarkScores:
    """Scores by the paper's metrics under the names that it prints."""
    metrics = metrics_for(list(METRICS.values()), data.protocol.documents)
    found = compute_scores(data, metrics, progress=progress)
    return BenchmarkScores(dict(zip(METRICS, found.arrays.values(), strict=True)), {})


def _means(data: RatedExamples, scores: BenchmarkScores, system: str) -> dict[str, float]:
    rows = data.corpus.rows_of(system)
    return {name: float(array[0, rows].mean()) for name, array in scores.arrays.items()}


def _with_human(asked: ReproductionRequest, measured: Measurements) -> None:
    """What depends on the leaked references, with each way to treat them."""
    found: dict[str, Measurements] = {}
    for leaked in LEAKED:
        try:
            data = load_thumb(asked.data, human="with", leaked=leaked)
        except MissingDataError as error:
            if leaked == asked.leaked:
                raise
            measured.remarks["r_with/"] = error.typed
            continue
        found[leaked] = own = Measurements()
        scores = _scored(data, asked.progress)
        _correlations("r_with", data, scores, own)
        for name, mean in _means(data, scores, HUMAN).items():
            own.values[f"score/{HUMAN}/{name}"] = mean
        if leaked == (asked.leaked or "replace"):
            _reach(data, scores, measured)
    chosen = asked.leaked or ("replace" if "replace" in found else "drop")
    for key, value in found[chosen].values.items():
        measured.values[key] = value
        ways = {leaked: own.values[key] for leaked, own in found.items()}
        shown = ", ".join(f"{leaked} {own:.4f}" for leaked, own in ways.items())
        measured.vary(key, ways.values(), f"by how the 39 leaked references are treated: {shown}")


def _humans(data: RatedExamples, measured: Measurements) -> None:
    systems = data.corpus.systems
    rows = {system: data.corpus.rows_of(system) for system in systems}
    by_aspect = {aspect: data.judgments.means(aspect) for aspect in data.judgments.aspects}
    for aspect, values in by_aspect.items():
        # Penalties are negative in the file; the paper prints what is taken off.
        sign = 1 if aspect in ASPECTS else -1
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


def _correlations(measure: str, data: RatedExamples, scores: BenchmarkScores, measured: Measurements) -> None:
    for aspect in (*ASPECTS, FLUENCY):
        settings = MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0)
        for name, found in evaluate(data, scores, settings).results.items():
            measured.values[f"{measure}/{name}/{aspect}"] = found["pearson"].value


def _reach(data: RatedExamples, scores: BenchmarkScores, measured: Measurements) -> None:
    """How far the 90% interval of r with the total reaches; whole images are drawn."""
    ways: dict[str, list[float]] = {}
    for seed in INTERVAL_SEEDS:
        settings = MetaSettings(coefficients=("pearson",), resamples=INTERVAL_DRAWS, seed=seed)
        for name, found in evaluate(data, scores, settings).results.items():
            value = found["pearson"]
            ways.setdefault(f"r_reach/{name}/below", []).append(value.value - value.low)
            ways.setdefault(f"r_reach/{name}/above", []).append(value.high - value.value)
    for key, values in ways.items():
        measured.values[key] = values[0]
        shown = f"{min(values):.4f} to {max(values):.4f}"
        measured.vary(key, values, f"by the seed of {INTERVAL_DRAWS:,} draws: {shown}")


def thumb_elsewhere(asked: ReproductionRequest, data: RatedExamples, measured: Measurements) -> None:
    """Judge scores that the benchmark's authors computed, where their file is here."""
    named = asked.golden or os.environ.get(GOLDEN_VARIABLE)
    beside = asked.data.resolve().parent / GOLDEN
    folders = [asked.data, *([Path(named)] if named else []), beside]
    path = next((place / ELSEWHERE for place in folders if (place / ELSEWHERE).is_file()), None)
    if path is None:
        measured.skipped["r_elsewhere/"] = f"no {ELSEWHERE} in the data folder or in ${GOLDEN_VARIABLE}"
        return
    _correlations("r_elsewhere", data, read_scores(path, data), measured)
