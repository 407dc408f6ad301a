"""Human means, differences and correlations from few ratings and a metric's scores of every caption."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from captious.arguments import check_arguments
from captious.benchmarks.meta_evaluation.score_files import read_scores
from captious.benchmarks.protocol import Protocol, RatedExamples
from captious.benchmarks.rater_agreement.report import one_aspect
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.benchmarks.selection.seen_images import without_seen_images
from captious.corpus import Corpus, Judgments
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.given import Given
from captious.corpus.judged import load_judgments
from captious.corpus.load import load_corpus
from captious.engine import Progress
from captious.errors import CaptiousWarning, InputError, StatisticsError, one_line
from captious.groups import expand, usual
from captious.metrics import Asked
from captious.metrics.registry import listed
from captious.stats.prediction_powered import (
    FEWEST,
    NormalInterval,
    PoweredEstimate,
    cross_fitted,
    powered_correlation,
    powered_difference,
    powered_mean,
)
from captious.stats.resample import DEFAULT_SEED
from captious.tables import Cell, Number, Shown, Table, number

if TYPE_CHECKING:
    import pandas as pd

POPULATION = Protocol("captions", documents="images", source="captions of which some are rated")
ALL = "all metrics"
FEWEST_PAIRS = 5  # ratings of which a correlation says anything


class _Row(NamedTuple):
    """One estimate: of which systems, with which metric beside the ratings."""

    systems: tuple[str, ...]
    metric: str
    found: PoweredEstimate


@dataclass(frozen=True, repr=False)
class FewRatings(Shown):
    """What few ratings say of each system, alone and with metrics beside them.

    `means`, `differences` and `correlations` are rows of systems, a metric and a
    `captious.stats.PoweredEstimate`.
    """

    aspect: str
    level: float
    means: list[_Row]
    differences: list[_Row]
    correlations: list[_Row]
    signatures: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """Means by system, differences between systems, correlations of the metrics."""
        interval = f"{self.level:.0%} intervals over images"
        found = [
            self._table(
                f"Mean {self.aspect}; {interval}",
                ["system", "metric"],
                self.means,
                "\n".join([*self.verdicts(), *self.notes]),
            )
        ]
        if self.differences:
            found.append(
                self._table("Difference, first minus second", ["systems", "metric"], self.differences)
            )
        if self.correlations:
            found.append(self._table("Pearson's r with the ratings", ["system", "metric"], self.correlations))
        return found

    def verdicts(self) -> list[str]:
        """What each metric is worth beside the ratings of a system, in a sentence."""
        said = []
        for metric in dict.fromkeys(row.metric for row in self.means):
            rows = [row for row in self.means if row.metric == metric]
            helpful = [row for row in rows if row.found.helps]
            if not helpful:
                said.append(f"{metric} does not help: rate as many captions as without it.")
                continue
            parts = [
                f"{row.found.n_rated - row.found.ratings_saved} ratings of {row.systems[0]} instead of "
                f"{row.found.n_rated}"
                for row in helpful
            ]
            but = "" if len(helpful) == len(rows) else "; no help with the others"
            said.append(f"with {metric}, as precise: {', '.join(parts)}{but}.")
        return said

    def to_pandas(self) -> pd.DataFrame:
        """A row for each system and metric: the means."""
        return self.table().to_pandas().reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        mean: dict[str, Any] = {}
        for (system,), metric, found in self.means:
            own = mean.setdefault(system, {"human": _interval(found.human), "ppi": {}})
            own["ppi"][metric] = _powered(found)
            own |= {"n_rated": found.n_rated, "n": found.n_items}
        return {
            "aspect": self.aspect,
            "level": self.level,
            "mean": mean,
            "differences": [
                {"a": a, "b": b, "metric": metric, "human": _interval(found.human), "ppi": _powered(found)}
                for (a, b), metric, found in self.differences
            ],
            "correlation": [
                {"system": system, "metric": metric, "human": _interval(found.human), "ppi": _powered(found)}
                for (system,), metric, found in self.correlations
            ],
            "signatures": dict(self.signatures),
            "notes": [*self.verdicts(), *self.notes],
        }

    def _table(self, title: str, first: list[str], rows: Sequence[_Row], note: str = "") -> Table:
        columns = [*first, "rated", "captions", "human", "with the metric", "variance ratio"]
        cells: list[list[Cell]] = [
            [
                " - ".join(systems),
                metric,
                found.n_rated,
                found.n_items,
                _number(found.human),
                _number(found.powered),
                found.ratio,
            ]
            for systems, metric, found in rows
        ]
        return Table(title, columns, cells, note)


def estimate(
    judgments: Judgments | Given,
    captions: Corpus | Given | None = None,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    references: Given | None = None,
    scores: Given | None = None,
    aspect: str | None = None,
    unseen: bool = False,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
) -> FewRatings:
    """Estimate what people would say of all captions from those that they rated, with metrics beside them.

    `captions` are all captions of one or several systems, rated or not; where they are left out they are
    those of `scores`, a file or table of scores as `captious score --items` writes it. The rated ones
    must be a random sample of each system's. Each metric is used alone (PPI++) and, if there are several,
    all together (fitted by least squares and cross-fitted by image, of 20 ratings or more). A metric
    that was trained on some of the images is refused; with `unseen` these images are left out.

    >>> captions = {"m2": {n: "A dog." if n % 3 else "A cat." for n in range(30)}}
    >>> rated = [{"image": n, "system": "m2", "rating": 4 if n % 3 else 2} for n in range(0, 30, 2)]
    >>> rated[0]["rating"], rated[1]["rating"] = 3, 3
    >>> table = [{"image": n, "system": "m2", "mine": n % 3} for n in range(30)]
    >>> found = estimate(rated, captions, scores=table)
    >>> round(found.means[0].found.ratio, 2), found.verdicts()
    (0.72, ['with mine, as precise: 11 ratings of m2 instead of 15.'])
    """
    check_arguments(estimate, locals())
    judged = load_judgments(judgments)
    name = one_aspect(judged, aspect)
    if captions is None and scores is None:
        raise InputError(
            "there are only ratings.",
            python="Give captions or scores of every caption, rated or not.",
            command="Give --candidates, or --scores of every caption, rated or not.",
        )
    given = scores if captions is None else captions
    corpus = given if isinstance(given, Corpus) else load_corpus(given, references)
    population = _population(corpus, judged)
    if scores is not None:
        columns = [one for one in listed(metrics or ()) if isinstance(one, str)]
        found = read_scores(scores, population, columns or None)
    else:
        wanted = expand(metrics or usual(corpus), corpus)
        for line in wanted.reasons():
            warnings.warn(line, CaptiousWarning, stacklevel=2)
        population = cast(RatedExamples, without_seen_images(population, wanted.metrics, drop=unseen))
        asked = metrics_for(wanted.metrics, POPULATION.documents)
        found = compute_scores(population, asked, jobs=jobs, progress=progress)
    table = {metric: rows[0] for metric, rows in found.arrays.items()}
    ratings = population.judgments.means(name)
    if np.isnan(ratings).all():
        raise InputError(f"none of the captions has a rating of {name}.")
    return _estimated(population, name, ratings, table, found.signatures, level, seed)


class _System(NamedTuple):
    """A system's captions: their ratings (NaN: none), scores by each metric, and images."""

    name: str
    ratings: FloatArray
    scores: dict[str, FloatArray]
    images: list[int]


