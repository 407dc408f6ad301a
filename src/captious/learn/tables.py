"""The tables of a training run, for the terminal and for the card alike."""

from __future__ import annotations

from collections.abc import Iterator

from captious.learn.evaluate import EACH, Figures
from captious.learn.report import Report
from captious.stats.resample import Interval
from captious.tables import Cell, Number, Table, number

TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall_b": "tau-b",
    "kendall_c": "tau-c",
    EACH: "tau-c, each rating",
}


def data_table(report: Report) -> Table:
    """Ratings, captions and images of each data set and part."""
    rows: list[list[Cell]] = []
    for place, one in enumerate(report.data.sets):
        counts = report.counts(place)
        parts = [counts[f"{part}_{what}"] for what in ("captions", "images") for part in report.split._fields]
        rows.append([one.name, one.aspect, len(one.values), *parts])
    header = ["data set", "aspect", "ratings", "captions: train", "validation", "test"]
    return Table("", [*header, "images: train", "validation", "test"], rows)


def figure_tables(report: Report) -> Iterator[Table]:
    """Correlations with the judgments on the test part of each set."""
    for one in report.data.sets:
        own = [row for row in report.figures if row.set_name == one.name]
        if not own:
            continue
        names = list(own[0].values)
        best = {name: max(row.values[name].value for row in own) for name in names}
        rows: list[list[Cell]] = [
            [row.metric, *(_cell(row.values[n], best[n]) for n in names)] for row in own
        ]
        title = (
            f"{one.name}: {own[0].n:,} test captions, {report.settings.confidence:.0%} intervals over images"
        )
        yield Table(title, ["metric", *(TITLES[name] for name in names)], rows)


def layout_of_table_11(report: Report) -> Table:
    """A row a metric, a column a data set or pool: the main coefficient (VCRScore, Table 11)."""
    sets = list(dict.fromkeys(one.set_name for one in report.figures))
    values: dict[str, dict[str, Figures]] = {}
    for one in report.figures:
        values.setdefault(one.metric, {})[one.set_name] = one
    main = report.settings.main
    best = {s: max(own[s].values[main].value for own in values.values() if s in own) for s in sets}
    # The trained metric last, as the paper prints it.
    order = sorted(values, key=lambda name: name == report.settings.name)
    rows = [
        [name, *(_cell(values[name][s].values[main], best[s]) if s in values[name] else "" for s in sets)]
        for name in order
    ]
    return Table(
        f"{TITLES[main]} correlation with the human evaluation on the test parts", ["metric", *sets], rows
    )


def comparison_table(report: Report) -> Table:
    """The trained metric against each feature alone."""
    rows: list[list[Cell]] = [
        [
            one.feature,
            one.set_name,
            number(one.learned),
            number(one.alone),
            number(one.p_permutation, 4),
            Number(one.p_williams, f"{one.p_williams:.2g}"),
        ]
        for one in report.comparisons
    ]
    name, main = report.settings.name, TITLES[report.settings.main]
    header = ["against", "on", f"{main} of {name}", "alone", "p (permutation)", "p (Williams)"]
    return Table(f"{name} against each feature alone", header, rows)


def importance_table(report: Report) -> Table:
    """How much the main coefficient falls without each feature's information."""
    ordered = sorted(report.importance.items(), key=lambda item: -item[1])
    title = f"Importance: decrease of the test {TITLES[report.settings.main]} when a feature is shuffled"
    return Table(title, ["feature", "fall"], [[name, number(value, 4)] for name, value in ordered])


def curve_table(report: Report) -> Table:
    """The main coefficient with more and more training images."""
    main = TITLES[report.settings.main]
    rows: list[list[Cell]] = [[point.images, point.rows, number(point.value)] for point in report.curve]
    return Table("Learning curve", ["training images", "captions", f"test {main}"], rows)


def calibration_table(report: Report) -> Table:
    """Mean prediction and mean rating in bins."""
    found = report.calibration
    rows: list[list[Cell]] = [
        [number(predicted, 2), number(human, 2), count]
        for predicted, human, count in zip(found.predicted, found.human, found.counts, strict=True)
    ]
    note = (
        f"rating = {report.line[1]:.3f} + {report.line[0]:.3f} x prediction. Root mean squared error on the "
        f"test part: {found.rmse:.3f}; of always predicting the mean: {found.rmse_of_mean:.3f}."
    )
    return Table("Calibration on the test part", ["predicted", "human", "captions"], rows, note)


def _cell(value: Interval, best: float) -> Number:
    shown = number(value.value)
    detail = f"({value.low:.3f} to {value.high:.3f})" if value.low == value.low else ""
    return Number(value.value, shown.text, detail, best=value.value == best)
