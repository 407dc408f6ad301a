"""Tagging: one of five verdicts on a caption, twice, weeks apart (Ruiz et al. 2024, 2.1, 2.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.base import (
    FIRST,
    MOST_RESPONSES,
    Caption,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    as_judgments,
    captions_of,
    matched,
    opaque,
    require_range,
)
from captious.protocols.form import Field, Form, Option
from captious.stats import leave_one_rater_out, mean_rating, stage_agreement, vote
from captious.stats.resample import DEFAULT_SEED, Seed
from captious.stats.retest import LeftOut, StageAgreement
from captious.tables import Table

SECOND = "second"
ASPECT = "verdict"
WEEK = 7 * 24 * 3600.0
SIX_WEEKS = 6 * WEEK  # Ruiz et al. 2024, 2.1: at least six weeks; they waited three months
TEN_YEARS = 10 * 365 * 24 * 3600

# Ruiz et al. 2024, 2.1: the five options and their values.
VALUES = {"complete": 1.0, "incomplete": 0.75, "minor": 0.5, "serious": 0.25, "unrelated": 0.0}
OPTIONS = (
    Option("complete", "No error and nothing missing", "It tells what matters, and rightly."),
    Option("incomplete", "No error, but something important is missing"),
    Option("minor", "Minor errors"),
    Option("serious", "Serious errors"),
    Option("unrelated", "It does not belong to this image"),
)
FORM = Form((Field("verdict", "choice", "How well does the caption fit?", options=OPTIONS),))
_GUIDE = (
    Guide(
        "The five verdicts",
        "Ask first whether the caption belongs to the image at all; then whether it says anything "
        "wrong, and how badly; then whether something important is missing. Take the first that "
        "applies.",
        (
            "A caption of another picture: it does not belong.",
            "A horse called a dog: a serious error.",
            "A navy coat called black: a minor error.",
            "A man on a bicycle in heavy snow, the snow not mentioned: something is missing.",
        ),
    ),
)


class CaptionValue(NamedTuple):
    """One value a caption from all verdicts: the most frequent, and the mean."""

    image: str
    system: str
    vote: float
    mean: float
    verdicts: int


class Stages(NamedTuple):
    """The raters, in order, with the agreement within and between their two rounds."""

    raters: tuple[str, ...]
    agreement: StageAgreement
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Tagging(HumanProtocol):
    """One caption at a time, in each rater's own random order; `raters` verdicts for each."""

    raters: int = 4
    two_rounds: bool = True
    interval: float = SIX_WEEKS

    name: ClassVar[str] = "tagging"
    title: ClassVar[str] = "Tagging: five verdicts, two rounds"
    citation: ClassVar[str] = "Ruiz et al. 2024 (VCRScore), section 2"

    def __post_init__(self) -> None:
        require_range("raters", self.raters, 1, MOST_RESPONSES)
        require_range("interval (seconds)", self.interval, 0, TEN_YEARS)

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item for each distinct caption of an image; the order is drawn on assignment."""
        return [
            Item(
                key=opaque(seed, FIRST, image, text),
                image=image,
                captions=(Caption("A", text),),
                form=FORM,
                sources={"A": tuple(systems)},
                target=self.raters,
            )
            for image, texts in captions_of(corpus).items()
            for text, systems in texts.items()
        ]

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """How to choose between the verdicts."""
        return _GUIDE

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        """The rater's own caption again, once the interval has passed, the first answer hidden."""
        if item.stage != FIRST or not self.two_rounds:
            return []
        if math.isnan(response.time):
            raise InputError(
                f'item "{item.key}": the response of {response.rater} has no time, so nobody '
                "knows when the second round may begin. Record when responses come in."
            )
        again = replace(
            item,
            key=f"{SECOND}/{response.rater}/{item.key}",
            stage=SECOND,
            target=1,
            only_for=frozenset({response.rater}),
            not_before=response.time + self.interval,
        )
        return [again]

    def second_round(self, items: Iterable[Item], responses: Iterable[Response]) -> list[Item]:
        """The whole second round of the responses so far."""
        return [
            again for item, response in matched(items, responses) for again in self.follow_ups(item, response)
        ]

    def judgments(self, items: Iterable[Item], responses: Iterable[Response]) -> Judgments:
        """The verdicts' values, by round; a caption that several systems wrote counts for each."""
        return as_judgments(
            [
                Row(
                    item.image,
                    system,
                    response.rater,
                    ASPECT,
                    VALUES[str(response.answers["verdict"])],
                    item.stage,
                    response.time,
                )
                for item, response in matched(items, responses)
                for system in item.sources["A"]
            ]
        )

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Values by system, each rater against themselves and the others."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        values = caption_values(judged)
        tables = [
            Table(
                "Mean value by system, of 100",
                ("system", "vote", "mean", "captions"),
                tuple(
                    (name, 100 * by_vote, 100 * by_mean, n)
                    for name, by_vote, by_mean, n in _by_system(values)
                ),
            )
        ]
        if {FIRST, SECOND} <= set(judged.stages):
            tables.append(_retest_table(stages(judged)))
        return tables


