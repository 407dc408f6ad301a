"""Where a rater stands in the training: which example of which try, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from captious.errors import InputError

AfterFailing = Literal["stop", "uncounted", "again"]
# What happens once the last try has failed: no work; work that does not count; further tries.
AFTER_FAILING: tuple[AfterFailing, ...] = ("stop", "uncounted", "again")
Phase = Literal["answering", "passed", "failed"]
MOST_TRIES = 100
DEFAULT_PASS, DEFAULT_TRIES = 0.8, 2
LEAST_PASS = 0.01


@dataclass(frozen=True)
class TrainingRules:
    """What it takes to pass: a share of the known answers, in so many tries; and what follows failing."""

    pass_mark: float = DEFAULT_PASS
    tries: int = DEFAULT_TRIES
    after_failing: AfterFailing = "stop"

    def __post_init__(self) -> None:
        if self.pass_mark == 0:
            raise InputError("pass mark: at 0 everyone passes, whatever they answer. Give 0.01 to 1.")
        if not (isinstance(self.pass_mark, (int, float)) and LEAST_PASS <= self.pass_mark <= 1):
            raise InputError(f"pass mark: {self.pass_mark} is not a share. Give 0.01 to 1, such as 0.8.")
        if not (isinstance(self.tries, int) and 1 <= self.tries <= MOST_TRIES):
            raise InputError(f"tries: {self.tries} is not a whole number from 1 to {MOST_TRIES}.")
        if self.after_failing not in AFTER_FAILING:
            raise InputError(
                f'after failing: "{self.after_failing}" is not one of {", ".join(AFTER_FAILING)}.'
            )


class Answered(NamedTuple):
    """An answered example: in which try, at which place, `right` of `asked` known answers."""

    attempt: int
    place: int
    right: int
    asked: int


class Standing(NamedTuple):
    """Where a rater is: the example to answer next, and the last try that was finished.

    `phase` is `failed` where the last try is used up and there is no other. `score` is the best
    share of known answers in a finished try, NaN where none was finished; `last` that of the latest.
    """

    phase: Phase
    attempt: int
    place: int
    finished: int
    score: float
    last: float


def standing(answers: Iterable[Answered], examples: int, rules: TrainingRules) -> Standing:
    """Where a rater stands after these answers; a place is from 1 to `examples`.

    >>> rules = TrainingRules(pass_mark=0.8, tries=2)
    >>> standing([Answered(1, 1, 1, 2)], 2, rules)[:3]
    ('answering', 1, 2)
    >>> standing([Answered(1, 1, 1, 2), Answered(1, 2, 2, 2)], 2, rules)[:3]  # 3 of 4 is below 0.8
    ('answering', 2, 1)
    """
    tries: dict[int, dict[int, Answered]] = {}
    for one in answers:
        tries.setdefault(one.attempt, {}).setdefault(one.place, one)
    scores: list[float] = []
    attempt = 1
    while len(tries.get(attempt, {})) >= examples:
        own = tries[attempt].values()
        scores.append(_share(sum(one.right for one in own), sum(one.asked for one in own)))
        attempt += 1
    best, last = (max(scores), scores[-1]) if scores else (math.nan, math.nan)
    phase: Phase = "answering"
    if scores and best >= rules.pass_mark - 1e-9:
        phase = "passed"
    elif len(scores) >= rules.tries and rules.after_failing != "again":
        phase = "failed"
    done = tries.get(attempt, {})
    place = next(at for at in range(1, examples + 2) if at not in done)
    return Standing(phase, attempt, place, len(scores), best, last)


def _share(right: int, asked: int) -> float:
    return right / asked if asked else 1.0
