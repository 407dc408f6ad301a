"""Tables of an agreement report, and the two options that need reading."""

from __future__ import annotations

import re

from captious.benchmarks.own_captions import own_captions, without_own_captions
from captious.benchmarks.raters import AgreementReport
from captious.cli.output import Format, note
from captious.corpus import Judgments
from captious.errors import InputError, UnknownNameError, one_line
from captious.stats.estimate import Estimate
from captious.tables import Cell, Table

NAMES = {
    "percent_agreement": "per cent agreement",
    "fleiss_kappa": "Fleiss' kappa",
    "fleiss_kappa_merged": "Fleiss' kappa, merged",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
    "kendall_w": "Kendall's W",
    "icc_single": "ICC(2,1)",
    "icc_average": "ICC(2,k)",
}
OWN = ("keep", "drop")
_NUMBER = r"-?\d+(?:\.\d+)?"
_SCALE = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})")
_MERGE = re.compile(rf"({_NUMBER})=({_NUMBER})")


def scale(text: str) -> tuple[float, float] | None:
    """Read `1-5`.

    >>> scale("1-5")
    (1.0, 5.0)
    """
    if not text:
        return None
    match = _SCALE.fullmatch(text.strip())
    if not match or float(match[1]) >= float(match[2]):
        raise InputError(f'--scale: "{one_line(text, 30)}" is no scale. Write lowest-highest: 1-5.')
    return float(match[1]), float(match[2])


def merged(text: str) -> dict[float, float] | None:
    """Read `4=5`: every 5 counts as a 4.

    >>> merged("4=5")
    {5.0: 4.0}
    """
    found = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _MERGE.fullmatch(part)
        if not match:
            raise InputError(f'--merge: "{one_line(part, 30)}" is no pair. Write 4=5.')
        found[float(match[2])] = float(match[1])
    return found or None


def chosen(judgments: Judgments, own: str) -> Judgments:
    """All judgments, with a note on images beside their own captions, or those without them."""
    if own not in OWN:
        raise UnknownNameError("value of --own", own, OWN)
    count = own_captions(judgments)
    if own == "drop":
        if count == len(judgments.keys):
            raise InputError("--own drop leaves nothing: every caption was written for its image.")
        return without_own_captions(judgments)
    if count:
        note(
            f"{count:,} of {len(judgments.keys):,} items are an image with one of its own captions, on "
            "which raters agree easily; --own drop leaves them out, as published values do."
        )
    return judgments


def tables(report: AgreementReport, form: Format) -> list[Table]:
    """Coefficients first, then what there is of pairs, raters, virtual raters and stages.

    CSV is for programs and holds the coefficients only.
    """
    found = [_coefficients(report)]
    if form is Format.csv:
        return found
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
        [NAMES[name], *_ends(value), value.n_items, value.reason]
        for name, value in report.coefficients.items()
    ]
    halves = report.halves
    rows.append(
        ["split-half reliability", halves.reliability, halves.low, halves.high, report.items, halves.reason]
    )
    level = next(iter(report.coefficients.values())).level
    title = (
        f"{report.aspect}: {report.ratings:,} ratings of {report.items:,} items, {len(report.raters)} raters"
    )
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
    persons = [name.rpartition(" (")[0] for name in report.raters[: len(stages.raters)]]
    rows += [
        [f"{name}, first with second", *_ends(retest.alpha), retest.tau_b]
        for name, retest in zip(persons, stages.raters, strict=False)
    ]
    rows += [
        [f"all but {name}, both stages", *_ends(estimate), ""]
        for name, estimate in zip(persons, stages.without, strict=False)
    ]
    return Table("stages", ["test-retest", "alpha interval", "low", "high", "tau-b"], rows)
