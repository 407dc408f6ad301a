"""What counts as the known answer, and which known answers nobody could give."""

from __future__ import annotations

import pytest

from captious.errors import InputError
from captious.protocols import protocol
from captious.protocols.known import answers_right, best_answer, check_known


def test_known_answers_allow_a_tolerance_or_several() -> None:
    assert answers_right({"stars": 4}, {"stars": 4.0})
    assert not answers_right({"stars": 4}, {"stars": 5.0})
    assert answers_right({"stars": {"value": 4, "tolerance": 1}}, {"stars": 5.0})
    assert not answers_right({"stars": {"value": 4, "tolerance": 1}}, {"stars": 2.0})
    assert answers_right({"verdict": ["minor", "serious"]}, {"verdict": "serious"})
    assert not answers_right({"verdict": "minor"}, {})
    assert answers_right({"errors": {"casing": 0.1}}, {"errors": {"casing": 0.1}})
    assert not answers_right({"errors": {"casing": 0.1}}, {"errors": {}})


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
