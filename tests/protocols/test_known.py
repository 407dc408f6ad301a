"""What counts as the known answer, and which known answers nobody could give."""

from __future__ import annotations

from typing import Any

import pytest

from captious.errors import InputError
from captious.protocols import Field, Form, Item, Option, protocol
from captious.protocols.known import answers_right, best_answer, check_known

STARS = Field("stars", "scale", "Stars", low=1, high=5, step=1)
ERRORS = Field("errors", "multi", "Errors", required=False, options=(Option("casing", "Casing", amount=0.1),))
BEST = Field("best", "rank", "Best", options=(Option("A", "A"), Option("B", "B")))
VERDICT = Field(
    "verdict", "choice", "Verdict", options=(Option("minor", "Minor"), Option("serious", "Serious"))
)
ITEM = Item("k", "7", (), Form((STARS, ERRORS, BEST, VERDICT)), {})


@pytest.mark.parametrize(
    ("known", "given", "right"),
    [
        ({"stars": 4}, {"stars": 4.0}, True),
        ({"stars": 4}, {"stars": 5.0}, False),
        ({"stars": {"value": 4, "tolerance": 1}}, {"stars": 5.0}, True),
        ({"stars": {"value": 4, "tolerance": 1}}, {"stars": 2.0}, False),
        ({"verdict": ["minor", "serious"]}, {"verdict": "serious"}, True),
        ({"verdict": "minor"}, {}, False),
        ({"errors": {"casing": 0.1}}, {"errors": {"casing": 0.1}}, True),
        ({"errors": {"casing": 0.1}}, {"errors": {}}, False),
        ({"errors": {}}, {"errors": {}}, True),
        ({"best": {"A": 1, "B": 2}}, {"best": {"A": 1.0, "B": 2.0}}, True),
        ({"best": {"A": 1, "B": 2}}, {"best": {"A": 2.0, "B": 1.0}}, False),
        ({"stars": 4, "other": 1}, {"stars": 4.0, "other": 1}, False),
    ],
)
def test_known_answers_allow_a_tolerance_or_several(known: Any, given: Any, right: bool) -> None:
    assert answers_right(ITEM, known, given) is right


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"verdict": "fine"}, '"fine" is not an option'),
        ({"verdict": ["minor", "fine"]}, '"fine" is not an option'),
        ({"stars": 4}, "stars"),
    ],
)
def test_a_known_answer_that_the_form_does_not_take_is_refused(known: dict[str, object], said: str) -> None:
    item = protocol("tagging").example_item("a.jpg", ["A dog."])
    with pytest.raises(InputError, match=said):
        check_known(item, known, "example 1")


def test_a_question_that_depends_on_another_may_have_a_known_answer() -> None:
    item = protocol("thumb").example_item("a.jpg", ["A dog."])
    check_known(item, {"A.errors": {"wrong": 0}, "A.fluency": {}, "A.recall": [2, 3]}, "example 1")


def test_the_best_answer_is_the_one_that_is_named_first() -> None:
    assert best_answer({"value": 3, "tolerance": 1}) == 3
    assert best_answer(["minor", "serious"]) == "minor"
    assert best_answer({}) == {}
