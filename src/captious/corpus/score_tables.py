"""Score and comparison tables as papers lay them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from captious.corpus.paper import Spread, number_of, spread_words, systems_by_metrics, unseparated
from captious.corpus.scores import BOOTSTRAP, Scores
from captious.corpus.significance import Comparison, MetricComparison, Pair
from captious.tables import Cell, Number, Table, p_value, scaled, with_interval

_SHOWN = 20  # lines of images without a score


def score_table(scores: Scores, level: float, *, turn: bool = True, spread: Spread = "interval") -> Table:
    """Systems by metrics; with `turn` metrics as rows where there is one system."""
    systems = list(next(iter(scores.metrics.values())).systems)
    if len(systems) == 1 and turn:
        return _one_system(scores, systems[0], level)
    columns = [
        {system: number_of(one, value, spread) for system, value in one.systems.items()}
        for one in scores.metrics.values()
    ]
    words = spread_words(scores, spread, level)
    signatures = (scores[name].signature for name in scores)
    return systems_by_metrics(
        scores, columns, "\n".join([*filter(None, [words]), *_said(scores), *signatures])
    )


def score_rows(scores: Scores, payload: Mapping[str, Any] | None = None) -> Table:
    """A row for each system and metric, for programs that read CSV; with the payload of a paper, `p`."""
    systems = payload["systems"] if payload and payload.get("baseline") else {}
    rows: list[list[Cell]] = []
    for name in scores:
        for system, value in scores[name].systems.items():
            low, high = ("" if end is None else repr(end) for end in (value.low, value.high))
            score = repr(value.score)
            tested = [repr(p) if (p := systems[system][name].get("p")) is not None else ""] if systems else []
            rows.append([system, name, score, low, high, value.n, scores[name].signature, *tested])
    header = ["system", "metric", "score", "low", "high", "n", "signature"]
    return Table("", [*header, "p"] if systems else header, rows)


def unscored_lines(scores: Scores) -> list[str]:
    """Images that have no score, a line each; of many the first, and where the rest are listed."""
    reasons = dict.fromkeys(why for name in scores for why in scores[name].unscored.values())
    lines = [f"not scored: {why}" for why in list(reasons)[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"{len(reasons) - _SHOWN:,} more images are not scored; the JSON form lists them all.")
    return lines


def worst_table(scores: Scores, most: int) -> Table:
    """The captions with the lowest scores by the first metric, and what metrics find wrong in them."""
    corpus = scores.corpus
    name, *others = scores
    values = scores[name].values if scores[name].metric.higher_is_better else -scores[name].values
    order = [row for row in np.argsort(values, kind="stable").tolist() if not np.isnan(values[row])]
    reasons = _reasons(scores)
    rows: list[list[Cell]] = []
    for row in order[:most]:
        one = corpus.example(row)
        where = [one.context] if corpus.contexts is not None else []
        numbers = [
            Number(v := float(scores[n].values[row]), scaled(v, scores[n].percent)) for n in (name, *others)
        ]
        rows.append([one.image_id, *where, one.system, one.caption, *numbers, reasons.get(row, "")])
    placed = ["context"] if corpus.contexts is not None else []
    header = ["image", *placed, "system", "caption", *scores, "why"]
    return Table(f"worst by {name}", header, rows)


def _reasons(scores: Scores) -> dict[int, str]:
    """For each row what the metrics note of its caption."""
    if scores.found is None:
        return {}
    found = scores.found
    notes: dict[tuple[str, str, str], list[str]] = {}
    for at, example in enumerate(found.example_of.tolist()):
        key = (*found.keys[example], found.captions[example])
        notes.setdefault(key, []).append(found.notes[at] or found.kinds[at])
    return {
        row: "; ".join(dict.fromkeys(notes[key]))
        for row, one in enumerate(scores.corpus)
        if (key := (one.image_id, one.system, one.caption)) in notes
    }


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
        tables.append(_pairs(comparison, [metric]))
    return tables


def paper_tables(comparison: Comparison, baseline: str = "", spread: Spread = "interval") -> list[Table]:
    """For a paper: systems x metrics, then all pairs of all metrics."""
    pairs = _pairs(comparison, list(comparison.metrics.values()))
    return [*comparison.paper(baseline, spread=spread).tables(), pairs]


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


def _ranking(comparison: Comparison, name: str, metric: MetricComparison) -> Table:
    scores = comparison.scores[name]
    best = unseparated(metric, 1 - comparison.level)
    rows: list[list[Cell]] = [
        [
            metric.clusters[system],
            system,
            number_of(scores, scores.systems[system], "interval")._replace(best=system in best),
        ]
        for system in metric.ranking
    ]
    note = "\n".join([*scores.notes, metric.signature])
    return Table("", ["cluster", "system", name], rows, note, {name: scores.printed})


def _pairs(comparison: Comparison, metrics: Sequence[MetricComparison]) -> Table:
    """All pairs of systems with their tests; of several metrics, each row names its own."""
    header = ["pair", "difference", "p bootstrap", "p random.", "p Holm", "wins", "ties", "losses"]
    rows: list[list[Cell]] = [
        [
            metric.name,
            f"{pair.a} - {pair.b}",
            with_interval(pair.difference, pair.low, pair.high, percent=metric.percent),
            p_value(pair.p_bootstrap),
            p_value(pair.p_randomisation),
            p_value(pair.p_holm),
            pair.wins,
            pair.ties,
            pair.losses,
        ]
        for metric in metrics
        for pair in metric.pairs
    ]
    several = len(metrics) > 1
    drawn = comparison.scores.drawn
    how = "" if drawn == BOOTSTRAP else f" ({drawn})"
    draws = f"{comparison.resamples:,} resamples{how}, {comparison.trials:,} trials"
    return Table(
        "",
        ["metric", *header] if several else header,
        rows if several else [row[1:] for row in rows],
        f"{draws}, seed {comparison.seed}; wins count images",
        _printed(comparison.scores),
    )
