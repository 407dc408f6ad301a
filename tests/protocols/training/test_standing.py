"""Tries, the pass mark, and what follows failing."""

from __future__ import annotations

import math

import pytest

from captious.errors import InputError
from captious.protocols.training import Answered, TrainingRules, standing


def answered(*right: int, attempt: int = 1) -> list[Answered]:
    """Examples of two questions each, of which so many were right."""
    return [Answered(attempt, place, one, 2) for place, one in enumerate(right, start=1)]


def test_who_has_answered_nothing_begins_with_the_first_example() -> None:
    found = standing([], 3, TrainingRules())
    assert (found.phase, found.attempt, found.place, found.finished) == ("answering", 1, 1, 0)
    assert math.isnan(found.score)


def test_the_pass_mark_is_a_share_of_all_known_answers() -> None:
    # 4 of 5 examples wholly right and one half right: 9 of 10 known answers.
    found = standing(answered(2, 2, 1, 2, 2), 5, TrainingRules(pass_mark=0.9))
    assert (found.phase, found.score) == ("passed", 0.9)
    assert standing(answered(2, 2, 1, 2, 1), 5, TrainingRules(pass_mark=0.9)).phase == "answering"


@pytest.mark.parametrize(
    ("after", "phase", "attempt"),
    [("stop", "failed", 3), ("uncounted", "failed", 3), ("again", "answering", 3)],
)
def test_what_follows_the_last_try(after: str, phase: str, attempt: int) -> None:
    rules = TrainingRules(pass_mark=1.0, tries=2, after_failing=after)
    both = answered(1, 2) + answered(2, 1, attempt=2)
    found = standing(both, 2, rules)
    assert (found.phase, found.attempt, found.finished, found.last) == (phase, attempt, 2, 0.75)


def test_a_second_try_passes_by_itself() -> None:
    both = answered(0, 0) + answered(2, 2, attempt=2)
    found = standing(both, 2, TrainingRules(pass_mark=1.0))
    assert (found.phase, found.score, found.last) == ("passed", 1.0, 1.0)


def test_the_first_answer_to_an_example_stands() -> None:
    twice = [Answered(1, 1, 0, 2), Answered(1, 1, 2, 2)]
    assert standing(twice, 1, TrainingRules(tries=1)).phase == "failed"


@pytest.mark.parametrize(
    "given",
    [
        {"pass_mark": 1.5},
        {"pass_mark": -0.1},
        {"pass_mark": 0},
        {"tries": 0},
        {"tries": 101},
        {"after_failing": "cry"},
    ],
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        TrainingRules(**given)
