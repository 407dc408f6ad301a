from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Field, Form, Option, Problem, When, known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.item import LONGEST_TEXT, item_from_dict, item_to_dict
from captious.protocols.thumb.fluency import RUBRIC

PROTOCOLS = [name for name, kind in known_protocols().items() if not issubclass(kind, FromFile)]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_items_survive_storage(name: str, made_up: Callable[..., Corpus]) -> None:
    for item in protocol(name).items(made_up(3), seed=1):
        assert item_from_dict(json.loads(json.dumps(item_to_dict(item)))) == item


def test_broken_storage_is_one_line() -> None:
    with pytest.raises(InputError, match="stored item: 'key' is missing"):
        item_from_dict({})


FORM = Form(
    (
        Field("stars", "number", "Stars", low=1, high=5, step=1, caption="A"),
        Field("why", "text", "Why", when=When("stars", below=5)),
        Field("kind", "choice", "Which kind?", options=(Option("x", "X"), Option("y", "Y"))),
        Field("more", "text", "More", required=False, when=When("kind", has="y")),
        Field("errors", "multi", "Errors", required=False, options=RUBRIC),
    )
)
GOOD = {"stars": 5, "kind": "x"}


def problem(answers: dict[str, object]) -> Problem:
    found = FORM.check(answers)
    assert isinstance(found, list)
    assert len(found) == 1
    return found[0]


def test_good_answers_come_back_clean() -> None:
    answers = {"stars": "4", "why": "  too \n long ", "kind": "y", "more": "", "errors": ["casing"]}
    assert FORM.check(answers) == {"stars": 4.0, "why": "too long", "kind": "y", "errors": {"casing": 0.1}}


def test_an_answer_that_an_earlier_one_makes_pointless_is_dropped() -> None:
    assert FORM.check(GOOD | {"why": "left over", "more": "also"}) == {
        "stars": 5.0,
        "kind": "x",
        "errors": {},
    }


@pytest.mark.parametrize("value", [0, 6, 2.5, "four", "nan", "inf", True, None, "", [], {"a": 1}])
def test_a_number_outside_its_scale_is_one_line(value: object) -> None:
    found = problem(GOOD | {"stars": value})
    assert found.field == "stars"
    assert found.message.startswith("Caption A, Stars: ")
    assert "a whole number from 1 to 5" in found.message
    assert "\n" not in found.message


@pytest.mark.parametrize(
    ("answers", "field", "says"),
    [
        ({"stars": 4, "kind": "x"}, "why", "Why: No answer. Write a few words."),
        ({"stars": 4, "kind": "x", "why": 7}, "why", "Why: 7 is not text. Write a few words."),
        (GOOD | {"kind": "z"}, "kind", 'Which kind? "z" is not an option. Choose x, y.'),
        ({"stars": 5}, "kind", "Which kind? No answer. Choose one."),
        (GOOD | {"colour": "red"}, "colour", '"colour" is not a question of this form.'),
        (GOOD | {"a\nb": "red"}, "a\\nb", '"a\\nb" is not a question of this form.'),
        (
            GOOD | {"errors": {"casing": 0.3}},
            "errors",
            'Errors: "Casing" is always 0.1; found 0.3. Leave the amount empty.',
        ),
        (
            GOOD | {"errors": {"awkward": 0.6}},
            "errors",
            'Errors: "Awkward construction" needs a number from 0.1 to 0.5; found 0.6.',
        ),
        (
            GOOD | {"errors": ["broken"]},
            "errors",
            'Errors: "Broken sentence" needs a number from 0.5 to 5; found no amount.',
        ),
        (
            GOOD | {"errors": {"broken": 0.4}},
            "errors",
            'Errors: "Broken sentence" needs a number from 0.5 to 5; found 0.4.',
        ),
    ],
)
def test_each_bad_answer_is_one_clear_line(answers: dict[str, object], field: str, says: str) -> None:
    assert problem(answers) == Problem(field, says)


def test_a_text_may_not_be_endless() -> None:
    found = problem({"stars": 4, "kind": "x", "why": "w" * (LONGEST_TEXT + 1)})
    assert found.message == "Why: 2001 characters are too many. Use 2000 at most."


def test_every_bad_field_is_named_at_once() -> None:
    found = FORM.check({"stars": 9, "kind": "q", "errors": "nonsense"})
    assert [one.field for one in found if isinstance(one, Problem)] == ["stars", "kind", "errors"]


def test_a_submitted_page_becomes_answers() -> None:
    pairs = [
        ("stars", "4"),
        ("why", "so"),
        ("kind", "x"),
        ("errors", "casing"),
        ("errors", "broken"),
        ("errors.broken", "0.7"),
        ("errors.awkward", " "),
    ]
    assert FORM.check(FORM.read(pairs)) == {
        "stars": 4.0,
        "why": "so",
        "kind": "x",
        "errors": {"casing": 0.1, "broken": 0.7},
    }


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(["stars", "why", "kind", "more", "errors", "other"])


@settings(deadline=None)
@given(st.dictionaries(NAMES, ANYTHING))
def test_whatever_is_sent_is_answers_or_one_line_a_problem(answers: dict[str, object]) -> None:
    found = FORM.check(answers)
    if isinstance(found, list):
        assert found
        assert all(len(one.message.splitlines()) == 1 for one in found)
        assert len({one.field for one in found}) == len(found)
    else:
        assert FORM.check(dict(found)) == found
