"""How each metric ranks the systems, who shares a rank, and how that compares with the judged order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from captious.charts.render import listed
from captious.corpus.columns import FloatArray
from captious.corpus.scores import sums_by_image
from captious.report.study import Study, higher_is_better, number_text, system_means
from captious.report.tables import aspect_text
from captious.stats.multiple import holm, significance_clusters
from captious.stats.ranking import rank_systems, ranking_correlation
from captious.stats.significance import approximate_randomisation
from captious.tables import Cell, Number, Table

TRIALS = 1000
Score = Callable[[FloatArray], FloatArray]


def metric_ranks(study: Study, name: str, systems: list[str], values: list[float]) -> FloatArray | None:
    """Ranks by a metric; members of a significance cluster share the average of theirs."""
    own = study.scores[name]
    sums = sums_by_image(study.corpus, own.statistics)
    return _ranks(study, sums, own.metric.corpus_score, systems, values)


def judged_ranks(
    study: Study, judged: FloatArray, systems: list[str], values: list[float]
) -> FloatArray | None:
    """Ranks by the mean judgment, in the same way."""
    present = ~np.isnan(judged)
    columns = np.stack([np.where(present, judged, 0.0), present.astype(np.float64)], axis=1)
    sums = sums_by_image(study.corpus, columns)
    return _ranks(study, sums, lambda s: s[..., 0] / np.maximum(s[..., 1], 1), systems, values)


def _ranks(
    study: Study, sums: dict[str, FloatArray], score: Score, systems: list[str], values: list[float]
) -> FloatArray | None:
    """Approximate randomisation of every pair over images, corrected by Holm's rule."""
    rows = {s: study.corpus.image_of[study.corpus.rows_of(s)] for s in systems}
    images = [np.unique(own).tolist() for own in rows.values()]
    if not study.resamples or any(own != images[0] for own in images):
        return None
    pairs = list(combinations(range(len(systems)), 2))
    tests = [
        approximate_randomisation(sums[systems[i]], sums[systems[j]], score, TRIALS, study.seed).p_value
        for i, j in pairs
    ]
    matrix = np.ones((len(systems), len(systems)))
    for (i, j), p in zip(pairs, holm(tests).tolist(), strict=True):
        matrix[i, j] = matrix[j, i] = p
    ranks, place = np.empty(len(systems)), 0
    for group in significance_clusters(systems, values, matrix, 1 - study.level).clusters:
        ranks[[systems.index(s) for s in group]] = place + (len(group) + 1) / 2
        place += len(group)
    return ranks


MOST_NAMED = 5  # metrics that a sentence lists by name


@dataclass(frozen=True, eq=False)
class Rankings:
    """Ranks of the systems by the judgments (first, where there are any) and by each metric.

    `ranks[k, s]` is the rank of `systems[s]` by `judges[k]`, 1 the best, ties sharing the average;
    `agreement[k]` is the correlation of that order with the first one.
    """

    judges: list[str]
    systems: list[str]
    ranks: FloatArray
    agreement: FloatArray
    judged: bool


def rankings(study: Study) -> Rankings:
    """Rank the systems by the main aspect and by every metric, nearest to the judgments first."""
    systems = study.systems
    scores = {
        metric.printed: [(1 if higher_is_better(name) else -1) * metric.systems[s].score for s in systems]
        for name, metric in study.scores.metrics.items()
    }
    if study.judged is not None:
        main = study.judged.main
        means = system_means(study.corpus, study.judged.means[main])
        systems = [s for s in systems if not np.isnan(means[s])]
        scores = {name: values[: len(systems)] for name, values in scores.items()}
        scores = {f"judged {aspect_text(main)}": [means[s] for s in systems]} | scores
    judges = list(scores)
    table = np.array([scores[judge] for judge in judges])
    agreement = ranking_correlation(table, table[0], method="kendall_b")
    order = [0, *sorted(range(1, len(judges)), key=lambda k: -np.nan_to_num(agreement[k], nan=-2))]
    tested = [_tested(study, judge, systems, scores[judge]) for judge in judges]
    plain = [rank_systems(row, ties="average") for row in table]
    ranks = np.array([plain[k] if tested[k] is None else tested[k] for k in order])
    return Rankings(
        judges=[judges[k] for k in order],
        systems=systems,
        ranks=ranks,
        agreement=agreement[order],
        judged=study.judged is not None,
    )


def _tested(study: Study, judge: str, systems: list[str], values: list[float]) -> FloatArray | None:
    for name in study.scores:
        if study.printed(name) == judge:
            return metric_ranks(study, name, systems, values)
    if study.judged is None:
        return None
    return judged_ranks(study, study.judged.means[study.judged.main], systems, values)


def rankings_table(found: Rankings) -> Table:
    """Judges down, systems across, and the agreement with the first order."""
    first = found.judges[0]
    rows: list[list[Cell]] = [
        [
            judge,
            *(Number(rank, f"{rank:g}") for rank in ranks),
            "–" if k == 0 else Number(found.agreement[k], number_text(found.agreement[k], 2)),
        ]
        for k, (judge, ranks) in enumerate(zip(found.judges, found.ranks.tolist(), strict=True))
    ]
    header = ["ranked by", *found.systems, f"tau-b with {first}"]
    return Table("Rank of each system (1 is best)", header, rows)


def rankings_finding(found: Rankings) -> str:
    """Say which system leads, and which metrics rank the systems in the same order as the first judge."""
    first = found.judges[0]
    leaders = [
        s for s, rank in zip(found.systems, found.ranks[0], strict=True) if rank == found.ranks[0].min()
    ]
    others = found.judges[1:]
    sentence = f"{leaders[0]} ranks first by {first}."
    if len(leaders) > 1:
        sentence = (
            f"By {first}, {listed(leaders)} share the first rank: their differences are not significant."
        )
    if not others or len(found.systems) < 2:
        return sentence
    same = [k for k in range(1, len(found.judges)) if (found.ranks[k] == found.ranks[0]).all()]
    if len(same) == len(others):
        which = "All metrics rank" if found.judged else "All others rank"
        return f"{sentence} {which} the systems in the same order."
    if not same:
        return f"{sentence} No {'' if found.judged else 'other '}metric ranks the systems in that order."
    names = listed([found.judges[k] for k in same])
    differing = [j for k, j in enumerate(found.judges) if k and k not in same]
    differ = listed(differing) if len(differing) <= MOST_NAMED else f"the other {len(differing)} metrics"
    verb = "ranks" if len(same) == 1 else "rank"
    other = "does" if len(differing) == 1 else "do"
    return f"{sentence} {names} {verb} the systems in the same order; {differ} {other} not."
