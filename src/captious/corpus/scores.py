"""`Scores`: the scores of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.findings import Findings
from captious.corpus.types import Corpus
from captious.errors import InputError, UnknownNameError
from captious.metric_names import plain_name
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    bootstrap_sums,
    cluster_sums,
    percentile_interval,
)
from captious.stats.significance import DEFAULT_TRIALS
from captious.tables import Shown, Table

if TYPE_CHECKING:
    import pandas as pd

    from captious.corpus.paper import PaperTable, Spread
    from captious.corpus.significance import Comparison


BOOTSTRAP = "bootstrap over images"


class Aggregates(Protocol):
    """What scores need of their metric: how statistics become scores, and which end is good."""

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better."""

    @property
    def percent(self) -> bool:
        """Whether papers print it times 100."""

    def example_scores(self, statistics: FloatArray) -> FloatArray:
        """The score of each row of statistics."""

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """The score of summed statistics, on any number of leading axes."""


class CorpusScore(NamedTuple):
    """A system's score over its whole corpus, with its interval where one was asked for."""

    score: float
    low: float | None
    high: float | None
    n: int
    error: float | None = None  # standard error, of the same resamples as the interval


@dataclass(frozen=True, eq=False)
class MetricScores:
    """One metric's scores: an array over the examples and a value for each system.

    `statistics` are the per-example sufficient statistics, from which resampled corpus values are
    computed without running the metric again; `metric` turns them into scores. `details` are further
    values of each example, such as SPICE's sub-scores. `notes` are remarks for the reader; `unscored`
    are images whose captions have no score (NaN), each with the reason. Without `resampled` the systems'
    values do not follow from the statistics, and have no intervals and tests.
    """

    name: str
    signature: str
    values: FloatArray
    statistics: FloatArray
    systems: dict[str, CorpusScore]
    metric: Aggregates
    percent: bool = True
    details: dict[str, FloatArray] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()
    unscored: dict[str, str] = field(default_factory=dict)
    resampled: bool = True

    def __repr__(self) -> str:
        """The systems' scores and the signature; the arrays have names of their own."""
        return f"MetricScores({self.name!r}, systems={self.systems}, signature={self.signature!r})"

    @property
    def printed(self) -> str:
        """The name as papers print it, with the options that were asked for."""
        plain, bracket, options = self.name.partition("[")
        return f"{self.title or plain}{bracket}{options}"

    @property
    def score(self) -> float:
        """The corpus value, where there is only one system."""
        if len(self.systems) != 1:
            raise InputError(
                f"{self.name} has a score for each of {len(self.systems)} systems. "
                f'Take one: scores["{self.name}"].systems["{next(iter(self.systems))}"].score'
            )
        return next(iter(self.systems.values())).score


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """Metric name -> per-example scores, corpus values and signature.

    >>> import captious
    >>> corpus = captious.Corpus.from_lists(["a red bus"], [["a red bus on a street"]])
    >>> scores = captious.score(corpus, metrics=["rouge_l"])
    >>> round(scores["rouge_l"].score, 3)
    0.629
    """

    corpus: Corpus
    metrics: dict[str, MetricScores] = field(default_factory=dict)
    level: float = 0.95
    drawn: str = BOOTSTRAP  # how intervals were had
    found: Findings | None = None

    def __repr__(self) -> str:
        return f"Scores({', '.join(self.metrics)}; {self.corpus!r})"

    def __getitem__(self, metric: str) -> MetricScores:
        metric = metric if metric in self.metrics else plain_name(metric)
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        return self.metrics[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def findings(self) -> Findings:
        """What the metrics found in the captions and where, by the names of metrics as asked for."""
        if self.found is None:
            raise InputError("findings were not asked for. Score with captious.score(…, findings=True).")
        return self.found

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape: `{"systems": {system: {metric: {"score": …}}}}`."""
        systems: dict[str, Any] = {}
        for name, metric in self.metrics.items():
            for system, value in metric.systems.items():
                entry: dict[str, Any] = {"score": value.score}
                if value.low is not None:
                    entry |= {"low": value.low, "high": value.high}
                    entry |= {"interval": self.drawn} if self.drawn != BOOTSTRAP else {}
                entry |= {"n": value.n, "signature": metric.signature}
                entry |= {"notes": list(metric.notes)} if metric.notes else {}
                entry |= {"unscored": metric.unscored} if metric.unscored else {}
                systems.setdefault(system, {})[name] = entry
        return {"systems": systems}

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per example: image_id, system, caption and a column for each metric."""
        table = self.corpus.to_pandas().drop(columns="references")
        for name, metric in self.metrics.items():
            table[name] = metric.values
        return table

    def paper(
        self,
        baseline: str = "",
        *,
        spread: Spread = "interval",
        resamples: int = DEFAULT_RESAMPLES,
        trials: int = DEFAULT_TRIALS,
        level: float = 0.95,
        seed: int = DEFAULT_SEED,
    ) -> PaperTable:
        """Return systems x metrics for a paper, each system tested against the baseline."""
        from captious.corpus.paper import PaperTable

        draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
        scores = self if self.has_intervals or spread == "none" else self.with_intervals(**draws)
        return PaperTable(scores.significance(trials=trials, **draws), baseline, spread)

    @property
    def has_intervals(self) -> bool:
        """Whether intervals were drawn."""
        return any(value.low is not None for one in self.metrics.values() for value in one.systems.values())

    def to_bibtex(self) -> str:
        """Return the BibTeX of the papers of all metrics."""
        from captious.corpus.paper import bibtex

        return bibtex(self)

    def tables(self) -> list[Table]:
        """Return one table: metrics as rows for one system, systems by metrics for several."""
        from captious.corpus.score_tables import score_table

        return [score_table(self, self.level)]

    def to_latex(self) -> str:
        """Systems by metrics in LaTeX (`booktabs`), signatures in comments."""
        from captious.corpus.score_tables import score_table

        return score_table(self, self.level, turn=False).to_latex()

    def to_log(self, prefix: str = "") -> dict[str, float]:
        """Return a flat dict for experiment trackers: `{"cider": 1.31}`.

        With several systems, names are `system/metric`. `prefix` is put before all names.

        >>> import captious
        >>> corpus = captious.Corpus.from_lists(["a bus"], [["a bus"]])
        >>> captious.score(corpus, ["rouge_l"]).to_log("val/")
        {'val/rouge_l': 1.0}
        """
        several = len(self.corpus.systems) > 1
        return {
            f"{prefix}{system + '/' if several else ''}{name}": value.score
            for name, metric in self.metrics.items()
            for system, value in metric.systems.items()
        }

    def with_intervals(
        self, resamples: int = DEFAULT_RESAMPLES, *, level: float = 0.95, seed: int = DEFAULT_SEED
    ) -> Scores:
        """Add percentile bootstrap intervals over images (Efron 1979; Koehn 2004).

        They are computed from stored statistics; no metric runs again.

        >>> import captious
        >>> corpus = captious.Corpus.from_lists(["a bus", "a cat"], [["a bus"], ["a dog"]])
        >>> scores = captious.score(corpus, ["rouge_l"]).with_intervals(100)
        >>> scores["rouge_l"].systems["candidates"].high
        1.0
        """
        sums = {
            (name, system): by_image
            for name, metric in self.metrics.items()
            if metric.resampled
            for system, by_image in sums_by_image(self.corpus, metric.statistics).items()
        }
        draws = _resample(sums, resamples, seed)
        found = {}
        for name, metric in self.metrics.items():
            systems = dict(metric.systems)
            for system, value in systems.items():
                drawn = draws.get((name, system))
                if drawn is not None:  # a single image has no interval
                    values = metric.metric.corpus_score(drawn)
                    interval = percentile_interval(values, value.score, level)
                    error = float(np.nanstd(values, ddof=1))
                    systems[system] = value._replace(low=interval.low, high=interval.high, error=error)
            found[name] = replace(metric, systems=systems)
        return replace(self, metrics=found, level=level)

    def significance(
        self,
        *,
        resamples: int = DEFAULT_RESAMPLES,
        trials: int = DEFAULT_TRIALS,
        level: float = 0.95,
        seed: int = DEFAULT_SEED,
    ) -> Comparison:
        """Test every pair of systems under every metric, as `captious.compare` does.

        >>> import captious
        >>> corpus = captious.Corpus.from_dict(
        ...     {"a": {"1": "a bus", "2": "a cat"}, "b": {"1": "a car", "2": "a cat"}},
        ...     {"1": ["a bus"], "2": ["a cat"]})
        >>> found = captious.score(corpus, ["rouge_l"]).significance(resamples=100, trials=100)
        >>> found.metrics["rouge_l"].pairs[0].wins
        1
        """
        from captious.corpus.significance import significance

        return significance(self, resamples=resamples, trials=trials, level=level, seed=seed)


def sums_by_image(corpus: Corpus, statistics: FloatArray) -> dict[str, FloatArray]:
    """For each system, statistics summed by image, images in the order of the corpus."""
    sums = {}
    for index, system in enumerate(corpus.systems):
        rows = np.flatnonzero(corpus.system_of == index)
        if len(rows):
            images, places = np.unique(corpus.image_of[rows], return_inverse=True)
            sums[system] = cluster_sums(statistics[rows], places, len(images))
    return sums


def _resample(
    sums: Mapping[tuple[str, str], FloatArray], resamples: int, seed: int
) -> dict[tuple[str, str], FloatArray]:
    """Resampled sums of every block; blocks over equally many images share their draws."""
    drawn: dict[tuple[str, str], FloatArray] = {}
    for size in sorted({len(block) for block in sums.values() if len(block) > 1}):
        keys = [key for key, block in sums.items() if len(block) == size]
        together = bootstrap_sums(np.hstack([sums[key] for key in keys]), resamples, seed)
        ends = np.cumsum([sums[key].shape[1] for key in keys])[:-1]
        drawn |= dict(zip(keys, np.split(together, ends, axis=1), strict=True))
    return drawn
