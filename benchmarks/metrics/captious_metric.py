"""The figures of docs/metrics/captious.md: every benchmark with weights that never saw its images.

    python benchmarks/metrics/captious_metric.py --data ../shared/data [--quick] [--only thumb,foils]

Prints, for each benchmark, the figure of `captious[held_out=…]` with a 95% interval over images, that of
the best single metric beside it, and a test of the difference (Williams' for Pearson's r, else a
permutation test that exchanges the two metrics' ranks example by example or pair by pair); then the
ablation: the same weights without one view, and that view alone; last, how many examples are scored in a
second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from captious.benchmarks import load_benchmark
from captious.benchmarks.data_files import data_folder
from captious.corpus import Corpus
from captious.learn.captious_metric.fit import VIEWS
from captious.metrics import Batch, resolve
from captious.metrics.captious_metric import CaptiousMetric
from captious.metrics.captious_metric.model import FEATURES, load_model
from captious.stats.correlation import correlate
from captious.stats.metric_difference import williams_test

Floats = np.ndarray
SINGLE = ("sentsim[agg=mean_embedding]", "cider", "rouge_l")
DRAWS = 300


@dataclass
class Set:
    """A benchmark: corpora (draws of references), a figure of scores, what is resampled together."""

    name: str
    held_out: str
    corpora: list[Corpus]
    figure: Callable[[list[Floats], np.ndarray | None], float]
    units: np.ndarray  # unit (image, pair) of each row of what the figure is computed over
    pearson: Floats | None = None


def rated(name: str, method: str, data: Path) -> Set:
    loaded = load_benchmark(name, data)
    matrix = loaded.judgments.matrix(loaded.protocol.aspect)
    rows, columns = np.nonzero(~np.isnan(matrix))
    if loaded.protocol.ratings == "mean":
        rows, human = np.arange(len(matrix)), np.nanmean(matrix, axis=1)
    else:
        human = matrix[rows, columns]

    def figure(scores: list[Floats], chosen: np.ndarray | None) -> float:
        x, y = scores[0][rows], human
        if chosen is not None:
            x, y = x[chosen], y[chosen]
        return float(correlate(x, y, method=method).value)

    units = loaded.corpus.image_of[rows]
    return Set(name, name, [loaded.corpus], figure, units, human if method == "pearson" else None)


def preferred(data: Path, draws: int) -> Set:
    loaded = load_benchmark("pascal-50s", data)
    category = np.array(loaded.category)

    def figure(scores: list[Floats], chosen: np.ndarray | None) -> float:
        rows = np.arange(len(category)) if chosen is None else chosen
        return float(np.mean(list(by_category(scores, rows).values())))

    def by_category(scores: list[Floats], rows: np.ndarray) -> dict[str, float]:
        right = np.mean([credit(s, loaded.first, loaded.second, loaded.label == 0) for s in scores], axis=0)
        return {k: 100 * right[rows][category[rows] == k].mean() for k in ("HC", "HI", "HM", "MM")}

    figure.by_kind = lambda scores: by_category(scores, np.arange(len(category)))  # type: ignore[attr-defined]
    return Set("pascal-50s", "pascal-50s", loaded.corpora[:draws], figure, np.arange(len(category)))


def foils(data: Path) -> Set:
    rows = [orjson.loads(line) for line in (data / "foils" / "sugarcrepe.jsonl").read_bytes().splitlines()]
    corpus = Corpus.from_lists(
        [text for row in rows for text in (row["caption"], row["foil"])],
        [row["references"] for row in rows for _ in (0, 1)],
    )
    kinds, first = np.array([row["kind"] for row in rows]), 2 * np.arange(len(rows))

    def right(scores: list[Floats]) -> Floats:
        return credit(scores[0], first, first + 1, np.ones(len(rows), dtype=bool))

    def figure(scores: list[Floats], chosen: np.ndarray | None) -> float:
        found = right(scores)
        return 100 * float((found if chosen is None else found[chosen]).mean())

    figure.by_kind = lambda s: {k: 100 * right(s)[kinds == k].mean() for k in sorted(set(kinds))}  # type: ignore[attr-defined]
    _, images = np.unique([row["image"] for row in rows], return_inverse=True)
    return Set("foils", "foils", [corpus], figure, images)


def credit(scores: Floats, first: np.ndarray, second: np.ndarray, first_better: np.ndarray) -> Floats:
    """1 where the better caption scores higher, a half for a tie."""
    gap = np.where(first_better, 1, -1) * (scores[first] - scores[second])
    return np.where(gap == 0, 0.5, gap > 0)


def interval(one: Set, scores: list[Floats], draws: int) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    order = np.argsort(one.units, kind="stable")
    firsts = np.flatnonzero(np.diff(one.units[order], prepend=-1))
    parts = np.split(order, firsts[1:])
    found = [
        one.figure(scores, np.concatenate([parts[i] for i in rng.integers(len(parts), size=len(parts))]))
        for _ in range(draws)
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def permutation(one: Set, ours: list[Floats], theirs: list[Floats], draws: int) -> float:
    """Two-sided p of the difference: the two metrics' ranks are exchanged image by image."""
    rng = np.random.default_rng(1)
    a, b = ([ranks(s) for s in side] for side in (ours, theirs))
    observed = abs(one.figure(a, None) - one.figure(b, None))
    unit = unit_of_examples(one)
    above = 0
    for _ in range(draws):
        swapped = rng.random(int(unit.max()) + 1)[unit] < 0.5
        x = [np.where(swapped, t, o) for o, t in zip(a, b, strict=True)]
        y = [np.where(swapped, o, t) for o, t in zip(a, b, strict=True)]
        above += abs(one.figure(x, None) - one.figure(y, None)) >= observed - 1e-12
    return (above + 1) / (draws + 1)


