"""`Scores`: what metrics said of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from captious.corpus.columns import FloatArray
from captious.corpus.types import Corpus
from captious.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


class CorpusScore(NamedTuple):
    """A system's score over its whole corpus, with its interval where one was asked for."""

    score: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, eq=False)
class MetricScores:
    """One metric's scores: an array over the examples and a value for each system.

    `statistics` are the per-example sufficient statistics from which any resampled corpus value
    can be had without computing the metric again. `details` are further values of each example,
    such as SPICE's sub-scores. `notes` is what a reader must know beside the numbers; `unscored`
    are images whose captions have no score (a value of NaN), each with the reason.
    """

    name: str
    signature: str
    values: FloatArray
    statistics: FloatArray
    systems: dict[str, CorpusScore]
    percent: bool = True
    details: dict[str, FloatArray] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()
    unscored: dict[str, str] = field(default_factory=dict)

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
class Scores:
    """Metric name -> per-example scores, corpus values and signature.

    >>> import captious
    >>> corpus = captious.Corpus.from_lists(["a red bus"], [["a red bus on a street"]])
    >>> scores = captious.score(corpus, metrics=["rouge_l"])
    >>> round(scores["rouge_l"].score, 3)
    0.629
    """

    corpus: Corpus
    metrics: dict[str, MetricScores] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Scores({', '.join(self.metrics)}; {self.corpus!r})"

    def __getitem__(self, metric: str) -> MetricScores:
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        return self.metrics[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape: `{"systems": {system: {metric: {"score": …}}}}`."""
        systems: dict[str, Any] = {}
        for name, metric in self.metrics.items():
            for system, value in metric.systems.items():
                entry: dict[str, Any] = {"score": value.score}
                if value.low is not None:
                    entry |= {"low": value.low, "high": value.high}
                entry |= {"n": value.n, "signature": metric.signature}
                entry |= {"notes": list(metric.notes)} if metric.notes else {}
                entry |= {"unscored": metric.unscored} if metric.unscored else {}
                systems.setdefault(system, {})[name] = entry
        return {"systems": systems}

    def to_pandas(self) -> pd.DataFrame:
        """A row an example: image_id, system, caption and a column for each metric."""
        table = self.corpus.to_pandas().drop(columns="references")
        for name, metric in self.metrics.items():
            table[name] = metric.values
        return table
