"""What THumB's paper makes of its judgments: Tables 2 and 3, and kappa between the stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus import Judgments
from captious.errors import InputError
from captious.protocols.agreement import INTERVALS, ends
from captious.protocols.base import Chart, Item, Response, Table, matched
from captious.protocols.thumb.rounds import audit_result, final_judgments
from captious.protocols.thumb.rules import ASPECTS, HIGHEST, LOWEST, PENALTIES, SCORES, SECOND, scores_of
from captious.stats import (
    BestWorst,
    Estimate,
    Interval,
    best_and_worst,
    bootstrap_interval,
    cohen_kappa,
    rubric_total,
)
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED, Seed

LEVEL = 0.90  # THumB, Table 2


SCALE = (float(LOWEST), float(HIGHEST))
HOW = "Higher: more of what matters is covered. Further right: fewer errors. 5 is best on both axes."


class SystemScore(NamedTuple):
    """One row of Table 2: mean scores, mean penalties (positive), the total with its interval."""

    system: str
    means: dict[str, float]
    total: Interval
    images: int


def system_scores(
    judgments: Judgments,
    *,
    weights: Mapping[str, float] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = LEVEL,
    seed: Seed = DEFAULT_SEED,
) -> list[SystemScore]:
    """Return each system's means and total, best total first (Kasai et al. 2022, Table 2).

    `weights` change what the total is made of (3.1): `{"precision": 0.25, "recall": 0.75}`.
    Penalties may be given with either sign. The interval draws images.

    >>> judged = Judgments.from_columns(
    ...     images=["1"] * 2, systems=["m"] * 2, aspects=["precision", "recall"], values=[5, 4])
    >>> system_scores(judged, resamples=10)[0].total.value
    4.5
    """
    values = {aspect: judgments.means(aspect) for aspect in ASPECTS if aspect in judgments.aspects}
    missing = [aspect for aspect in SCORES if aspect not in values]
    if missing:
        raise InputError(f"judgments: none of {missing[0]}. THumB needs precision and recall.")
    penalties = {name: np.abs(values[name]) for name in PENALTIES if name in values}
    scores = {name: values[name] for name in SCORES}
    totals = rubric_total(scores, penalties, weights=weights)
    names = np.array([system for _, system in judgments.keys])
    found = []
    for system in dict.fromkeys(names.tolist()):
        own = np.flatnonzero((names == system) & ~np.isnan(totals))
        if not len(own):
            continue
        sums = np.stack([totals[own], np.ones(len(own))], axis=1)
        total = bootstrap_interval(
            sums, lambda s: s[..., 0] / s[..., 1], resamples=resamples, seed=seed, level=level
        )
        means = {name: float(column[own].mean()) for name, column in (scores | penalties).items()}
        found.append(SystemScore(system, means, total, len(own)))
    return sorted(found, key=lambda row: -row.total.value)


def strictly_best(judgments: Judgments) -> dict[str, tuple[int, int]]:
    """Return how often each system is best, and worst, both in precision and recall (Table 3).

    Only images that every system has a caption of enter.
    """
    systems = list(dict.fromkeys(system for _, system in judgments.keys))
    images = list(dict.fromkeys(image for image, _ in judgments.keys))
    cube = np.full((len(images), len(systems), len(SCORES)), np.nan)
    image_at = {image: at for at, image in enumerate(images)}
    system_at = {system: at for at, system in enumerate(systems)}
    for place, aspect in enumerate(SCORES):
        for (image, system), value in zip(judgments.keys, judgments.means(aspect).tolist(), strict=True):
            cube[image_at[image], system_at[system], place] = value
    complete = cube[~np.isnan(cube).any(axis=(1, 2))]
    if not len(complete):
        return dict.fromkeys(systems, (0, 0))
    found: BestWorst = best_and_worst(complete)
    return {system: (int(found.best[at]), int(found.worst[at])) for system, at in system_at.items()}


class Reread(NamedTuple):
    """What a second reader did with the scores that they were shown, by aspect.

    `changed` is the share of scores that they changed, `together` of those that they only confirmed with
    all others of a page in one action; `seconds` the median time for a page, `seconds_together` for a page
    with such an action.
    """

    kappa: Estimate
    changed: float
    together: float
    seconds: float
    seconds_together: float


def reread(
    items: Iterable[Item],
    responses: Iterable[Response],
    *,
    stage: str = SECOND,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[str, Reread]:
    """Kappa between the stages beside what was changed and how long it was looked at.

    Whoever changes nothing in a second has a kappa of 1, and has not read.
    """
    items, responses = list(items), list(responses)
    kappas = stage_kappa(items, responses, stage=stage, resamples=resamples)
    own = [pair for pair in matched(items, responses) if pair[0].stage == stage]
    seconds = _median_seconds([one for _, one in own])
    hasty = _median_seconds([one for _, one in own if one.untouched])
    found = {}
    for aspect, kappa in kappas.items():
        changes, together = [], []
        for item, response in own:
            for caption in item.captions:
                before = scores_of(caption.key, item.prior)
                after = scores_of(caption.key, response.answers)
                if aspect in before and aspect in after:
                    changes.append(before[aspect] != after[aspect])
                    together.append(f"{caption.key}.{aspect}" in response.untouched)
        found[aspect] = Reread(kappa, float(np.mean(changes)), float(np.mean(together)), seconds, hasty)
    return found


def _median_seconds(responses: Sequence[Response]) -> float:
    times = [one.seconds for one in responses if one.seconds is not None]
    return float(np.median(times)) if times else float("nan")


def stage_kappa(
    items: Iterable[Item],
    responses: Iterable[Response],
    *,
    stage: str = SECOND,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> dict[str, Estimate]:
    """Return Cohen's kappa between a stage and the scores that it was shown, by aspect.

    A caption that several systems wrote was judged once and counts once. Captions of an image are
    drawn together. The paper has 0.86 in precision and 0.82 in recall (2.1).
    """
    pairs: dict[str, list[tuple[float, float]]] = {aspect: [] for aspect in ASPECTS}
    images: dict[str, list[str]] = {aspect: [] for aspect in ASPECTS}
    for item, response in matched(items, responses):
        if item.stage != stage:
            continue
        for caption in item.captions:
            before = scores_of(caption.key, item.prior)
            after = scores_of(caption.key, response.answers)
            for aspect in before.keys() & after.keys():
                pairs[aspect].append((before[aspect], after[aspect]))
                images[aspect].append(item.image)
    return {
        aspect: cohen_kappa(
            [first for first, _ in own],
            [second for _, second in own],
            clusters=images[aspect],
            resamples=resamples,
            seed=seed,
        )
        for aspect, own in pairs.items()
        if own
    }


def judgment_tables(judgments: Judgments) -> list[Table]:
    """Tables 2 and 3 of any judgments with THumB's aspects, its released file among them."""
    scores = system_scores(judgments)
    named = [aspect for aspect in ASPECTS if scores and aspect in scores[0].means]
    means = Table(
        "Mean scores by system",
        ("system", *named, "total", "low", "high", "images"),
        tuple(
            (
                row.system,
                *(row.means[aspect] for aspect in named),
                row.total.value,
                row.total.low,
                row.total.high,
                row.images,
            )
            for row in scores
        ),
        f"{LEVEL:.0%} intervals by bootstrap over images",
        chart=Chart("points", *SCORES, series="system", x_scale=SCALE, y_scale=SCALE, how=HOW),
    )
    counts = strictly_best(judgments)
    ranks = Table(
        "Best and worst in both precision and recall",
        ("system", "best", "worst"),
        tuple((row.system, *counts[row.system]) for row in scores),
        "a tie counts for every system in it",
    )
    return [means, ranks]