def unit_of_examples(one: Set) -> np.ndarray:
    if one.name in ("pascal-50s", "foils"):
        return np.repeat(np.arange(len(one.corpora[0]) // 2), 2)
    return one.corpora[0].image_of


def ranks(scores: Floats) -> Floats:
    from scipy.stats import rankdata

    return rankdata(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default="flickr8k-expert,thumb,nebula,pascal-50s,foils")
    parser.add_argument("--quick", action="store_true", help="one draw of references, 100 resamples")
    parser.add_argument("--single", default=",".join(SINGLE))
    asked = parser.parse_args()
    data = data_folder(asked.data)
    draws = 100 if asked.quick else DRAWS
    made = {
        "flickr8k-expert": lambda: rated("flickr8k-expert", "kendall_c", data),
        "thumb": lambda: rated("thumb", "pearson", data),
        "nebula": lambda: rated("nebula", "kendall_c", data),
        "pascal-50s": lambda: preferred(data, 1 if asked.quick else 5),
        "foils": lambda: foils(data),
    }
    for name in asked.only.split(","):
        show(made[name](), asked.single, draws)
    speed(data)


def show(one: Set, single: str, draws: int) -> None:
    from captious.metrics import split_list

    metric = CaptiousMetric(held_out=one.held_out)
    batches = [Batch(corpus) for corpus in one.corpora]
    features = [metric.features(batch) for batch in batches]
    ours = [metric.score_examples(batch, None) for batch in batches]
    low, high = interval(one, ours, draws)
    print(
        f"{one.name}: captious[held_out={one.held_out}] {one.figure(ours, None):.4f} [{low:.4f}, {high:.4f}]"
    )
    if hasattr(one.figure, "by_kind"):
        print("   ", "  ".join(f"{k} {v:.1f}" for k, v in one.figure.by_kind(ours).items()))
    others = {name: scored(name, one.corpora, batches) for name in split_list(single)}
    for name, scores in others.items():
        print(f"    {name} {one.figure(scores, None):.4f}")
    best = max(others, key=lambda name: one.figure(others[name], None))
    print(f"    against {best}: p = {test(one, ours, others[best], draws):.4f}")
    weights = load_model().head(one.held_out).weights
    for view, names in VIEWS.items():
        own = np.array([name in names for name in FEATURES])
        without, alone = ([x[:, part] @ weights[part] for x in features] for part in (~own, own))
        print(f"    {view}: without it {one.figure(without, None):.4f}, alone {one.figure(alone, None):.4f}")


def test(one: Set, ours: list[Floats], theirs: list[Floats], draws: int) -> float:
    if one.pearson is None:
        return permutation(one, ours, theirs, draws)
    a, b, human = ours[0], theirs[0], one.pearson
    r = np.corrcoef([a, b, human])
    return williams_test(r[0, 2], r[1, 2], r[0, 1], len(human)).p_two_sided


def scored(name: str, corpora: list[Corpus], batches: list[Batch]) -> list[Floats]:
    metric = resolve(name)
    return [
        metric.example_scores(metric.statistics(batch, metric.merge([metric.collect(batch)])))
        for batch in batches
    ]


def speed(data: Path) -> None:
    """Examples of five references each, from text to scores: none shared, and shared by several captions."""
    own = load_benchmark("nebula", data).corpus
    shared = load_benchmark("flickr8k-expert", data).corpus
    for corpus, how in ((own, "none shared"), (shared, "shared by the captions of an image")):
        rows = np.flatnonzero(corpus.reference_counts == 5)[:600]
        timed(corpus.select(rows).compact(), how)


def timed(corpus: Corpus, how: str) -> None:
    metric = resolve("captious")
    metric.score_examples(Batch(corpus.select(np.arange(20)).compact()), None)  # opens the encoder
    start, begun = time.perf_counter(), time.process_time()
    metric.score_examples(Batch(corpus), None)
    taken, used = time.perf_counter() - start, time.process_time() - begun
    print(f"speed: {len(corpus) / taken:.0f} examples/s, five references each, {how}")
    print(f"       {len(corpus) / used:.0f} examples in a second of one processor")


if __name__ == "__main__":
    main()
