"""How far a campaign's raters agree, as tables with intervals; pure functions on responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.campaigns.results.answers import as_share
from captious.protocols import Answer, Field, HumanProtocol, Item, Response
from captious.protocols.base import FIRST, matched
from captious.protocols.form import as_number
from captious.protocols.humanr import Humanr, comparisons
from captious.protocols.humanr_analysis import half_pools
from captious.protocols.tagging import SECOND, Tagging
from captious.protocols.thumb import Thumb
from captious.protocols.thumb_analysis import stage_kappa
from captious.protocols.thumb_rounds import audit_result
from captious.stats import (
    Estimate,
    fleiss_kappa,
    krippendorff_alpha,
    leave_one_rater_out,
    percent_agreement,
    retest_agreement,
)
from captious.stats.alpha import Scale
from captious.stats.resample import DEFAULT_RESAMPLES
from captious.tables import Table

INTERVALS = "95% intervals by bootstrap over images"
# Above this many raters a row for each says little and takes long.
MANY_RATERS = 40


class Shared(NamedTuple):
    """Answers to one kind of question: a row a question, what each of its raters said."""

    aspect: str
    scale: Scale
    ratings: NDArray[np.float64]
    images: list[str]


def agreement_tables(
    rules: HumanProtocol,
    items: Sequence[Item],
    responses: Sequence[Response],
    *,
    resamples: int = DEFAULT_RESAMPLES,
) -> list[Table]:
    """What can be said of agreement under a protocol; empty where nobody shares a question.

    Agreement on questions that several raters answered independently, and for each protocol what
    its paper reports: kappa between THumB's stages, test and retest of tagging, halves of HUMANr's
    raters.
    """
    removed = rules.removed_raters(items, responses)
    responses = [one for one in responses if one.rater not in removed]
    tables = []
    if isinstance(rules, Thumb):
        tables += _thumb(items, responses, resamples)
    tables += _shared_table(rules, items, responses, resamples)
    if isinstance(rules, Tagging):
        tables += _tagging(items, responses, resamples)
    if isinstance(rules, Humanr):
        tables += _halves(items, responses)
    return tables


def shared_answers(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response]
) -> list[Shared]:
    """The answers that two raters or more gave to the same question of the same item.

    Later stages of THumB are no independent answers, and stay out.
    """
    known: dict[str, dict[tuple[str, str], list[float]]] = {}
    fields: dict[str, Field] = {}
    images: dict[str, str] = {}
    for item, response in matched(items, responses):
        if item.check or (isinstance(rules, Thumb) and item.prior):
            continue
        images[item.key] = item.image
        for field in item.form.fields:
            value = _value(field, response.answers.get(field.name))
            if value is not None:
                name = field.name.removeprefix(f"{field.caption}.")
                fields.setdefault(name, field)
                own = known.setdefault(name, {})
                own.setdefault((item.key, field.name), []).append(value)
    found = []
    for name, units in known.items():
        several = {unit: sorted(own) for unit, own in units.items() if len(own) > 1}
        if several:
            width = max(map(len, several.values()))
            ratings = np.array([own + [np.nan] * (width - len(own)) for own in several.values()])
            found.append(
                Shared(name, _scale(rules, fields[name]), ratings, [images[key] for key, _ in several])
            )
    return found


def _value(field: Field, answer: Answer | None) -> float | None:
    return as_number(answer) if field.kind == "number" else as_share(field, answer)


def _scale(rules: HumanProtocol, field: Field) -> Scale:
    if field.kind == "number":
        return "ordinal" if field.step == 1 else "interval"
    if field.kind == "choice" and len(field.options) > 2:
        # Ruiz et al. 2024, 2.2: the verdicts' values are a scale of even steps.
        return "interval" if isinstance(rules, Tagging) else "ordinal"
    return "nominal" if field.kind == "choice" else "interval"


def _shared_table(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response], resamples: int
) -> list[Table]:
    rows: list[tuple[str | float | int, ...]] = []
    for own in shared_answers(rules, items, responses):
        measured = {
            "same answer": percent_agreement(own.ratings, resamples=resamples, clusters=own.images),
            "Fleiss' kappa": fleiss_kappa(own.ratings, resamples=resamples, clusters=own.images),
            f"alpha, {own.scale}": krippendorff_alpha(
                own.ratings, own.scale, resamples=resamples, clusters=own.images
            ),
        }
        rows += [
            (own.aspect, name, found.value, found.low, found.high, found.n_items)
            for name, found in measured.items()
        ]
    columns = ("aspect", "coefficient", "value", "low", "high", "questions")
    title = "Agreement on questions that several raters answered"
    return [Table(title, columns, tuple(rows), INTERVALS)] if rows else []


def _thumb(items: Sequence[Item], responses: Sequence[Response], resamples: int) -> list[Table]:
    tables = []
    kappas = stage_kappa(items, responses, resamples=resamples)
    if kappas:
        rows = tuple((name, *_ends(found), found.n_items) for name, found in kappas.items())
        columns = ("aspect", "kappa", "low", "high", "captions")
        tables.append(Table("Kappa between first and second stage", columns, rows, INTERVALS))
    audit = audit_result(items, responses)
    if audit.captions:
        changed = tuple((name, count) for name, count in audit.by_aspect.items())
        note = f"{audit.changed} of {audit.captions} captions changed in any score"
        tables.append(Table("What the audit changed", ("aspect", "captions"), changed, note))
    return tables


def _tagging(items: Sequence[Item], responses: Sequence[Response], resamples: int) -> list[Table]:
    """Test and retest of each rater, and each against the mean of the others."""
    rounds: dict[str, dict[tuple[str, str, str], float]] = {FIRST: {}, SECOND: {}}
    for item, response in matched(items, responses):
        if item.stage not in rounds:
            continue
        field = item.form.fields[0]
        value = as_share(field, response.answers.get(field.name))
        if value is not None:
            # The form's options run from best to worst; the values of the paper the other way.
            key = (item.image, item.captions[0].text, response.rater)
            rounds[item.stage][key] = 1 - value
    names = sorted({rater for own in rounds.values() for _, _, rater in own})
    captions = sorted({key[:2] for own in rounds.values() for key in own})
    if not captions or len(names) > MANY_RATERS:
        return []
    images = [image for image, _ in captions]
    matrices = {stage: _matrix(own, captions, names) for stage, own in rounds.items()}
    asked = {"resamples": resamples, "clusters": images}
    tables = []
    retests = [
        (name, retest_agreement(matrices[FIRST][:, at], matrices[SECOND][:, at], **asked))  # type: ignore[arg-type]
        for at, name in enumerate(names)
    ]
    twice = [(name, found) for name, found in retests if found.n_items]
    if twice:
        rows = tuple(
            (name, *_ends(found.alpha), found.tau_b, found.same, found.n_items) for name, found in twice
        )
        columns = ("rater", "alpha", "low", "high", "tau-b", "same verdict", "captions")
        tables.append(Table("Each rater's two rounds", columns, rows, INTERVALS))
    if len(names) > 1:
        tables.append(_left_out(_mean_of(matrices), names, asked))
    return tables


def _matrix(
    own: dict[tuple[str, str, str], float], captions: list[tuple[str, str]], names: list[str]
) -> NDArray[np.float64]:
    caption_at = {caption: at for at, caption in enumerate(captions)}
    name_at = {name: at for at, name in enumerate(names)}
    table = np.full((len(captions), len(names)), np.nan)
    for (image, text, rater), value in own.items():
        table[caption_at[image, text], name_at[rater]] = value
    return table


def _mean_of(matrices: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    both = np.stack(list(matrices.values()))
    counts = (~np.isnan(both)).sum(axis=0)
    means = np.nansum(both, axis=0) / np.maximum(counts, 1)
    return np.where(counts > 0, means, np.nan)


def _left_out(means: NDArray[np.float64], names: list[str], asked: dict[str, object]) -> Table:
    rows = tuple(
        (name, *_ends(found.alpha_without), found.tau_b, found.pearson, found.n_items)
        for name, found in zip(names, leave_one_rater_out(means, **asked), strict=True)  # type: ignore[arg-type]
    )
    columns = ("left out", "alpha of the rest", "low", "high", "tau-b with them", "r", "captions")
    return Table("Each rater against the others", columns, rows, INTERVALS)


def _halves(items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
    found = comparisons(items, responses)
    if len({one.rater for one in found}) < 2:
        return []
    halves = [(name, half_pools(found, name)) for name in sorted({one.system for one in found})]
    rows = tuple((name, half.mean, half.sd) for name, half in halves)
    title = "HUMANr of random halves of the raters"
    return [Table(title, ("system", "mean", "sd"), rows, "how far another pool would differ")]


def _ends(found: Estimate) -> tuple[float, float, float]:
    return found.value, found.low, found.high
