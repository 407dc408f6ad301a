"""Tagging: one of five verdicts on a caption, twice, weeks apart (Ruiz et al. 2024, 2.1, 2.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.adopt import adopted
from captious.protocols.agreement import INTERVALS, ends
from captious.protocols.base import (
    FIRST,
    MOST_RESPONSES,
    Adopted,
    Asked,
    Caption,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    Table,
    Words,
    captions_of,
    clean_option,
    matched,
    opaque,
    option,
    row_of,
)
from captious.protocols.capabilities import KnownPast
from captious.protocols.item import Field, Form, Option, Picture
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.stats import (
    Interval,
    bootstrap_interval,
    leave_one_rater_out,
    mean_rating,
    retest_agreement,
    stage_agreement,
    vote,
)
from captious.stats.alpha import Scale
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED, Seed
from captious.stats.retest import LeftOut, StageAgreement

SECOND = "second"
ASPECT = "verdict"
DAY = 24 * 3600.0
WEEK = 7 * DAY
SIX_WEEKS = 6 * WEEK  # Ruiz et al. 2024, 2.1: at least six weeks; they waited three months
TEN_YEARS = 10 * 365 * 24 * 3600.0
# Above this many raters a row for each says little and takes long.
MANY_RATERS = 40

# Ruiz et al. 2024, 2.1: the five options and their values.
VALUES = {"complete": 1.0, "incomplete": 0.75, "minor": 0.5, "serious": 0.25, "unrelated": 0.0}
OPTIONS = (
    Option("complete", "No error and nothing missing", "It describes what matters correctly."),
    Option("incomplete", "No error, but something important is missing"),
    Option("minor", "Minor errors"),
    Option("serious", "Serious errors"),
    Option("unrelated", "It does not belong to this image"),
)
FORM = Form((Field("verdict", "choice", "How well does the caption fit?", options=OPTIONS),))
_COFFEE = "A cup of coffee with a spoon on a red saucer, on a wooden table."
_LEVELS = (
    Picture(
        "coffee.jpg",
        _COFFEE,
        "A cup of coffee on a red saucer with a spoon, on a wooden table.",
        "No error and nothing missing",
    ),
    Picture(
        "coffee.jpg",
        _COFFEE,
        "A saucer on a wooden table.",
        "No error, but something important is missing",
        "It is true, but the main thing, the cup of coffee, is missing.",
    ),
    Picture(
        "coffee.jpg",
        _COFFEE,
        "A cup of coffee on a blue saucer with a spoon.",
        "Minor errors",
        "The saucer is red. The rest is right.",
    ),
    Picture(
        "coffee.jpg",
        _COFFEE,
        "A glass of wine on a wooden table.",
        "Serious errors",
        "The table is right, but there is no wine on it.",
    ),
    Picture("coffee.jpg", _COFFEE, "Two children fly a kite.", "It does not belong to this image"),
)
_GUIDE = (
    Guide(
        "The five verdicts",
        "First ask whether the caption belongs to the image at all. Then ask whether anything in it is "
        "wrong, and how serious that is. Last, ask whether something important is missing. Choose the "
        "first verdict that applies.",
        (
            "A caption of another image: it does not belong to this image.",
            "A horse called a dog: a serious error.",
            "A navy coat called black: a minor error.",
            "A man rides a bicycle in heavy snow, and the snow is not mentioned: something is missing.",
        ),
        _LEVELS,
    ),
)


class CaptionValue(NamedTuple):
    """One value a caption from all verdicts: the most frequent, and the mean."""

    image: str
    system: str
    vote: float
    mean: float
    verdicts: int


SystemValue = tuple[str, float, float, float, float, int, float, float]


class Stages(NamedTuple):
    """The raters, in order, with the agreement within and between their two rounds."""

    raters: tuple[str, ...]
    agreement: StageAgreement
    left_out: tuple[LeftOut, ...]


@register("tagging")
@dataclass(frozen=True)
class Tagging(HumanProtocol, KnownPast):
    """One caption at a time, in each rater's own random order; `raters` verdicts for each."""

    raters: int = option(
        4, "Verdicts for each caption", "Each by a different rater. The paper: 4.", low=1, high=MOST_RESPONSES
    )
    two_rounds: bool = option(
        True, "Two rounds", "Each rater sees the same captions again later, without their first verdicts."
    )
    interval: float = option(
        SIX_WEEKS, "Weeks between the rounds", "At least six are recommended.", high=TEN_YEARS, scale=WEEK
    )
    clean: bool = clean_option()

    title: ClassVar[str] = "Tagging: five verdicts, two rounds"
    citation: ClassVar[str] = "Ruiz et al. 2024 (VCRScore), section 2"
    words: ClassVar[Words] = Words(
        "Tagging",
        "Raters give each caption one of five verdicts, from complete to unrelated, and do so again some "
        "weeks later.",
        "Candidates and images. About four raters who take part in both rounds.",
        "One click per caption and rater, twice. Quick work, but it takes weeks to finish.",
        "A value from 0 to 1 for each caption, and how consistent each rater is over time.",
        "You will see photographs, each with one caption, and give each caption one of five verdicts.",
    )
    stages: ClassVar[Mapping[str, str]] = {FIRST: "First stage", SECOND: "Second stage"}
    raters_option: ClassVar[str] = "raters"

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The verdicts' values."""
        return {ASPECT: (0.0, 1.0)}

    def look_back_seconds(self, item: Item) -> float:
        """A day, or as long as the rounds lie apart: the second round is answered afresh."""
        return min(DAY, self.interval) if self.two_rounds else math.inf

    def asked(self, first: int) -> Asked:
        """As much again in the second round."""
        return Asked(first, later=first if self.two_rounds else 0)

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
            for image, texts in captions_of(corpus, clean=self.clean).items()
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
                f'item "{item.key}": the response of {response.rater} has no time, so the start of the '
                "second round cannot be computed. Record the time of each response."
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

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """The verdicts' values, by round; a caption that several systems wrote counts for each."""
        for item, response in matched(items, responses):
            value = VALUES[str(response.answers["verdict"])]
            for system in item.sources["A"]:
                yield row_of(item, response, item.captions[0], system, ASPECT, value)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Values by system, each rater against themselves and the others."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        values = caption_values(judged)
        tables = [
            Table(
                "Mean value by system, of 100",
                ("system", "vote", "mean", "low", "high", "captions", "vote low", "vote high"),
                tuple(_by_system(values)),
                "mean: the average of a caption's verdicts, from 0 (unrelated) to 100 (complete); vote: "
                "its most frequent verdict, ties broken at random; both averaged over captions. low and "
                "high belong to the mean; "
                f"{INTERVALS}",
            )
        ]
        if {FIRST, SECOND} <= set(judged.stages):
            tables.append(_retest_table(stages(judged)))
        return tables

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[Table]:
        """Beside verdicts that several gave: each rater's two rounds, and each against the others."""
        own = _agreement_tables(items, responses, resamples)
        return super().agreement(items, responses, resamples=resamples) + own

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The five verdicts' values."""
        return {ASPECT: sorted(VALUES.values())}

    def scale_of(self, field: Field) -> Scale:
        """Ruiz et al. 2024, 2.2: the verdicts' values are a scale of even steps."""
        return "interval"

    @classmethod
    def adopt(cls, judgments: Judgments, corpus: Corpus, *, name: str, seed: int) -> Adopted | None:
        """Values of the five verdicts."""
        if judgments.aspects != [ASPECT] or not set(judgments.values.tolist()) <= set(VALUES.values()):
            return None
        words = {value: verdict for verdict, value in VALUES.items()}
        options: dict[str, Any] = {"raters": 1, "two_rounds": False, "clean": False}
        answers = {ASPECT: words.__getitem__}
        return adopted(cls(**options), judgments, corpus, answers, seed=seed, options=options)

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """The verdict whose value is nearest."""
        found = someone.opinion(item, item.captions[0].key) + someone.noise()
        return {"verdict": min(VALUES, key=lambda verdict: abs(VALUES[verdict] - found))}