def thumb_tables(items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
    """The tables of a campaign: scores that stand, and agreement between its stages."""
    final = final_judgments(items, responses)
    tables = judgment_tables(final) if len(final) else []
    return tables + _kappa_table(reread(items, responses))


def agreement_tables(items: Sequence[Item], responses: Sequence[Response], resamples: int) -> list[Table]:
    """Agreement between the stages, and what a third annotator changed."""
    tables = _kappa_table(reread(items, responses, resamples=resamples))
    audit = audit_result(items, responses)
    if audit.captions:
        changed = tuple((name, count) for name, count in audit.by_aspect.items())
        note = f"{audit.changed} of {audit.captions} captions changed in any score"
        tables.append(Table("What the audit changed", ("aspect", "captions"), changed, note))
    return tables


def _kappa_table(found: Mapping[str, Reread]) -> list[Table]:
    rows = tuple(
        (name, *ends(one.kappa), one.changed, one.together, one.seconds, one.kappa.n_items)
        for name, one in found.items()
    )
    columns = ("aspect", "kappa", "low", "high", "changed", "at once", "median seconds", "captions")
    note = (
        f"{INTERVALS}; the second rater sees the first rater's scores. changed: the share of scores that the "
        "second rater changed; at once: the share that they confirmed with the rest of a page in one action; "
        "median seconds: their time per page"
    )
    hasty = next((one.seconds_together for one in found.values() if one.seconds_together > 0), None)
    if hasty is not None:
        note += f"\nmedian time of a page whose scores were confirmed at once: {hasty:.3g} seconds"
    if rows and not any(one.changed for one in found.values()):
        note += "\nno score was changed: kappa only shows that scores were accepted, not that raters agree"
    return [Table("Kappa between first and second stage", columns, rows, note)] if rows else []
