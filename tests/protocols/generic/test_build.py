"""A protocol from a form: what is written is what the file's reader understands."""

from __future__ import annotations

import pytest

from captious.errors import FieldError
from captious.protocols.generic.build import built_text
from captious.protocols.generic.file import parse_protocol

SCALE = {
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
    assert (found.raters, found.comment, found.label) == (3, True, "Would it help: really?")
    first, second = found.questions
    assert (first.name, first.label, first.low, first.high) == ("helpful", "Would it help: really?", 0, 10)
    assert [(one.value, one.label) for one in first.options] == [("0", 'Not "at all"'), ("10", "Yes")]
    assert (second.name, second.label, second.low, second.high) == ("q4", "no", 1, 5)


def test_a_choice_between_two() -> None:
    typed = {"build.1.kind": "pair", "build.1.ask": "Which is better?"}
    (question,) = parse_protocol(built_text(typed)).questions
    assert (question.kind, len(question.options)) == ("pair", 3)
    (strict,) = parse_protocol(built_text(typed | {"build.1.no_ties": "yes"})).questions
    assert len(strict.options) == 2


def test_a_form_of_several_kinds() -> None:
    found = parse_protocol(
        built_text(
            {
                "build.1.ask": "How well?",
                "build.2.kind": "choice",
                "build.2.ask": "What is wrong?",
                "build.2.options": "Colour\n\n  Count \nno\n",
                "build.3.kind": "text",
                "build.3.ask": "Why?",
                "build.3.optional": "yes",
                "build.4.kind": "number",
                "build.4.ask": "How many?",
                "build.4.low": "0",
                "build.4.step": "0.5",
            }
        )
    )
    assert [(one.kind, one.required) for one in found.questions] == [
        ("scale", True),
        ("choice", True),
        ("text", False),
        ("number", True),
    ]
    assert [option.value for option in found.questions[1].options] == ["Colour", "Count", "no"]
    assert (found.questions[3].low, found.questions[3].high, found.questions[3].step) == (0, None, 0.5)


def test_nothing_typed_is_nothing() -> None:
    assert built_text({"build.1.ask": "  "}) == ""


def test_a_number_that_is_none_is_said() -> None:
    with pytest.raises(FieldError, match='question 1, "x": the low end: "few" is not a number') as told:
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
        ({"build.4.kind": "choice"}, "build.4.options", 'question 4, "no": "options" must be two or more'),
        ({"build.4.kind": "stars"}, "build.4.kind", 'question 4, "no": unknown question kind "stars"'),
        ({"build.4.low": "1.5"}, "build.4.low", 'question 4, "no": "low" must be a whole number'),
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
    (question,) = parse_protocol(built_text({"build.1.ask": "Is it\x7f true\x07?"})).questions
    assert question.label == "Is it true ?"