def stages(judgments: Judgments) -> Stages:
    """Return Tables 1 to 3 of Ruiz et al. (2024): raters across two rounds and against each other.

    A rater against the others is compared on both rounds' mean.
    """
    first, second = judgments.matrix(ASPECT, FIRST), judgments.matrix(ASPECT, SECOND)
    both = np.stack([first, second])
    rated = ~np.isnan(both)
    sums = np.where(rated, both, 0.0).sum(axis=0)
    counts = rated.sum(axis=0)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return Stages(tuple(judgments.raters), stage_agreement(first, second), leave_one_rater_out(means))


def caption_values(judgments: Judgments, *, seed: Seed = DEFAULT_SEED) -> list[CaptionValue]:
    """One value a caption from all rounds: vote (ties drawn) and mean (Ruiz et al. 2024, 2.2).

    >>> judged = Judgments.from_columns(
    ...     images=["1"] * 3, systems=["m"] * 3, raters=["a", "b", "c"],
    ...     aspects=["verdict"] * 3, values=[0.25, 0.5, 0.5], stages=["first"] * 3)
    >>> caption_values(judged)[0].vote
    0.5
    """
    rounds = [judgments.matrix(ASPECT, stage) for stage in judgments.stages]
    matrix = np.hstack(rounds)
    votes, means = vote(matrix, seed=seed), mean_rating(matrix)
    counts = (~np.isnan(matrix)).sum(axis=1)
    return [
        CaptionValue(image, system, float(votes[row]), float(means[row]), int(counts[row]))
        for row, (image, system) in enumerate(judgments.keys)
    ]


def _by_system(values: Sequence[CaptionValue]) -> list[tuple[str, float, float, int]]:
    rows = []
    for name in dict.fromkeys(value.system for value in values):
        own = [value for value in values if value.system == name]
        by_vote = float(np.mean([value.vote for value in own]))
        by_mean = float(np.mean([value.mean for value in own]))
        rows.append((name, by_vote, by_mean, len(own)))
    return sorted(rows, key=lambda row: -row[2])


def _retest_table(found: Stages) -> Table:
    agreement = found.agreement
    rows: list[tuple[str | float | int, ...]] = [
        (name, own.alpha.value, own.tau_b, own.same, without.value, left.tau_b)
        for name, own, without, left in zip(
            found.raters, agreement.raters, agreement.without, found.left_out, strict=True
        )
    ]
    return Table(
        "Raters across the two rounds",
        ("rater", "alpha", "tau-b", "same verdict", "alpha of the others", "tau-b with the others"),
        tuple(rows),
        f"all raters: alpha {agreement.alpha_first.value:.2f} in the first round, "
        f"{agreement.alpha_second.value:.2f} in the second, {agreement.alpha_both.value:.2f} in "
        f"both; tau-b between the rounds {agreement.tau_b:.2f}",
    )
