"""Every figure of a report, from a study."""

from __future__ import annotations

from dataclasses import dataclass

from captious.charts.render import Figure, listed
from captious.report import charts
from captious.report.correlations import (
    Matrix,
    correlation_matrix,
    intervals_finding,
    intervals_table,
    matrix_finding,
    matrix_table,
    with_judgments,
)
from captious.report.distributions import (
    histograms,
    histograms_finding,
    histograms_table,
    spreads,
    spreads_finding,
    spreads_table,
)
from captious.report.rankings import rankings, rankings_finding, rankings_table
from captious.report.raters import agreements, agreements_finding, agreements_table
from captious.report.study import Study, higher_is_better, shown_score
from captious.report.tables import JudgedMeans, aspect_text, judged_means, system_table
from captious.tables import Table


@dataclass(frozen=True)
class Figures:
    """The figures of each section, and what the page says of them; empty where not applicable."""

    systems: list[Figure]
    correlations: list[Figure]
    distributions: list[Figure]
    rankings: list[Figure]
    raters: list[Figure]
    table: Table
    matrix: Matrix

    @property
    def all(self) -> list[Figure]:
        """Every figure, in the order of the page."""
        return [*self.systems, *self.correlations, *self.rankings, *self.distributions, *self.raters]


def make_figures(study: Study) -> Figures:
    """Compute and draw everything that this study's data allow."""
    matrix = correlation_matrix(study)
    judged = judged_means(study)
    table = system_table(study, judged)
    return Figures(
        systems=[_scores(study, judged, table)],
        correlations=_correlations(study, matrix),
        distributions=_distributions(study, matrix),
        rankings=_rankings(study),
        raters=_raters(study),
        table=table,
        matrix=matrix,
    )


def _scores(study: Study, judged: JudgedMeans, table: Table) -> Figure:
    return Figure(
        key="scores",
        title="Scores of each system",
        how=f"Points are scores, bars their {study.level:.0%} intervals ({study.scores.drawn}). "
        "Each panel has its own scale." + _limit_note(study),
        finding=scores_finding(study),
        table=table,
        wide=charts.scores_chart(study, judged),
        narrow=charts.scores_chart(study, judged, narrow=True),
    )


def scores_finding(study: Study) -> str:
    """Say which system scores best on how many metrics."""
    first: dict[str, list[str]] = {}
    for name, metric in study.scores.metrics.items():
        sign = 1 if higher_is_better(name) else -1
        best = max(metric.systems, key=lambda s: sign * metric.systems[s].score)
        first.setdefault(best, []).append(metric.printed)
    if len(study.systems) == 1:
        shown = [
            f"{metric.printed} {shown_score(metric, metric.systems[study.systems[0]].score)}"
            for metric in study.scores.metrics.values()
        ]
        return f"{study.systems[0]} scores {listed(shown)}."
    leader = max(first, key=lambda s: len(first[s]))
    total = len(study.scores.metrics)
    if len(first[leader]) == total:
        said = f"{leader} scores best on " + ("every metric" if total > 1 else first[leader][0])
    else:
        said = f"{leader} scores best on {len(first[leader])} of {total} metrics"
    if study.judged is not None:
        top, main = study.systems[0], aspect_text(study.judged.main)
        said += (
            f" and has the highest judged {main}"
            if top == leader
            else f"; {top} has the highest judged {main}"
        )
    others = [f" {s} scores best on {listed(names)}." for s, names in first.items() if s != leader]
    return f"{said}.{''.join(others)}"


def _correlations(study: Study, matrix: Matrix) -> list[Figure]:
    found = []
    if len(matrix.columns) > 1:
        found.append(
            Figure(
                key="correlations",
                title="Correlation between metrics and judgments"
                if study.judged
                else "Correlation between metrics",
                how=f"{study.method_name} over all captions. "
                "Blue: positive; orange: negative; stronger colours: stronger correlation.",
                finding=matrix_finding(study, matrix),
                table=matrix_table(study, matrix),
                wide=charts.matrix_chart(matrix),
                narrow=charts.matrix_chart(matrix, narrow=True),
            )
        )
    if study.judged is not None:
        pairs = with_judgments(study, matrix)
        found.append(
            Figure(
                key="metric-judgment",
                title="Each metric against the judgments",
                how=f"{study.method_name} with {study.level:.0%} intervals (bootstrap over images).",
                finding=intervals_finding(study, pairs),
                table=intervals_table(study, pairs),
                wide=charts.judgments_chart(study, pairs),
                narrow=charts.judgments_chart(study, pairs, narrow=True),
            )
        )
    return found


def _distributions(study: Study, matrix: Matrix) -> list[Figure]:
    if study.judged is None:
        return []
    main, found = study.judged.main, []
    own = spreads(study, [column.name for column in matrix.columns if column.is_metric])
    if own:
        found.append(
            Figure(
                key="spreads",
                title="Metric scores against judgments, by system",
                how=f"Share of captions in each tenth of the range. Filled bars: judged "
                f"{aspect_text(main)}; stepped line: the metric. Both are rescaled to 0–1 by "
                "their minimum and maximum." + _limit_note(study),
                finding=spreads_finding(own, main),
                table=spreads_table(own),
                wide=charts.spreads_chart(study, own),
                narrow=charts.spreads_chart(study, own, narrow=True),
            )
        )
    bars = histograms(study)
    if bars:
        found.append(
            Figure(
                key="judgments",
                title="Judgments of each system",
                how="Share of each system's captions by mean judgment, for each aspect." + _limit_note(study),
                finding=histograms_finding(bars, main),
                table=histograms_table(bars),
                wide=charts.histograms_chart(study, bars),
                narrow=charts.histograms_chart(study, bars, narrow=True),
            )
        )
    return found


def _rankings(study: Study) -> list[Figure]:
    if len(study.systems) < 2:
        return []
    found = rankings(study)
    return [
        Figure(
            key="rankings",
            title="How each metric ranks the systems",
            how="Rank 1 is best; systems without a significant difference share a rank. "
            f"Sorted by agreement with the ranking by {found.judges[0]} (Kendall's tau-b of the ranks)."
            + _limit_note(study),
            finding=rankings_finding(found),
            table=rankings_table(found),
            wide=charts.rankings_chart(study, found),
            narrow=charts.rankings_chart(study, found, narrow=True),
        )
    ]


def _raters(study: Study) -> list[Figure]:
    found = agreements(study)
    if not found or study.judged is None:
        return []
    stage = f' Ratings of stage "{study.judged.stage}" only.' if study.judged.stage else ""
    return [
        Figure(
            key="agreement",
            title="Agreement between raters",
            how=f"{len(study.judged.raters)} raters; {study.level:.0%} intervals, bootstrap over "
            f"images. 1 is perfect agreement; for kappa and alpha, 0 is chance level."
            f"{stage}",
            finding=agreements_finding(found),
            table=agreements_table(found, study.level),
            wide=charts.agreements_chart(found),
            narrow=charts.agreements_chart(found, narrow=True),
        )
    ]


def _limit_note(study: Study) -> str:
    left_out = len(study.systems) - len(study.charted_systems)
    if not left_out:
        return ""
    return f" The chart shows the first {len(study.charted_systems)} of {len(study.systems)} systems."
