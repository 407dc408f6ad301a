"""Significance tests between systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.scores import Aggregates, Scores, sums_by_image
from captious.corpus.types import Corpus
from captious.errors import InputError
from captious.stats.multiple import holm, significance_clusters
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED
from captious.stats.significance import (
    DEFAULT_TRIALS,
    PairedTest,
    approximate_randomisations,
    paired_bootstraps,
    win_tie_loss,
)
from captious.tables import Shown, Table

if TYPE_CHECKING:
    import pandas as pd

    from captious.corpus.paper import PaperTable, Spread


SHOWN = ("score", "low", "high", "n")  # of a system, in JSON


class Pair(NamedTuple):
    """System `a` against system `b` under one metric; the difference is a - b.

    `p_holm` is the randomisation p-value after Holm's correction over all pairs of the metric
    (Holm 1979). Wins, ties and losses count images.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    p_holm: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class MetricComparison:
    """All pairs of systems under one metric, and the resulting clusters.

    Systems are ranked from best to worst. Every system in cluster 1 is significantly better than every
    system in cluster 2, and so on (`captious.stats.multiple`).
    """

    name: str
    signature: str
    ranking: list[str]
    pairs: list[Pair]
    clusters: dict[str, int]
    percent: bool


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Results of significance tests, by metric, with their settings.

    >>> import captious
    >>> captions = {"a": ["a bus", "a cat"], "b": ["a car", "a cat"]}
    >>> found = captious.compare(captions, "rouge_l", references=["a bus", "a cat"], resamples=50, trials=50)
    >>> found.metrics["rouge_l"].ranking, found.to_pandas()["wins"].tolist()
    (['a', 'b'], [1])
    """

    scores: Scores
    metrics: dict[str, MetricComparison]
    resamples: int
    trials: int
    level: float
    seed: int

    def tables(self) -> list[Table]:
        """Return, for each metric, a ranking with clusters and all pairs with their tests."""
        from captious.corpus.score_tables import compare_tables

        return compare_tables(self)

    def paper(self, baseline: str = "", *, spread: Spread = "interval") -> PaperTable:
        """Return systems x metrics for a paper, with marks of the tests against the baseline."""
        from captious.corpus.paper import PaperTable

        return PaperTable(self, baseline, spread)

    def to_latex(self) -> str:
        """Systems x metrics in LaTeX, then all pairs of all metrics."""
        from captious.corpus.score_tables import paper_tables

        return "\n".join(table.to_latex() for table in paper_tables(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per metric and pair of systems."""
        from captious.tables.frames import data_frame

        return data_frame(
            [{"metric": name, **pair._asdict()} for name, one in self.metrics.items() for pair in one.pairs],
            columns=["metric", *Pair._fields],
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape: metric -> scores, signature, clusters, pairs."""
        result: dict[str, Any] = {}
        for name, metric in self.metrics.items():
            systems = self.scores[name].systems
            result[name] = {
                "signature": metric.signature,
                "resamples": self.resamples,
                "trials": self.trials,
                "level": self.level,
                "seed": self.seed,
                "systems": {
                    system: dict(zip(SHOWN, systems[system], strict=False))
                    | {"cluster": metric.clusters[system]}
                    for system in metric.ranking
                },
                "pairs": [pair._asdict() for pair in metric.pairs],
            }
        return result


def significance(
    scores: Scores,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    trials: int = DEFAULT_TRIALS,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Comparison:
    """Test every pair of systems under every metric of `scores`; no metric runs again.

    Paired bootstrap (Koehn 2004) and approximate randomisation (Riezler and Maxwell 2005) over
    images, on summed statistics. All pairs of one metric are corrected together (Holm 1979).
    """
    corpus = scores.corpus
    refuse_different_images(corpus)
    refuse_not_resampled(scores)
    metrics = {name: scores[name].metric for name in scores}
    blocks = {name: sums_by_image(corpus, scores[name].statistics) for name in scores}
    found: dict[str, list[Pair]] = {name: [] for name in scores}
    for a, b in combinations(corpus.systems, 2):
        tests = _tests(metrics, blocks, a, b, resamples=resamples, trials=trials, level=level, seed=seed)
        for name, (bootstrap, swaps) in tests.items():
            found[name].append(_pair(metrics[name], a, b, blocks[name], bootstrap, swaps))
    return Comparison(
        scores=scores,
        metrics={name: _summary(name, scores, found[name], level) for name in scores},
        resamples=resamples,
        trials=trials,
        level=level,
        seed=seed,
    )


def refuse_not_resampled(scores: Scores) -> None:
    """Refuse a metric whose value for the corpus was given as it is."""
    for name in scores:
        if not scores[name].resampled:
            raise InputError(
                f"{name} gives a value for the corpus that is not the mean of its captions' scores, so that "
                "it cannot be tested. Return the scores alone, or leave it out."
            )


def refuse_different_images(corpus: Corpus) -> None:
    """Refuse fewer than two systems, and systems that do not describe the same images."""
    present = [s for i, s in enumerate(corpus.systems) if (corpus.system_of == i).any()]
    if len(present) < 2:
        raise InputError(
            "compare needs at least two systems.",
            python="Make a corpus with the captions of several systems.",
            command="Give at least two files to --candidates.",
        )
    rows = {system: corpus.rows_of(system) for system in present}
    wanted = np.unique(corpus.image_of[rows[present[0]]])
    for system in present[1:]:
        images = np.unique(corpus.image_of[rows[system]])
        if not np.array_equal(images, wanted):
            odd = int(np.setxor1d(images, wanted)[0])
            raise InputError(
                f'systems "{present[0]}" and "{system}" describe different images: only one has '
                f'"{corpus.image_ids[odd]}". Add the missing captions, or keep only images that every system '
                "describes:",
                python="load_corpus(…, common=True).",
                command="--common.",
            )


def _tests(
    metrics: Mapping[str, Aggregates],
    blocks: Mapping[str, Mapping[str, FloatArray]],
    a: str,
    b: str,
    *,
    resamples: int,
    trials: int,
    level: float,
    seed: int,
) -> dict[str, tuple[PairedTest, PairedTest]]:
    """Both tests of two systems under every metric, on the same draws: statistics side by side."""
    all_a, all_b = (np.hstack([block[system] for block in blocks.values()]) for system in (a, b))
    ends = np.cumsum([block[a].shape[1] for block in blocks.values()])[:-1]

    def scores(sums: FloatArray) -> FloatArray:
        parts = zip(metrics.values(), np.split(sums, ends, axis=-1), strict=True)
        return np.stack([metric.corpus_score(part) for metric, part in parts], axis=-1)

    bootstrap = paired_bootstraps(all_a, all_b, scores, resamples, seed, level=level)
    swaps = approximate_randomisations(all_a, all_b, scores, trials, seed)
    return dict(zip(metrics, zip(bootstrap, swaps, strict=True), strict=True))


def _pair(
    metric: Aggregates,
    a: str,
    b: str,
    block: Mapping[str, FloatArray],
    bootstrap: PairedTest,
    swaps: PairedTest,
) -> Pair:
    ours, theirs = metric.example_scores(block[a]), metric.example_scores(block[b])
    both = ~(np.isnan(ours) | np.isnan(theirs))  # an image that could not be read has no score
    wins, ties, losses = win_tie_loss(ours[both], theirs[both])
    if not metric.higher_is_better:
        wins, losses = losses, wins
    return Pair(
        a=a,
        b=b,
        difference=bootstrap.difference,
        low=bootstrap.low,
        high=bootstrap.high,
        p_bootstrap=bootstrap.p_value,
        p_randomisation=swaps.p_value,
        p_holm=float("nan"),
        wins=wins,
        ties=ties,
        losses=losses,
    )


def _summary(name: str, scores: Scores, pairs: list[Pair], level: float) -> MetricComparison:
    metric = scores[name].metric
    corrected = holm([pair.p_randomisation for pair in pairs])
    pairs = [p._replace(p_holm=float(c)) for p, c in zip(pairs, corrected, strict=True)]
    systems = scores[name].systems
    names = list(systems)
    p_values = np.ones((len(names), len(names)))
    for pair in pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        p_values[i, j] = p_values[j, i] = pair.p_holm
    sign = 1 if metric.higher_is_better else -1
    values = [sign * systems[system].score for system in names]
    found = significance_clusters(names, values, p_values, alpha=1 - level)
    return MetricComparison(
        name=name,
        signature=scores[name].signature,
        ranking=found.order,
        pairs=pairs,
        clusters={s: rank for rank, group in enumerate(found.clusters, 1) for s in group},
        percent=metric.percent,
    )