def stages(judgments: Judgments) -> Stages:
    """Return Tables 1 to 3 of Ruiz et al. (2024): raters across two rounds and against each other.

    A rater against the others is compared on both rounds' mean.
    """
    first, second = judgments.matrix(ASPECT, FIRST), judgments.matrix(ASPECT, SECOND)
    raters = tuple(judgments.raters)
    left_out = leave_one_rater_out(np.hstack([first, second]), raters=raters * 2)
    return Stages(raters, stage_agreement(first, second), left_out)


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


def _by_system(values: Sequence[CaptionValue]) -> list[SystemValue]:
    """Each system's vote and mean, of 100, with intervals over images; the best mean first."""
    rows = []
    for name in dict.fromkeys(value.system for value in values):
        own = [value for value in values if value.system == name]
        votes = _over_images(own, [100 * value.vote for value in own])
        means = _over_images(own, [100 * value.mean for value in own])
        rows.append((name, votes.value, means.value, means.low, means.high, len(own), votes.low, votes.high))
    return sorted(rows, key=lambda row: -row[2])


def _over_images(own: Sequence[CaptionValue], numbers: Sequence[float]) -> Interval:
    """The mean of captions' numbers; images are drawn for its interval."""
    sums: dict[str, list[float]] = {}
    for value, number in zip(own, numbers, strict=True):
        image = sums.setdefault(value.image, [0.0, 0.0])
        image[0] += number
        image[1] += 1
    return bootstrap_interval(list(sums.values()), lambda s: s[..., 0] / s[..., 1])


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


def _agreement_tables(items: Sequence[Item], responses: Sequence[Response], resamples: int) -> list[Table]:
    """Test and retest of each rater, and each against the mean of the others."""
    rounds: dict[str, dict[tuple[str, str, str], float]] = {FIRST: {}, SECOND: {}}
    for item, response in matched(items, responses):
        if item.stage not in rounds:
            continue
        field = item.form.fields[0]
        verdict = response.answers.get(field.name)
        if verdict is not None:
            key = (item.image, item.captions[0].text, response.rater)
            rounds[item.stage][key] = VALUES[str(verdict)]
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
            (name, *ends(found.alpha), found.tau_b, found.same, found.n_items) for name, found in twice
        )
        columns = ("rater", "alpha", "low", "high", "tau-b", "same verdict", "captions")
        tables.append(Table("Each rater's two rounds", columns, rows, INTERVALS))
    if len(names) > 1:
        tables.append(_left_out(np.hstack(list(matrices.values())), names, asked))
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


def _left_out(rounds: NDArray[np.float64], names: list[str], asked: dict[str, object]) -> Table:
    left_out = leave_one_rater_out(rounds, raters=names * 2, **asked)  # type: ignore[arg-type]
    rows = tuple(
        (name, *ends(found.alpha_without), found.tau_b, found.pearson, found.n_items)
        for name, found in zip(names, left_out, strict=True)
    )
    columns = ("left out", "alpha of the rest", "low", "high", "tau-b with them", "r", "captions")
    note = f"alpha over both rounds of the other raters, each round a column; {INTERVALS}"
    return Table("Each rater against the others", columns, rows, note)
