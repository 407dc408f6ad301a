"""Tables of an agreement report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from captious.stats.agreement import coefficient_named
from captious.stats.estimate import Estimate
from captious.tables import Cell, Table

if TYPE_CHECKING:
    from captious.benchmarks.rater_agreement.report import AgreementReport


def tables(report: AgreementReport) -> list[Table]:
    """Coefficients first, then what there is of pairs, raters, virtual raters and stages."""
    found = [_coefficients(report)]
    if report.pairs:
        found.append(_pairs(report))
    if report.left_out:
        found.append(_left_out(report))
    if report.virtual:
        found.append(_virtual(report))
    if report.stages:
        found.append(_stages(report))
    return found


def _ends(estimate: Estimate) -> list[Cell]:
    return [estimate.value, estimate.low, estimate.high]


def _coefficients(report: AgreementReport) -> Table:
    rows: list[list[Cell]] = [
        [coefficient_named(name).title, *_ends(value), value.n_items, value.reason]
        for name, value in report.coefficients.items()
    ]
    halves = report.halves
    rows.append(
        ["split-half reliability", halves.reliability, halves.low, halves.high, report.items, halves.reason]
    )
    level = next(iter(report.coefficients.values())).level
    who = f"{len(report.raters)} raters"
    if report.stages:  # each of them a column in each stage
        who = f"{len(report.stage_raters)} raters in {len(report.stage_names)} stages"
    title = f"{report.aspect}: {report.ratings:,} ratings of {report.items:,} items, {who}"
    header = ["coefficient", "value", f"low {level:.0%}", f"high {level:.0%}", "items", "note"]
    return Table(title, header, rows, "\n".join(report.notes))


def _pairs(report: AgreementReport) -> Table:
    rows: list[list[Cell]] = [
        [f"{pair.a} - {pair.b}", pair.items, pair.percent, pair.kappa, pair.kappa_quadratic]
        for pair in report.pairs
    ]
    return Table("pairs", ["raters", "items", "per cent", "Cohen's kappa", "quadratic"], rows)


def _left_out(report: AgreementReport) -> Table:
    rows: list[list[Cell]] = [
        [name, *_ends(rater.alpha_without), rater.tau_b, rater.pearson, rater.n_items]
        for name, rater in report.left_out.items()
    ]
    header = ["left out", "alpha of the rest", "low", "high", "tau-b with them", "r", "items"]
    both = "over both stages, each a column; " if report.stages else ""
    return Table(f"leave one rater out ({both}alpha interval)", header, rows)


def _virtual(report: AgreementReport) -> Table:
    virtual = report.virtual
    if virtual is None:
        return Table("", [], [])
    labels = [f"tau-c, rater {place} of {len(virtual.tau)}" for place in range(1, len(virtual.tau) + 1)]
    values = [*virtual.tau, virtual.w, virtual.kappa, virtual.kappa_merged]
    labels += ["Kendall's W", "Fleiss' kappa", "Fleiss' kappa, merged"]
    rows: list[list[Cell]] = [
        [label, value.mean, value.sd] for label, value in zip(labels, values, strict=True)
    ]
    title = f"virtual raters, {virtual.runs} runs, {virtual.n_items:,} items"
    return Table(title, ["virtual raters", "mean", "SD over runs"], rows)


def _stages(report: AgreementReport) -> Table:
    stages = report.stages
    if stages is None:
        return Table("", [], [])
    first, second = (name or "no stage" for name in report.stage_names)
    rows: list[list[Cell]] = [
        [f"stage {first}", *_ends(stages.alpha_first), ""],
        [f"stage {second}", *_ends(stages.alpha_second), ""],
        ["both stages", *_ends(stages.alpha_both), stages.tau_b],
    ]
    rows += [
        [f"{name}, first with second", *_ends(retest.alpha), retest.tau_b]
        for name, retest in zip(report.stage_raters, stages.raters, strict=False)
        if all(f"{name} ({stage})" in report.raters for stage in (first, second))
    ]
    rows += [
        [f"all but {name}, both stages", *_ends(estimate), ""]
        for name, estimate in zip(report.stage_raters, stages.without, strict=False)
    ]
    return Table("stages", ["test-retest", "alpha interval", "low", "high", "tau-b"], rows)
