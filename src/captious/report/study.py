"""`Study`: scores and judgments side by side, row by row, for every part of the report."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from captious.corpus import Corpus, Judgments, MetricScores, Scores
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics import find
from captious.stats.correlation import METHODS, Method

DEFAULT_LABEL = "judgments"
# Aspects that already sum up a caption, in order of trust.
SUMMARIES = ("total", "overall")
# THumB 2.2 (Kasai et al. 2022): total = (precision + recall) / 2 + penalties, which are <= 0.
THUMB_SCALES = ("precision", "recall")
THUMB_PENALTIES = ("fluency", "conciseness", "inclusive_language")
TOTAL = "total"
# Charts with a line or a column for each system stay readable up to here; tables hold all.
MOST_SYSTEMS_IN_CHARTS = 10

METHOD_NAMES: dict[Method, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall_b": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c",
    "kendall_weighted": "weighted Kendall's tau",
}


@dataclass(frozen=True, eq=False)
class JudgedAspects:
    """Judgments laid onto a corpus: `means[aspect][i]` and `ratings[aspect][i, rater]`.

    NaN where an example was not judged. `main` is the main aspect.
    """

    label: str
    note: str
    means: dict[str, FloatArray]
    ratings: dict[str, FloatArray]
    raters: list[str]
    main: str
    stage: str
    derived: bool
    count: int

    @property
    def several_raters(self) -> bool:
        """Whether any example was judged by two raters or more."""
        return any(((~np.isnan(m)).sum(axis=1) > 1).any() for m in self.ratings.values())


@dataclass(frozen=True, eq=False)
class Study:
    """What a report is about, and how its statistics are computed."""

    scores: Scores
    judged: JudgedAspects | None
    method: Method = "kendall_b"
    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345

    @property
    def corpus(self) -> Corpus:
        """The captions that were scored."""
        return self.scores.corpus

    @property
    def systems(self) -> list[str]:
        """Systems that have captions, best first by the judgments, else by the first metric."""
        metric = next(iter(self.scores.metrics.values()))
        names = list(metric.systems)
        if self.judged is None:
            sign = 1 if higher_is_better(metric.name) else -1
            return sorted(names, key=lambda s: -sign * metric.systems[s].score)
        means = system_means(self.corpus, self.judged.means[self.judged.main])
        return sorted(names, key=lambda s: -np.nan_to_num(means[s], nan=-np.inf))

    @property
    def charted_systems(self) -> list[str]:
        """The systems that charts show."""
        return self.systems[:MOST_SYSTEMS_IN_CHARTS]

    @property
    def method_name(self) -> str:
        """The usual name of the coefficient."""
        return METHOD_NAMES[self.method]

    def printed(self, name: str) -> str:
        """A metric's name as papers print it."""
        return self.scores[name].printed

    def oriented(self, name: str) -> FloatArray:
        """A metric's scores of every example, turned so that higher is better."""
        values = self.scores[name].values
        return values if higher_is_better(name) else -values


def make_study(
    scores: Scores,
    judgments: Judgments | None = None,
    *,
    label: str = DEFAULT_LABEL,
    note: str = "",
    aspect: str = "",
    method: str = "kendall",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> Study:
    """Lay judgments onto the scored corpus and choose the aspect that sums up a caption."""
    if not scores.metrics:
        raise InputError("the scores contain no metric. Score the corpus with at least one metric.")
    chosen = method_of(method)
    judged = lay(judgments, scores.corpus, label, note, aspect) if judgments is not None else None
    return Study(scores, judged, chosen, level, resamples, seed)


def method_of(name: str) -> Method:
    """The coefficient of a name; `kendall` is tau-b, which is symmetric and corrects for ties.

    >>> method_of("kendall")
    'kendall_b'
    """
    if name == "kendall":
        return "kendall_b"
    for method in METHODS:
        if name == method:
            return method
    raise UnknownNameError("correlation", name, ["kendall", *METHODS])


def higher_is_better(name: str) -> bool:
    """Whether a metric's higher scores are better; metrics that are not registered are."""
    known = find(re.sub(r"\[.*", "", name, flags=re.DOTALL))
    return known.higher_is_better if known else True


def system_means(corpus: Corpus, values: FloatArray) -> dict[str, float]:
    """Mean of a column over each system's examples that have a value; NaN where none has."""
    present = ~np.isnan(values)
    size = len(corpus.systems)
    sums = np.bincount(corpus.system_of[present], values[present], minlength=size)
    counts = np.bincount(corpus.system_of[present], minlength=size)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return dict(zip(corpus.systems, means.tolist(), strict=True))


def lay(judgments: Judgments, corpus: Corpus, label: str, note: str, aspect: str) -> JudgedAspects:
    """Put each judgment beside the example that it judges."""
    places = judgments.spelled_like(corpus).places_in(corpus)
    if not (places >= 0).any():
        image, system = judgments.keys[0] if judgments.keys else ("", "")
        raise InputError(
            f'no judgment matches a caption in the corpus; the first is for image "{image}", '
            f'system "{system}". Use the image ids and system names of the candidates.'
        )
    stage = judgments.stages[0] if len(judgments.stages) > 1 else ""
    means, ratings = {}, {}
    for name in judgments.aspects:
        means[name] = _onto(judgments.means(name), places, len(corpus))
        matrix = judgments.matrix(name, judgments.stages[0])
        ratings[name] = _onto(matrix, places, len(corpus))
    means = {name: column for name, column in means.items() if not np.isnan(column).all()}
    derived = _add_total(means, ratings)
    main = aspect or next((name for name in SUMMARIES if name in means), next(iter(means)))
    if main not in means:
        raise UnknownNameError("aspect", main, means)
    ordered = {main: means[main]} | means
    return JudgedAspects(
        label=label,
        note=note,
        means=ordered,
        ratings={name: ratings[name] for name in ordered},
        raters=judgments.raters,
        main=main,
        stage=stage,
        derived=derived,
        count=int((places >= 0)[judgments.example_of].sum()),
    )


def _onto(values: FloatArray, places: np.ndarray, n: int) -> FloatArray:
    """Values by judged key, moved to the rows of the corpus."""
    laid = np.full((n, *values.shape[1:]), np.nan)
    known = places >= 0
    laid[places[known]] = values[known]
    return laid


def _add_total(means: dict[str, FloatArray], ratings: dict[str, FloatArray]) -> bool:
    """Add THumB's total where its parts are judged and nothing sums them up."""
    if any(name in means for name in SUMMARIES) or not all(n in means for n in THUMB_SCALES):
        return False
    for columns in (means, ratings):
        total = (columns["precision"] + columns["recall"]) / 2
        for penalty in THUMB_PENALTIES:
            if penalty in means:
                total = total + columns[penalty]
        columns[TOTAL] = total
    return True


def shown_score(metric: MetricScores, value: float) -> str:
    """A metric's score as papers print it."""
    return number_text(value * 100, 1) if metric.percent else number_text(value, 3)


def number_text(value: float, digits: int) -> str:
    """A number with fixed digits and a true minus sign; a dash where there is none.

    Halves go away from zero, as in JavaScript's `toFixed`, so that the page and its script agree.

    >>> number_text(-0.126, 2), number_text(float("nan"), 2), number_text(2.125, 2)
    ('−0.13', '–', '2.13')
    """
    if math.isnan(value):
        return "–"
    text = f"{Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")
