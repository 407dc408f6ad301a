"""HUMANr's results: scores, baseline, significance, stability, and what a study costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from captious.errors import InputError
from captious.protocols.base import Chart, Item, Response, Table
from captious.protocols.humanr.rules import (
    BASELINE,
    DROP_ASSIGNMENT,
    GROUP,
    PAY_PER_GROUP,
    SECONDS_PER_COMPARISON,
    Comparison,
    Humanr,
    failed_raters,
)
from captious.stats import (
    Estimate,
    approximate_randomisation,
    bootstrap_interval,
    half_pool_scores,
    holm,
    mean_preference,
    spread_by_sample_size,
)
from captious.stats.reliability import HalfPools, SpreadAtSize
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED, Seed
from captious.stats.significance import DEFAULT_TRIALS

HOW = (
    "Points with 95% intervals. The dashed line is the score of human captions against each other, the "
    "shaded band its interval. Whether a system differs from people is decided on the images that have both: "
    "by the difference from baseline, its interval and its p."
)
HALVES_HOW = "The wider an interval, the more the result depends on who rates."
IMAGES_HOW = "How far HUMANr would differ between studies of so many images."
SIZES = (10, 20, 50, 100, 200, 300, 400, 500)
COLUMNS = (
    "system",
    "humanr",
    "low",
    "high",
    "comparisons",
    "from baseline",
    "p",
    "p (Holm)",
    "shared images",
    "difference low",
    "difference high",
)


class HumanrScore(NamedTuple):
    """A system's HUMANr, its difference from the human-human baseline and how sure that is.

    The difference is the mean, over images that have both comparisons, of the system's score less that
    of two human captions; its interval draws images. `p_value` is of a randomisation test over those
    images; `p_holm` is adjusted for the number of systems. NaN without a baseline.
    """

    system: str
    humanr: Estimate
    difference: float
    p_value: float
    p_holm: float
    shared_images: int
    difference_low: float = float("nan")
    difference_high: float = float("nan")


class Cost(NamedTuple):
    """What a study comes to; `wage` is what an hour of work earns."""

    comparisons: int
    groups: int
    pay: float
    hours: float
    wage: float


def humanr_scores(
    found: Sequence[Comparison],
    *,
    resamples: int = DEFAULT_RESAMPLES,
    trials: int = DEFAULT_TRIALS,
    seed: Seed = DEFAULT_SEED,
) -> list[HumanrScore]:
    """Return HUMANr of each system and the baseline, in order of appearance, baseline first.

    HUMANr is the mean of the preferences, drawn by image for its interval.

    >>> one = [Comparison("1", "m", "r", -0.5, 0.0), Comparison("1", BASELINE, "r", 0.0, 0.0)]
    >>> [(row.system, row.humanr.value) for row in humanr_scores(one)]
    [('human-human', 0.0), ('m', -0.5)]
    """
    systems = sorted({one.system for one in found}, key=lambda name: (name != BASELINE, name))
    by_image = {system: image_scores(found, system) for system in systems}
    base = by_image.get(BASELINE, {})
    rows = []
    for system in systems:
        own = [one for one in found if one.system == system]
        estimate = mean_preference(
            [one.score for one in own], clusters=[one.image for one in own], resamples=resamples, seed=seed
        )
        shared = [] if system == BASELINE else [i for i in by_image[system] if i in base]
        difference = p_value = low = high = float("nan")
        if shared:
            n = len(shared)
            test = approximate_randomisation(
                [by_image[system][image] for image in shared],
                [base[image] for image in shared],
                lambda sums, n=n: sums[..., 0] / n,  # type: ignore[misc]
                trials,
                seed,
            )
            difference, p_value = test.difference, test.p_value
            sums = [[by_image[system][image] - base[image], 1.0] for image in shared]
            interval = bootstrap_interval(
                sums, lambda s: s[..., 0] / s[..., 1], resamples=resamples, seed=seed
            )
            low, high = interval.low, interval.high
        rows.append(HumanrScore(system, estimate, difference, p_value, p_value, len(shared), low, high))
    if not rows:
        return []
    adjusted = holm([row.p_value for row in rows])
    return [row._replace(p_holm=float(p)) for row, p in zip(rows, adjusted, strict=True)]


def image_scores(found: Sequence[Comparison], system: str) -> dict[str, float]:
    """Each image's mean preference for one system."""
    values: dict[str, list[float]] = {}
    for one in found:
        if one.system == system:
            values.setdefault(one.image, []).append(one.score)
    return {image: float(np.mean(own)) for image, own in values.items()}


def half_pools(
    found: Sequence[Comparison], system: str, *, splits: int = DEFAULT_RESAMPLES, seed: Seed = DEFAULT_SEED
) -> HalfPools:
    """HUMANr of random halves of the raters (ObjectNet Captions, Figure 4 left)."""
    own = _of_system(found, system)
    return half_pool_scores([one.score for one in own], [one.rater for one in own], splits=splits, seed=seed)


