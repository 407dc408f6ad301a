"""Agreement of the raters by aspect, with intervals from `captious.stats`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from captious.report.study import Study, number_text
from captious.report.tables import aspect_text, interval_text
from captious.stats.agreement import percent_agreement
from captious.stats.alpha import krippendorff_alpha
from captious.stats.concordance import kendall_w
from captious.stats.estimate import Estimate
from captious.stats.kappa import fleiss_kappa
from captious.tables import Cell, Number, Table

ALPHA = "ordinal alpha"

COEFFICIENTS: dict[str, Callable[..., Estimate]] = {
    "agreement": percent_agreement,
    "Fleiss' kappa": fleiss_kappa,
    ALPHA: krippendorff_alpha,
    "Kendall's W": kendall_w,
}


class Agreement(NamedTuple):
    """One coefficient of the ratings of one aspect."""

    aspect: str
    coefficient: str
    estimate: Estimate


def agreements(study: Study) -> list[Agreement]:
    """Every coefficient of every aspect that two raters or more judged."""
    if study.judged is None or not study.judged.several_raters:
        return []
    found = []
    for aspect, matrix in study.judged.ratings.items():
        rows = np.flatnonzero((~np.isnan(matrix)).sum(axis=1) > 1)
        if not len(rows):
            continue
        ratings = matrix[rows]
        ratings = ratings[:, ~np.isnan(ratings).all(axis=0)]
        clusters = study.corpus.image_of[rows].tolist()
        for name, coefficient in COEFFICIENTS.items():
            estimate = coefficient(
                ratings, resamples=study.resamples, clusters=clusters, level=study.level, seed=study.seed
            )
            found.append(Agreement(aspect, name, estimate))
    return found


def agreements_table(found: list[Agreement], level: float) -> Table:
    """Aspects down, coefficients across; says why a value is missing."""
    rows: list[list[Cell]] = []
    reasons: dict[str, str] = {}
    for aspect in dict.fromkeys(one.aspect for one in found):
        own = {one.coefficient: one.estimate for one in found if one.aspect == aspect}
        first = next(iter(own.values()))
        cells: list[Cell] = [aspect_text(aspect), Number(first.n_items, f"{first.n_items:,}")]
        for name, estimate in own.items():
            detail = interval_text(estimate.low, estimate.high, 2)
            cells.append(Number(estimate.value, number_text(estimate.value, 2), detail))
            if estimate.reason:
                reasons[f"{aspect_text(aspect)}, {name}"] = estimate.reason
        rows.append(cells)
    notes = [f"No value for {what}: {reason}." for what, reason in reasons.items()]
    caption = f"Agreement between raters, {level:.0%} intervals over images"
    explained = "Agreement: share of equal pairs of ratings. Alpha: Krippendorff's."
    return Table(caption, ["aspect", "captions", *COEFFICIENTS], rows, "\n".join([explained, *notes]))


def agreements_finding(found: list[Agreement]) -> str:
    """Say on which aspect alpha is highest and lowest."""
    own = [a for a in found if a.coefficient == ALPHA and not np.isnan(a.estimate.value)]
    if not own:
        return "Krippendorff's alpha is not defined for any aspect."
    best = max(own, key=lambda a: a.estimate.value)
    worst = min(own, key=lambda a: a.estimate.value)
    text = (
        f"Raters agree most on {aspect_text(best.aspect)} "
        f"(Krippendorff's alpha {number_text(best.estimate.value, 2)})"
    )
    if worst is best:
        return f"{text}."
    value = number_text(worst.estimate.value, 2)
    return f"{text} and least on {aspect_text(worst.aspect)} ({value})."
