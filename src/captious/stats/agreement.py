"""Agreement of raters: percent agreement, every pair of raters, and all coefficients at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError, UnknownNameError
from captious.stats.alpha import SCALES, Scale, krippendorff_alpha
from captious.stats.concordance import kendall_w
from captious.stats.estimate import Clusters, Estimate, estimate, require_clusters, rows_of, undefined
from captious.stats.gamma import gamma_agreement
from captious.stats.icc import icc
from captious.stats.kappa import NO_PAIRS, cohen_kappa, fleiss_kappa, item_agreement
from captious.stats.ratings import Floats, Integers, as_ratings, patterns
from captious.stats.resample import DEFAULT_SEED, Seed
from captious.stats.span_f1 import span_f1
from captious.stats.spans import MarkedText
from captious.stats.unitising import unitising_alpha

PairCoefficient = Literal[
    "percent", "kappa", "kappa_linear", "kappa_quadratic", "tau_b", "tau_c", "pearson", "spearman"
]


class PairwiseAgreement(NamedTuple):
    """A coefficient of each pair of raters (diagonal NaN), the items they share, and the mean."""

    values: Floats
    shared: Integers
    mean: float
    undefined_pairs: int


def percent_agreement(
    ratings: ArrayLike,
    *,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return the share (0 to 1) of agreeing pairs of ratings, averaged over items.

    P = mean_i sum_j n_ij (n_ij - 1) / (n_i (n_i - 1)) over items with at least two ratings: the
    observed agreement of Fleiss (1971). NaN if no item has two ratings.

    >>> round(percent_agreement([[1, 1, 1], [2, 2, 1]]).value, 3)
    0.667
    """
    matrix = as_ratings(ratings)
    require_clusters(clusters, len(matrix))
    kept = np.flatnonzero((~np.isnan(matrix)).sum(axis=1) >= 2)
    if not len(kept):
        return undefined(NO_PAIRS, 0, matrix.shape[1], level)
    data = patterns(matrix[kept])
    agreement, _ = item_agreement(data.counts)
    return estimate(
        lambda weights: weights @ agreement / weights.sum(axis=1),
        data,
        reason=NO_PAIRS,
        resamples=resamples,
        clusters=rows_of(clusters, kept),
        level=level,
        seed=seed,
    )


def pairwise_agreement(ratings: ArrayLike, coefficient: PairCoefficient = "percent") -> PairwiseAgreement:
    """Return a coefficient for every two raters over the items that both rated.

    The mean is over pairs where the coefficient is defined. Cohen's kappas take their categories from
    all raters, so positions on the scale mean the same for each pair.

    >>> pairwise_agreement([[1, 1, 2], [2, 2, 2]]).values[0]
    array([nan, 1. , 0.5])
    """
    matrix = as_ratings(ratings)
    if coefficient not in (*_KAPPA_WEIGHTS, *_correlations(), "percent"):
        names = ", ".join(("percent", *_KAPPA_WEIGHTS, *_correlations()))
        raise StatisticsError(f"coefficient: {coefficient!r} is not one of {names}.")
    n_raters = matrix.shape[1]
    values = np.full((n_raters, n_raters), np.nan)
    shared = np.zeros((n_raters, n_raters), dtype=np.int64)
    of_pair = _pair_coefficient(coefficient, matrix)
    for a in range(n_raters):
        for b in range(a + 1, n_raters):
            both = ~np.isnan(matrix[:, a]) & ~np.isnan(matrix[:, b])
            shared[a, b] = shared[b, a] = int(both.sum())
            if both.any():
                values[a, b] = values[b, a] = of_pair(matrix[both, a], matrix[both, b])
    upper = values[np.triu_indices(n_raters, 1)]
    defined = upper[~np.isnan(upper)]
    mean = float(defined.mean()) if defined.size else float("nan")
    return PairwiseAgreement(values, shared, mean, int(upper.size - defined.size))