def _estimated(
    data: RatedExamples,
    aspect: str,
    ratings: FloatArray,
    table: dict[str, FloatArray],
    signatures: Mapping[str, str],
    level: float,
    seed: int,
) -> FewRatings:
    corpus = data.corpus
    image_of = corpus.image_of
    several = len(table) > 1
    systems = []
    for place, name in enumerate(corpus.systems):
        rows = np.flatnonzero(corpus.system_of == place)
        if np.isnan(ratings[rows]).all():
            continue
        scores = {metric: values[rows] for metric, values in table.items()}
        systems.append(_System(name, ratings[rows], scores, image_of[rows].tolist()))
    means, correlations = [], []
    for own in systems:
        if several and np.count_nonzero(~np.isnan(own.ratings)) >= FEWEST:
            columns = np.stack(list(own.scores.values()), axis=1)
            own.scores[ALL] = cross_fitted(own.ratings, columns, clusters=own.images, seed=seed)
        for metric, values in own.scores.items():
            try:
                found = powered_mean(own.ratings, values, clusters=own.images, level=level)
            except StatisticsError as error:
                raise InputError(f"{own.name}: {error}") from None
            means.append(_Row((own.name,), metric, found))
        correlations += _correlations(own, level, seed)
    differences = [
        _Row((a.name, b.name), metric, _difference(a, b, metric, level))
        for a, b in combinations(systems, 2)
        for metric in a.scores
        if metric in b.scores
    ]
    return FewRatings(
        aspect, level, means, differences, correlations, signatures, (*data.notes, *_cautions(means))
    )


