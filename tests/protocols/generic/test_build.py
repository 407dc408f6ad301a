"""A protocol from a form: what is written is what the file's reader understands."""

from __future__ import annotations

import pytest

from captious.errors import FieldError
from captious.protocols.generic.build import built_text
from captious.protocols.generic.file import parse_protocol

SCALE = {
    "build.kind": "likert",
    "build.raters": "3",
    "build.comment": "yes",
    "build.1.ask": "Would it help: really?",
    "build.1.aspect": "helpful",
    "build.1.low": "0",
    "build.1.high": "10",
    "build.1.low_label": 'Not "at all"',
    "build.1.high_label": "Yes",
    "build.4.ask": "no",
}


def test_a_scale_comes_back_as_typed() -> None:
    found = parse_protocol(built_text(SCALE))
    assert (found.kind, found.raters, found.comment, found.label) == (
        "likert",
        3,
        True,
        "Would it help: really?",
    )
    first, second = found.questions
    assert (first.aspect, first.ask, first.low, first.high) == ("helpful", "Would it help: really?", 0, 10)
    assert first.labels == ((0, 'Not "at all"'), (10, "Yes"))
    assert (second.aspect, second.ask, second.low, second.high) == ("q4", "no", 1, 5)


def test_a_choice_between_two() -> None:
    found = parse_protocol(built_text({"build.kind": "pairwise", "build.1.ask": "Which is better?"}))
    assert (found.kind, found.questions[0].ties) == ("pairwise", True)


def test_nothing_typed_is_nothing() -> None:
    assert built_text({"build.kind": "likert", "build.1.ask": "  "}) == ""


def test_a_number_that_is_none_is_said() -> None:
    with pytest.raises(
        FieldError, match='question 1, "x": the low end of the scale: "few" is not a whole number'
    ) as told:
        built_text({"build.1.ask": "x", "build.1.low": "few"})
    assert told.value.field == "build.1.low"


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"build.4.high": "1"}, "build.4.high", 'question 4, "no": a scale from 1 to 1: give a high'),
        ({"build.4.aspect": "a b"}, "build.4.aspect", 'question 4, "no": aspect "a b": use letters'),
        (
            {"build.4.aspect": "helpful"},
            "build.4.aspect",
            'question 4, "no": aspect "helpful" is asked twice',
        ),
        ({"build.raters": "0"}, "build.raters", '"raters" is 0. Give 1 or more'),
    ],
)
def test_a_mistake_names_the_question_and_its_field(changed: dict[str, str], field: str, said: str) -> None:
    """Nobody has written the file, so its lines tell nothing; row 4 is its second question."""
    with pytest.raises(FieldError) as told:
        built_text({**SCALE, **changed})
    assert (told.value.field, str(told.value)[: len(said)]) == (field, said)
    assert "line" not in str(told.value)


def test_what_cannot_be_printed_is_left_out() -> None:
    assert (
        parse_protocol(built_text({"build.1.ask": "Is it\x7f true\x07?"})).questions[0].ask == "Is it true ?"
    )
