"""SPICE of whole systems, and how it agrees with people."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from captious.benchmarks.datasets.thumb import HUMAN, load_thumb
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.published.measurements import Measurements
from captious.benchmarks.published.spice.items import ItemSet
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.columns import FloatArray
from captious.stats.correlation import Method

AVERAGE, OFFICIAL, ORDER = "average", "official_average", "order"
HUMANS, EXPERTS = "r_without", "kendall_c"
ASPECTS = ("precision", "recall", "total")
# What of a set is measured here, for the reason why it is not.
SYSTEM_KEYS = {
    "thumb": (f"{AVERAGE}/", f"{OFFICIAL}/{HUMAN}/", f"{ORDER}/", f"{HUMANS}/"),
    "flickr8k_expert": (f"{OFFICIAL}/Flickr8k-Expert/", f"{EXPERTS}/"),
    "karpathy_m2": (f"{OFFICIAL}/M2 on Karpathy/",),
    "nebula": (f"{OFFICIAL}/Nebula/",),
    "capeval1k": (f"{OFFICIAL}/CapEval1k/",),
}


def measure_systems(
    name: str,
    row: str,
    items: ItemSet,
    scores: FloatArray,
    theirs: FloatArray,
    data: Path,
    measured: Measurements,
) -> None:
    """Averages, the order of systems where there are several, and correlation with people.

    `theirs` are the golden scores, or empty.
    """
    machines = load_thumb(data, human="without") if name == "thumb" else None
    for key, value in _figures(name, row, items, machines, scores).items():
        measured.values[key] = value
    if not len(theirs):
        if name == "thumb":
            measured.skipped[f"{ORDER}/"] = "the official order needs the golden items"
        return
    for key, official in _figures(name, row, items, machines, theirs).items():
        reason = f"by the parser: with the scores of SPICE 1.0 itself it is {official:.4f}"
        measured.vary(key, (measured.values[key], official), reason)
    if name == "thumb":
        agreed = in_order(_means(items, scores), _means(items, theirs))
        measured.values[f"{ORDER}/{row}/pairs of systems"] = float(agreed)


def _figures(
    name: str, row: str, items: ItemSet, machines: RatedExamples | None, scores: FloatArray
) -> dict[str, float]:
    """Averages of a set and correlations with people, by these scores of its examples."""
    if machines is None:
        found = {f"{OFFICIAL}/{row}/SPICE": float(scores.mean())}
        if name == "flickr8k_expert" and items.judged is not None:
            value = _correlation(items.judged, scores, "kendall_c", "overall")
            found[f"{EXPERTS}/overall/spice"] = value
        return found
    found = {
        f"{OFFICIAL if system == HUMAN else AVERAGE}/{system}/SPICE": mean
        for system, mean in _means(items, scores).items()
    }
    by_key = dict(zip(items.keys, scores.tolist(), strict=True))
    names = machines.keys()
    own = np.array([by_key[key] for key in names])
    for aspect in ASPECTS:
        found[f"{HUMANS}/SPICE/{aspect}"] = _correlation(machines, own, "pearson", aspect)
    return found


def in_order(ours: dict[str, float], theirs: dict[str, float]) -> int:
    """How many pairs of systems both rank alike.

    >>> in_order({"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "b": 3.0, "c": 2.0})
    2
    """
    return sum((ours[a] - ours[b]) * (theirs[a] - theirs[b]) > 0 for a, b in combinations(ours, 2))


def _means(items: ItemSet, scores: FloatArray) -> dict[str, float]:
    corpus = items.corpus
    return {system: float(scores[corpus.rows_of(system)].mean()) for system in corpus.systems}


def _correlation(data: RatedExamples, scores: FloatArray, method: Method, aspect: str) -> float:
    settings = MetaSettings(aspect=aspect, coefficients=(method,), resamples=0)
    found = evaluate(data, BenchmarkScores({"spice": scores[None]}, {}), settings)
    return found.results["spice"][method].value
