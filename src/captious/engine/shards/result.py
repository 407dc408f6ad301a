"""What a run over shards gives: the corpus's scores, where the captions' are, and what was set aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from captious.corpus import Corpus, CorpusScore, MetricScores, Scores
from captious.engine.shards.parts import Footer, Sums
from captious.engine.shards.survey import SetAside
from captious.metrics import Metric
from captious.stats.poisson import NAME
from captious.stats.resample import percentile_interval
from captious.tables import Shown, Table


@dataclass(frozen=True, eq=False, repr=False)
class ShardedScores(Shown):
    """Scores of a sharded corpus. `scores` holds the corpus's values; the captions' are at `out`.

    `reused` counts captions whose scores were there from an earlier run.
    """

    scores: Scores
    out: str
    rows: int
    reused: int = 0
    set_aside: tuple[SetAside, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ShardedScores({', '.join(self.scores)}; {self.rows:,} captions at {self.out})"

    def __getitem__(self, metric: str) -> MetricScores:
        return self.scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def tables(self) -> list[Table]:
        """As the scores of a corpus in memory."""
        return self.scores.tables()

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape of scores, and where the captions' scores are."""
        return self.scores.to_dict() | {
            "out": self.out,
            "rows": self.rows,
            "set_aside": [one._asdict() for one in self.set_aside],
        }


@dataclass
class Totals:
    """Sums over parts, added in the order of the parts; what metrics noted, batch by batch."""

    rows: int
    references: tuple[int, int] | None
    sums: dict[str, dict[str, Sums]]
    collected: dict[str, list[Any]]

    @classmethod
    def of(cls, footers: Iterable[Footer], metrics: Mapping[str, Metric]) -> Totals:
        """The sums of all parts."""
        found = cls(0, None, {}, {})
        for footer in footers:
            found.add(footer, metrics)
        return found

    def add(self, footer: Footer, metrics: Mapping[str, Metric]) -> None:
        """Add one part."""
        self.rows += footer.rows
        if footer.references:
            low, high = self.references or footer.references
            self.references = min(low, footer.references[0]), max(high, footer.references[1])
        for system, own in footer.sums.items():
            kept = self.sums.setdefault(system, {})
            for name, sums in own.items():
                if name in kept:
                    kept[name] += sums
                else:
                    kept[name] = sums
        for name, parts in footer.collected.items():
            known = [*self.collected.get(name, []), *parts]
            self.collected[name] = [metrics[name].merge(known)] if name in metrics else known


def scores_of(
    totals: Totals,
    metrics: Mapping[str, Metric],
    knowledge: Mapping[str, Any],
    level: float,
    captions: Sequence[str],
) -> Scores:
    """The corpus's values, intervals and signatures from the sums of all parts.

    `captions` are some of it, by which signatures tell its languages and markup.
    """
    texts = Corpus.from_lists(captions)
    corpus = corpus_like(totals)
    found = {}
    for name, metric in metrics.items():
        known = knowledge.get(name)
        if not metric.corpus_wide:
            known = metric.merge(totals.collected.get(name, []) or [None])
        found[name] = MetricScores(
            name=name,
            signature=metric.signature(corpus, known, texts),
            values=np.zeros(0),
            statistics=np.zeros((0, 0)),
            systems={system: corpus_score(metric, own[name], level) for system, own in totals.sums.items()},
            metric=metric,
            percent=metric.percent,
            title=metric.title,
            notes=tuple(metric.notes(corpus, known)),
            unscored=metric.unscored(known),
        )
    return Scores(corpus.select([]), found, level, NAME)


def corpus_score(metric: Metric, sums: Sums, level: float) -> CorpusScore:
    """A system's value and its interval from summed statistics."""
    value = float(metric.corpus_score(sums.total))
    if not len(sums.drawn):
        return CorpusScore(value, None, None, sums.scored)
    interval = percentile_interval(metric.corpus_score(sums.drawn), value, level)
    return CorpusScore(value, interval.low, interval.high, sums.scored)


def corpus_like(totals: Totals) -> Corpus:
    """Two captions with as few and as many references as any, for the corpus facts of a signature."""
    counts = totals.references or (0, 0)
    systems = list(totals.sums)
    references = [["reference"] * count for count in counts] * len(systems)
    return Corpus.from_lists(
        ["caption"] * len(references),
        references if counts[1] else None,
        systems=[system for system in systems for _ in counts],
    )
