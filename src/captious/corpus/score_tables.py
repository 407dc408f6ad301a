"""Score and comparison tables as papers lay them out."""

from __future__ import annotations

from captious.corpus.scores import BOOTSTRAP, MetricScores, Scores
from captious.corpus.significance import Comparison, MetricComparison, Pair
from captious.tables import Cell, Number, Table, p_value, scaled, with_interval

_SHOWN = 20  # lines of images without a score


def score_table(scores: Scores, level: float) -> Table:
    """Metrics as rows for one system; systems by metrics for several."""
    systems = list(next(iter(scores.metrics.values())).systems)
    if len(systems) == 1:
        return _one_system(scores, systems[0], level)
    rows: list[list[Cell]] = [
        [system, *(_number(scores[name], system, best=True) for name in scores)] for system in systems
    ]
    return Table("", ["system", *scores], rows, "\n".join(_notes(scores, level)), _printed(scores))


def score_rows(scores: Scores) -> Table:
    """A row for each system and metric, for programs that read CSV."""
    rows: list[list[Cell]] = []
    for name in scores:
        for system, value in scores[name].systems.items():
            low, high = ("" if end is None else repr(end) for end in (value.low, value.high))
            score = repr(value.score)
            rows.append([system, name, score, low, high, value.n, scores[name].signature])
    return Table("", ["system", "metric", "score", "low", "high", "n", "signature"], rows)


def unscored_lines(scores: Scores) -> list[str]:
    """Images that have no score, a line each; of many the first, and where the rest are listed."""
    reasons = dict.fromkeys(why for name in scores for why in scores[name].unscored.values())
    lines = [f"not scored: {why}" for why in list(reasons)[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"{len(reasons) - _SHOWN:,} more images are not scored; the JSON form lists them all.")
    return lines


def compare_rows(comparison: Comparison) -> Table:
    """A row for each metric and pair, for programs that read CSV."""
    rows: list[list[Cell]] = [
        [name, *(repr(cell) if isinstance(cell, float) else cell for cell in pair)]
        for name, metric in comparison.metrics.items()
        for pair in metric.pairs
    ]
    return Table("", ["metric", *Pair._fields], rows)


def compare_tables(comparison: Comparison) -> list[Table]:
    """For each metric a ranking with clusters and all pairs with their tests."""
    tables = []
    for name, metric in comparison.metrics.items():
        tables.append(_ranking(comparison, name, metric))
        tables.append(_pairs(comparison, metric))
    return tables


def _one_system(scores: Scores, system: str, level: float) -> Table:
    rows: list[list[Cell]] = []
    for name in scores:
        value = scores[name].systems[system]
        percent = scores[name].percent
        row: list[Cell] = [name, Number(value.score, scaled(value.score, percent))]
        if value.low is not None and value.high is not None:
            row += [
                Number(value.low, scaled(value.low, percent)),
                Number(value.high, scaled(value.high, percent)),
            ]
        rows.append([*row, value.n, scores[name].signature])
    interval = [f"low {level:.0%}", f"high {level:.0%}"] if len(rows[0]) > 4 else []
    header = ["metric", "score", *interval, "n", "signature"]
    drawn = [f"[{level:.0%} interval: {scores.drawn}]"] if interval and scores.drawn != BOOTSTRAP else []
    return Table(system, header, rows, "\n".join([*drawn, *_said(scores)]), _printed(scores))


def _said(scores: Scores) -> list[str]:
    """What the metrics note beside their numbers, each line once."""
    return list(dict.fromkeys(line for name in scores for line in scores[name].notes))


def _printed(scores: Scores) -> dict[str, str]:
    return {name: scores[name].printed for name in scores}


def _number(metric: MetricScores, system: str, *, best: bool) -> Number:
    value = metric.systems[system]
    text = scaled(value.score, metric.percent)
    texts = [scaled(other.score, metric.percent) for other in metric.systems.values()]
    top = max(metric.systems.values(), key=lambda other: other.score)
    detail = ""
    if value.low is not None and value.high is not None:
        low, high = scaled(value.low, metric.percent), scaled(value.high, metric.percent)
        detail = f"[{low}, {high}]"
    is_best = best and text == scaled(top.score, metric.percent) and len(set(texts)) > 1
    return Number(value.score, text, detail, is_best)


def _notes(scores: Scores, level: float) -> list[str]:
    first = next(iter(scores.metrics.values()))
    any_system = next(iter(first.systems.values()))
    lines = []
    if any_system.low is not None:
        lines.append(f"[{level:.0%} interval: {scores.drawn}]")
    return [*lines, *_said(scores), *(scores[name].signature for name in scores)]


def _ranking(comparison: Comparison, name: str, metric: MetricComparison) -> Table:
    scores = comparison.scores[name]
    rows: list[list[Cell]] = [
        [metric.clusters[system], system, _number(scores, system, best=True)] for system in metric.ranking
    ]
    note = "\n".join([*scores.notes, metric.signature])
    return Table("", ["cluster", "system", name], rows, note, {name: scores.printed})


def _pairs(comparison: Comparison, metric: MetricComparison) -> Table:
    rows: list[list[Cell]] = []
    for pair in metric.pairs:
        rows.append(
            [
                f"{pair.a} - {pair.b}",
                with_interval(pair.difference, pair.low, pair.high, percent=metric.percent),
                p_value(pair.p_bootstrap),
                p_value(pair.p_randomisation),
                p_value(pair.p_holm),
                pair.wins,
                pair.ties,
                pair.losses,
            ]
        )
    header = ["pair", "difference", "p bootstrap", "p random.", "p Holm", "wins", "ties", "losses"]
    drawn = comparison.scores.drawn
    how = "" if drawn == BOOTSTRAP else f" ({drawn})"
    draws = f"{comparison.resamples:,} resamples{how}, {comparison.trials:,} trials"
    return Table("", header, rows, f"{draws}, seed {comparison.seed}; wins count images")