def _difference(a: _System, b: _System, metric: str, level: float) -> PoweredEstimate:
    first, second = (a.ratings, a.scores[metric]), (b.ratings, b.scores[metric])
    return powered_difference(first, second, images=(a.images, b.images), level=level)


def _correlations(own: _System, level: float, seed: int) -> list[_Row]:
    """r of each metric with the ratings; none where the ratings or the scores are all the same."""
    rows = []
    given = {metric: values for metric, values in own.scores.items() if metric != ALL}
    for metric, values in given.items():
        others = [column for name, column in given.items() if name != metric and np.ptp(column)]
        rated = ~np.isnan(own.ratings)
        if rated.sum() < FEWEST_PAIRS or not np.ptp(values[rated]) or not np.ptp(own.ratings[rated]):
            continue
        try:
            found = powered_correlation(
                own.ratings, values, others=others or None, clusters=own.images, level=level, seed=seed
            )
        except StatisticsError:  # the ratings are the scores themselves: there is nothing to estimate
            continue
        rows.append(_Row((own.name,), metric, found))
    return rows


def _cautions(means: Sequence[_Row]) -> list[str]:
    systems = {row.systems[0]: row.found for row in means}
    said = [
        f"{name}: of {found.n_rated} ratings the intervals are somewhat too narrow. Rate at least {FEWEST}."
        for name, found in systems.items()
        if found.n_rated < FEWEST
    ]
    said += [
        f"{name}: all {found.n_items} captions are rated, so that a metric adds nothing."
        for name, found in systems.items()
        if found.n_rated == found.n_items
    ]
    return said


def _population(corpus: Corpus, judged: Judgments) -> RatedExamples:
    """Every caption of the corpus, with the judgments that are of one of them."""
    judged = judged.spelled_like(corpus)
    places: IntArray = judged.places_in(corpus)
    known = places >= 0
    if not known.any():
        image, system = judged.keys[0]
        raise InputError(
            "none of the rated captions is among the captions; the first is of image "
            f'"{one_line(image, 40)}" by system "{one_line(system, 40)}". '
            "Do images and systems have the same names in both?"
        )
    for row in np.flatnonzero(known).tolist():
        said, there = judged.captions[row], corpus.captions[places[row]]
        if said and said.split() != there.split():
            raise InputError(
                f'image "{judged.keys[row][0]}": "{one_line(said, 40)}" was rated, but its caption is '
                f'"{one_line(there, 40)}". Give the captions that were rated.'
            )
    if not known.all():
        said = f"{int((~known).sum()):,} rated captions are not among the captions and are left out."
        warnings.warn(said, CaptiousWarning, stacklevel=3)
        judged, places = judged.select(np.flatnonzero(known)), places[known]
    ids = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    return RatedExamples(POPULATION, corpus, judged.in_order(places, len(corpus)), ids)


def _number(found: NormalInterval) -> Number:
    low, high = number(found.low).text, number(found.high).text
    return number(found.value)._replace(detail=f"[{low}, {high}]")


def _interval(found: NormalInterval) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}


def _powered(found: PoweredEstimate) -> dict[str, float]:
    return {**_interval(found.powered), "ratio": found.ratio, "weight": found.weight}
