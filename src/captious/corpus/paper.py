"""The table of a paper: systems x metrics, tested against a baseline, with its caption and BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from captious.corpus.scores import CorpusScore, MetricScores, Scores
from captious.corpus.significance import Comparison, MetricComparison
from captious.errors import UnknownNameError
from captious.stats.multiple import holm
from captious.tables import Cell, Number, Shown, Table, scaled

Spread = Literal["interval", "error", "none"]
SPREADS = ("interval", "error", "none")
BETTER, WORSE = "†", "‡"
BIBLIOGRAPHY = Path(__file__).parents[1] / "data" / "metrics.bib"
_ENTRY = re.compile(
    r"^@\w+\{(?P<key>[^,]+),\n  cited = \{(?P<cited>[^}]+)\},\n(?P<rest>.*?)^\}$", re.M | re.S
)


@dataclass(frozen=True, repr=False)
class PaperTable(Shown):
    """Systems x metrics. A mark tells that a system is significantly better or worse than the baseline.

    The p-values are those of approximate randomisation over images, corrected for the other systems under
    each metric (Holm 1979). Bold are the best system and those that are not separated from it, unless
    that is all of them. `spread` is `interval`, `error` (standard error, of the same resamples) or `none`.

    >>> import captious
    >>> references = [[f"a man rides horse number {i}"] for i in range(40)]
    >>> captions = {"m1": ["a horse"] * 40, "m2": [f"a man rides horse {i}" for i in range(40)]}
    >>> scores = captious.score(captions, ["rouge_l"], references=references)
    >>> print(scores.paper("m1", spread="none", trials=1000).table().rows[1][1].mark)
    †
    """

    comparison: Comparison
    baseline: str = ""
    spread: Spread = "interval"

    def __post_init__(self) -> None:
        if self.spread not in SPREADS:
            raise UnknownNameError("spread", self.spread, SPREADS)
        if self.baseline and self.baseline not in self.comparison.scores.corpus.systems:
            raise UnknownNameError("system", self.baseline, self.comparison.scores.corpus.systems)

    def tables(self) -> list[Table]:
        """The one table; its note is the sentence for the caption, then the signatures."""
        scores = self.comparison.scores
        columns = [_column(scores[name], self.spread) for name in scores]
        for name, column in zip(scores, columns, strict=True):
            metric = self.comparison.metrics[name]
            p_values = self.p_values(name)
            best = unseparated(metric, 1 - self.comparison.level)
            for system, cell in column.items():
                mark = ""
                if p_values.get(system, 1.0) <= 1 - self.comparison.level:
                    mark = BETTER if _beats(metric, system, self.baseline) else WORSE
                column[system] = cell._replace(mark=mark, best=system in best)
        note = "\n".join([self.caption(), *(scores[name].signature for name in scores)])
        return [systems_by_metrics(scores, columns, note)]

    def p_values(self, name: str) -> dict[str, float]:
        """The corrected p-value of each other system against the baseline, under one metric."""
        pairs = [pair for pair in self.comparison.metrics[name].pairs if self.baseline in (pair.a, pair.b)]
        corrected = holm([pair.p_randomisation for pair in pairs]).tolist() if pairs else []
        return {
            (pair.b if pair.a == self.baseline else pair.a): p
            for pair, p in zip(pairs, corrected, strict=True)
        }

    def caption(self) -> str:
        """The sentences that belong below the table in a paper."""
        found, scores = self.comparison, self.comparison.scores
        images = len(set(scores.corpus.image_of.tolist()))
        alpha = f"{1 - found.level:.2g}"
        others = len(scores.corpus.systems) - 1
        lines = []
        if self.baseline:
            family = f" after Holm's correction over {others} systems under each metric" if others > 1 else ""
            lines.append(
                f"{BETTER} ({WORSE}): significantly better (worse) than {self.baseline}, p <= {alpha}"
                f"{family}, by paired approximate randomisation over {images:,} images "
                f"({found.trials:,} trials)."
            )
        lines.append("Bold: the best system and those not significantly different from it.")
        lines += [text] if (text := spread_words(scores, self.spread, found.level, found.resamples)) else []
        return " ".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the scores, with standard errors and `p`, corrected, against the baseline."""
        scores = self.comparison.scores
        found = scores.to_dict()
        for name in scores:
            for system, value in scores[name].systems.items():
                found["systems"][system][name] |= {"error": value.error} if value.error is not None else {}
        for name in self.comparison.scores if self.baseline else ():
            for system, p in self.p_values(name).items():
                found["systems"][system][name] |= {"p": p}
        return found | {"baseline": self.baseline, "caption": self.caption()}


def systems_by_metrics(scores: Scores, columns: list[dict[str, Number]], note: str) -> Table:
    """A row for each system, a column for each metric."""
    rows: list[list[Cell]] = [
        [system, *(column[system] for column in columns)] for system in next(iter(columns))
    ]
    return Table("", ["system", *scores], rows, note, {name: scores[name].printed for name in scores})


def unseparated(metric: MetricComparison, alpha: float) -> set[str]:
    """The best system and those that no test separates from it; none where that is all of them."""
    first, *others = metric.ranking
    apart = {
        pair.b if pair.a == first else pair.a
        for pair in metric.pairs
        if pair.p_holm <= alpha and first in (pair.a, pair.b)
    }
    return {first, *(set(others) - apart)} if apart else set()


def spread_words(scores: Scores, spread: Spread, level: float, resamples: int = 0) -> str:
    """What stands beside the values, in words; empty where nothing does."""
    known = any(value.low is not None for name in scores for value in scores[name].systems.values())
    if spread == "none" or not known:
        return ""
    how = f"{scores.drawn}, {resamples:,} resamples" if resamples else scores.drawn
    return f"[{level:.0%} interval: {how}]" if spread == "interval" else f"± standard error: {how}"


def number_of(metric: MetricScores, value: CorpusScore, spread: Spread) -> Number:
    """A system's value with its interval or its standard error."""
    detail = ""
    if spread == "interval" and value.low is not None and value.high is not None:
        detail = f"[{scaled(value.low, metric.percent)}, {scaled(value.high, metric.percent)}]"
    if spread == "error" and value.error is not None:
        detail = f"± {scaled(value.error, metric.percent)}"
    return Number(value.score, scaled(value.score, metric.percent), detail)


def _column(metric: MetricScores, spread: Spread) -> dict[str, Number]:
    return {system: number_of(metric, value, spread) for system, value in metric.systems.items()}


def _beats(metric: MetricComparison, a: str, b: str) -> bool:
    return metric.ranking.index(a) < metric.ranking.index(b)


def bibtex(scores: Scores) -> str:
    """The BibTeX of every metric of the scores, each paper once; a metric without one is named.

    >>> import captious
    >>> print(bibtex(captious.score(["a bus"], ["bleu1", "bleu4"], references=[["a bus"]])).partition(",")[0])
    @inproceedings{papineni2002bleu
    """
    wanted: dict[str, None] = {}
    for name in scores:
        citation = getattr(scores[name].metric, "citation", "")
        missing = f"% {name}: {citation or 'declares no citation'}"
        wanted |= dict.fromkeys(papers(citation) or [missing])
    return "\n".join(wanted) + "\n"


def papers(citation: str) -> list[str]:
    """The BibTeX entries of what a metric cites, such as `Ruiz et al. 2024; Schall et al. 2024`."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    parts = [part.strip() for part in citation.split(";")]
    return [
        found[0].replace(f"  cited = {{{found['cited']}}},\n", "")
        for found in _ENTRY.finditer(text)
        if any(part.startswith(found["cited"]) for part in parts)
    ]