def spread_by_images(
    found: Sequence[Comparison],
    system: str,
    sizes: Sequence[int],
    *,
    draws: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> tuple[SpreadAtSize, ...]:
    """The standard deviation of HUMANr by number of images (ObjectNet Captions, Figure 4 right)."""
    _of_system(found, system)
    scores = list(image_scores(found, system).values())
    return spread_by_sample_size(scores, sizes, draws=draws, seed=seed)


def _of_system(found: Sequence[Comparison], system: str) -> list[Comparison]:
    own = [one for one in found if one.system == system]
    if not own:
        raise InputError(f'no comparison of "{system}" has been answered yet. Collect some first.')
    return own


def study_cost(
    images: int,
    systems: int,
    *,
    target: int = 1,
    baseline: bool = True,
    group_size: int = GROUP,
    pay_per_group: float = PAY_PER_GROUP,
    seconds_per_comparison: float = SECONDS_PER_COMPARISON,
) -> Cost:
    """Return what a study costs and the hourly wage that it pays.

    Groups hold `group_size` images, one of them a check, which is paid for too. The defaults are
    the paper's: 0.25 dollars a group, and the six seconds a comparison at which that is 15 dollars
    an hour. Measure your own raters' time before you rely on it.

    >>> study_cost(90, 0)
    Cost(comparisons=90, groups=10, pay=2.5, hours=0.16666666666666666, wage=15.0)
    """
    for name, value in (("images", images), ("target", target), ("group_size", group_size - 1)):
        if value < 1:
            raise InputError(f"{name}: too few. Give at least {2 if name == 'group_size' else 1}.")
    if seconds_per_comparison <= 0:
        raise InputError("seconds_per_comparison: give a time above 0.")
    count = images * (systems + baseline) * target
    asked = Humanr(group_size=group_size).asked(count)
    groups = asked.checks
    hours = asked.responses * seconds_per_comparison / 3600
    pay = groups * pay_per_group
    return Cost(count, groups, pay, hours, pay / hours if hours else float("nan"))


def humanr_tables(
    items: Sequence[Item], responses: Sequence[Response], rules: Humanr | None = None
) -> list[Table]:
    """HUMANr by system, its stability (Figure 4), and who or what was removed."""
    rules = rules or Humanr()
    found = rules.comparisons(items, responses)
    out = _removed(items, responses, rules)
    if not found:
        return [out]
    scores = Table(
        "HUMANr",
        COLUMNS,
        tuple(
            (
                row.system,
                row.humanr.value,
                row.humanr.low,
                row.humanr.high,
                row.humanr.n_items,
                row.difference,
                row.p_value,
                row.p_holm,
                row.shared_images,
                row.difference_low,
                row.difference_high,
            )
            for row in humanr_scores(found)
        ),
        "-1: the human caption is preferred; 0: neither; 1: the system's caption; 95% intervals over images\n"
        "from baseline: the system's score minus that of one human caption against another, on the images "
        "that have both (shared images; 0: as good as people); its interval runs from difference low to "
        "difference high",
        chart=Chart("intervals", "humanr", "system", baseline=BASELINE, x_scale=(-1.0, 1.0), how=HOW),
    )
    return [scores, halves_table(found), images_table(found), out]


def _removed(items: Sequence[Item], responses: Sequence[Response], rules: Humanr) -> Table:
    if rules.attention == DROP_ASSIGNMENT:
        failed = rules.failed_assignments(items, responses)
        return Table(
            "Assignments dropped",
            ("rater", "responses"),
            tuple((own[0].rater, len(own)) for own in failed),
            "a caption of another image was preferred or found equal; the rater's other responses count",
        )
    return Table(
        "Raters removed",
        ("rater",),
        tuple((rater,) for rater in sorted(failed_raters(items, responses))),
        "they preferred a caption of another image; none of their responses count",
    )


def halves_table(found: Sequence[Comparison], note: str = "") -> Table:
    """HUMANr of random halves of the raters, by system."""
    halves = [(name, half_pools(found, name)) for name in sorted({one.system for one in found})]
    rows = tuple(
        (name, half.mean, half.sd, *np.quantile(half.scores, (0.025, 0.975)).tolist())
        for name, half in halves
    )
    return Table(
        "HUMANr of random halves of the raters",
        ("system", "mean", "sd", "low", "high"),
        rows,
        "\n".join(filter(None, [note, "low to high: 95% of the halves (Figure 4, left)"])),
        chart=Chart("intervals", "mean", "system", baseline=BASELINE, x_scale=(-1.0, 1.0), how=HALVES_HOW),
    )


def images_table(found: Sequence[Comparison]) -> Table:
    """The standard deviation of HUMANr by number of images, by system (Figure 4, right)."""
    systems = sorted({one.system for one in found})
    rows = tuple(
        (name, one.n_items, one.sd) for name in systems for one in spread_by_images(found, name, SIZES)
    )
    return Table(
        "SD of HUMANr by number of images",
        ("system", "images", "sd"),
        rows,
        f"{DEFAULT_RESAMPLES:,} draws of so many images, with replacement (Figure 4, right)",
        chart=Chart("lines", "images", "sd", panel="system", how=IMAGES_HOW),
    )