def agreement_summary(
    ratings: ArrayLike,
    *,
    merged: Mapping[float, float] | None = None,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> dict[str, Estimate]:
    """Return every coefficient by name, all from the same resamples of items.

    `merged` adds `fleiss_kappa_merged`. Kendall's W and the ICC assume that each column is one rater:
    if the columns are anonymous slots, perhaps sorted, they compare slots, not raters. Fleiss' kappa
    and alpha do not depend on who gave a rating.

    >>> found = agreement_summary([[1, 1], [2, 2], [3, 2]])
    >>> round(found["alpha_interval"].value, 3), round(found["kendall_w"].value, 3)
    (0.706, 0.929)
    """
    # One number for all: a generator would go on, and each coefficient see other resamples.
    same = seed if isinstance(seed, int) else int(seed.integers(2**62))
    asked = {"resamples": resamples, "clusters": clusters, "level": level, "seed": same}
    matrix = as_ratings(ratings)
    return {
        one.name: one.compute(matrix, **asked, **({"merged": merged} if one.merges else {}))
        for one in COEFFICIENTS
        if one.scale != "spans" and (merged or not one.merges)
    }


def span_agreement_summary(
    texts: Sequence[MarkedText],
    *,
    gamma: bool = False,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> dict[str, Estimate]:
    """Return every coefficient of marked texts by name, all from the same resamples.

    `gamma` adds Mathet's gamma, which needs the package pygamma-agreement and has no interval.

    >>> from captious.stats.spans import Mark
    >>> texts = [MarkedText("A red dog.", [[Mark(2, 5)], [Mark(2, 9)]])]
    >>> round(span_agreement_summary(texts)["character_f1"].value, 2)
    0.6
    """
    asked: dict[str, Any] = {"resamples": resamples, "clusters": clusters, "level": level, "seed": seed}
    return {
        one.name: one.compute(texts, **asked)
        for one in COEFFICIENTS
        if one.scale == "spans" and (gamma or not one.on_request)
    }


class Coefficient(NamedTuple):
    """A coefficient of agreement, as the command line and the pages list it.

    `scale` is that of the ratings it is for, None for any; "spans" are marks in texts (`stats.spans`). With
    `by_rater` each column must be one rater: it says nothing where an item's ratings stand in slots.
    `merges` needs categories to merge; `on_request` needs a package of its own, or long.
    """

    name: str
    title: str
    compute: Callable[..., Estimate]
    scale: Scale | Literal["spans"] | None = None
    by_rater: bool = False
    merges: bool = False
    on_request: bool = False


COEFFICIENTS: tuple[Coefficient, ...] = (
    Coefficient("percent_agreement", "per cent agreement", percent_agreement),
    Coefficient("fleiss_kappa", "Fleiss' kappa", fleiss_kappa),
    Coefficient("fleiss_kappa_merged", "Fleiss' kappa, merged", fleiss_kappa, merges=True),
    *(
        Coefficient(f"alpha_{scale}", f"alpha, {scale}", partial(krippendorff_alpha, scale=scale), scale)
        for scale in SCALES
    ),
    Coefficient("kendall_w", "Kendall's W", kendall_w, by_rater=True),
    Coefficient("icc_single", "ICC(2,1)", partial(icc, unit="single"), by_rater=True),
    Coefficient("icc_average", "ICC(2,k)", partial(icc, unit="average"), by_rater=True),
    Coefficient("character_f1", "F1 of characters", span_f1, "spans"),
    Coefficient("word_f1", "F1 of words", partial(span_f1, match="words"), "spans"),
    Coefficient("exact_f1", "F1, same place", partial(span_f1, match="exact"), "spans"),
    Coefficient("overlap_f1", "F1, overlapping", partial(span_f1, match="overlap"), "spans"),
    Coefficient("iou_f1", "F1-IoU", partial(span_f1, match="iou"), "spans"),
    Coefficient("alpha_u", "alpha_u, places", unitising_alpha, "spans"),
    Coefficient("alpha_u_kinds", "alpha_u, places and kinds", partial(unitising_alpha, kinds=True), "spans"),
    Coefficient("gamma", "gamma", gamma_agreement, "spans", on_request=True),
)


def coefficient_named(name: str) -> Coefficient:
    """The coefficient of that name.

    >>> coefficient_named("alpha_ordinal").title
    'alpha, ordinal'
    """
    for one in COEFFICIENTS:
        if one.name == name:
            return one
    raise UnknownNameError("coefficient", name, [one.name for one in COEFFICIENTS])


def coefficients_of(scale: Scale | Literal["spans"]) -> list[Coefficient]:
    """The coefficients of ratings on a scale, whoever gave them, or of marked texts.

    >>> [one.name for one in coefficients_of("nominal")]
    ['percent_agreement', 'fleiss_kappa', 'alpha_nominal']
    """
    scales = (scale,) if scale == "spans" else (None, scale)
    return [
        one
        for one in COEFFICIENTS
        if not (one.by_rater or one.merges or one.on_request) and one.scale in scales
    ]


_KAPPA_WEIGHTS: dict[str, Literal["none", "linear", "quadratic"]] = {
    "kappa": "none",
    "kappa_linear": "linear",
    "kappa_quadratic": "quadratic",
}


def _correlations() -> tuple[str, ...]:
    return ("tau_b", "tau_c", "pearson", "spearman")


def _pair_coefficient(name: str, matrix: Floats) -> Callable[[Floats, Floats], float]:
    if name == "percent":
        return lambda x, y: float((x == y).mean())
    if name in _KAPPA_WEIGHTS:
        categories = np.unique(matrix[~np.isnan(matrix)])
        weights = _KAPPA_WEIGHTS[name]
        return lambda x, y: cohen_kappa(x, y, weights=weights, categories=categories).value
    return lambda x, y: correlation(x, y, name)


def correlation(x: Floats, y: Floats, name: str) -> float:
    """Return a correlation by name, NaN where a column is constant or has fewer than two items."""
    from scipy import stats

    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    functions: dict[str, Callable[[], float]] = {
        "tau_b": lambda: stats.kendalltau(x, y, variant="b").statistic,
        "tau_c": lambda: stats.kendalltau(x, y, variant="c").statistic,
        "pearson": lambda: stats.pearsonr(x, y).statistic,
        "spearman": lambda: stats.spearmanr(x, y).statistic,
    }
    if name not in functions:
        raise StatisticsError(f"correlation: {name!r} is not one of {', '.join(functions)}.")
    return float(functions[name]())
