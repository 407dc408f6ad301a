"""Marks in a caption: what is taken, what is refused, and what they say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Form, Problem, Response, rules_of
from captious.protocols.known import answer_right, best_answer, check_known
from captious.protocols.questions.base import Field
from captious.protocols.questions.spans import KINDS, SEVERITIES

FIELD = Field("marks", "spans", "What is wrong?", options=(*KINDS, *SEVERITIES), high=5)
CAPTION = "Two dogs and two dogs 🐕‍🦺 run."
RULES = FIELD.rules


def answer(*marks: Any) -> Any:
    """What is stored of marks, or the one line that refuses them."""
    found = Form((FIELD,)).check({"marks": list(marks)}, {"A": CAPTION})
    return found["marks"] if isinstance(found, dict) else found[0].message


def mark(
    start: int | None, end: int | None, kind: str = "object", severity: str = "minor", **more: Any
) -> Any:
    return {"start": start, "end": end, "kind": kind, "severity": severity, **more}


def test_marks_come_back_in_the_order_of_the_caption_with_their_words() -> None:
    found = answer(
        mark(None, None, note=" a  ball "), mark(22, 25), mark(4, 8, severity="major", note="cats")
    )
    assert [(one.get("text"), one.get("note")) for one in found] == [
        ("dogs", "cats"),
        ("🐕‍🦺", None),
        (None, "a ball"),
    ]
    assert (
        RULES.words(FIELD, found)
        == "“dogs” Object, major (cats); “🐕‍🦺” Object, minor; missing: a ball (Object, minor)"
    )


def test_copied_words_stand_for_their_next_place() -> None:
    two = {"words": "dogs", "kind": "object", "severity": "minor"}
    assert [one["start"] for one in answer(two, two)] == [4, 17]
    assert answer(two, two, two) == (
        'What is wrong? "dogs" is not in the caption. Copy the words as they stand there.'
    )


def test_nothing_marked_is_an_answer_and_no_answer_is_none() -> None:
    assert answer() == []
    assert RULES.words(FIELD, []) == "nothing"
    left_out = Form((FIELD,)).check({})
    assert isinstance(left_out, list) and left_out[0].message.endswith("No answer. Mark what is wrong.")


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ([mark(4, 4)], "holds no words"),
        ([mark(3, 4)], "holds no words"),  # a space
        ([mark(25, 99)], "holds no words"),
        ([mark(-1, 4)], "holds no words"),
        ([mark(4.5, 8)], "is not two whole numbers"),
        ([mark(True, 8)], "is not two whole numbers"),
        ([mark(4, None)], "is not two whole numbers"),
        ([mark(4, 8, text="cats")], '"cats" is not what stands there'),
        ([mark(4, 8, "colour")], '"colour" is not a kind. Choose object, attribute'),
        ([mark(4, 8, severity="fatal")], '"fatal" is not a severity. Choose minor, major.'),
        ([mark(4, 8), mark(4, 8, severity="major")], '"dogs" is marked twice as object'),
        ([mark(None, None, note="A ball"), mark(None, None, note="a ball")], "is marked twice"),
        ([mark(None, None)], "Say in a few words what is missing."),
        ([mark(None, None, note="x" * 301)], "too long"),
        ([mark(4, 8, system="m")], "is not a mark"),
        (["dogs"], "is not a mark"),
        ([mark(at, at + 1) for at in (0, 1, 2, 4, 5, 6)], "6 marks are too many. Mark 5 at most."),
    ],
)
def test_what_is_no_mark_is_refused_in_one_line(marks: list[Any], said: str) -> None:
    found = answer(*marks)
    assert isinstance(found, str) and said in found and len(found.splitlines()) == 1


def test_the_rows_of_a_page_without_scripts() -> None:
    rows = [
        ("dogs", "wrong", "count", "major", "", ""),
        ("", "wrong", "object", "minor", "", ""),
        ("a red ball", "missing", "object", "minor", "", ""),
        ("dogs", "wrong", "object", "minor", "17", "0"),  # the second, as it was suggested
    ]
    columns = ("words", "place", "kind", "severity", "at", "of")
    sent = [(f"marks.{name}", cell) for row in rows for name, cell in zip(columns, row, strict=True)]
    form = Form((FIELD,))
    found = form.check(form.read([*sent, ("marks.kept", "3")]), {"A": CAPTION})
    assert found == {
        "marks": [
            mark(4, 8, "count", "major", text="dogs"),
            mark(17, 21, text="dogs", of=0, kept=True),
            mark(None, None, note="a red ball"),
        ]
    }


def test_kinds_severities_and_places_as_numbers() -> None:
    found = answer(mark(4, 8, severity="major"), mark(9, 12, "text"))
    numbers = {one.part: one.value for one in RULES.judged(FIELD, found)}
    assert numbers == dict.fromkeys(("attribute", "count", "relation", "inference"), 0.0) | {
        "object": 1.0, "text": 1.0, "errors": 2.0, "severity": 6.0,
    }  # fmt: skip
    places = RULES.places(FIELD, found) or ()
    assert [(one.start, one.end, one.kind, one.severity) for one in places] == [
        (4, 8, "object", "major"),
        (9, 12, "text", "minor"),
    ]


def test_raters_are_apart_by_the_characters_that_only_one_marked() -> None:
    # Four characters and seven, of which two are common: 1 - 2 * 2 / 11.
    one, other = answer(mark(4, 8)), answer(mark(6, 13, "text"))
    assert RULES.apart(FIELD, one, other) == pytest.approx(1 - 4 / 11)
    assert RULES.apart(FIELD, [], []) == 0
    assert RULES.apart(FIELD, one, []) == 1


def test_a_known_answer_is_one_list_of_marks() -> None:
    known = [{"words": "dogs", "kind": "object"}, mark(None, None, note="a ball")]
    given = answer(mark(0, 8, severity="major"), mark(None, None, note="some ball"))
    assert answer_right(FIELD, known, given)
    assert not answer_right(FIELD, known, answer(mark(0, 8)))
    assert not answer_right(FIELD, known, answer(mark(0, 8, "text"), mark(None, None, note="ball")))
    assert best_answer(known, FIELD) == known
    item = rules_of("spans", {}).items(Corpus.from_lists(["A cat."]), seed=1)[0]
    with pytest.raises(InputError, match='"dogs" is not in the caption'):
        check_known(item, {"marks": known}, "gold")


def test_a_file_names_its_own_kinds_and_severities() -> None:
    text = """
name: mine
questions:
- aspect: faults
  kind: spans
  ask: What is wrong
  kinds: [object, tone]
  severities: {slight: 0.5, bad: 3}
  most: 2
"""
    rules = rules_of("generic", {}, text)
    (item,) = rules.items(Corpus.from_lists(["A red dog."], systems=["m"]), seed=1)
    marks = [{"words": "red", "kind": "tone", "severity": "bad"}]
    response = rules.validate(item, {"faults": marks}, rater="ann")
    assert isinstance(response, Response)
    rows = {row.aspect: row.value for row in rules.rows([item], [response])}
    assert rows == {"faults: object": 0, "faults: tone": 1, "faults: errors": 1, "faults: severity": 3}
    for wrong in ("kinds: [object, object]", "severities: [minor]", "severities: {minor: -1}", "most: 0"):
        with pytest.raises(InputError, match="line 3"):
            rules_of("generic", {}, f"name: x\nquestions:\n- {{aspect: a, kind: spans, ask: b, {wrong}}}\n")


@given(st.text(min_size=1, max_size=30), st.data())
def test_words_and_offsets_name_the_same_place(caption: str, data: st.DataObject) -> None:
    """Whatever the characters: combining marks, emoji, half a cluster."""
    start = data.draw(st.integers(0, len(caption) - 1))
    end = data.draw(st.integers(start + 1, len(caption)))
    found = Form((FIELD,)).check({"marks": [mark(start, end)]}, {"A": caption})
    if isinstance(found, list):
        assert isinstance(found[0], Problem) and not caption[start:end].strip()
    else:
        assert found["marks"][0]["text"] == caption[start:end]


def test_a_decision_starts_from_the_marks_that_all_raters_share() -> None:
    ann, bob = (
        [
            {"start": 0, "end": 3, "kind": "count", "severity": severity},
            {"start": 4, "end": end, "kind": "object", "severity": "minor"},
            {"start": None, "end": None, "kind": "object", "severity": "minor", "note": note},
        ]
        for severity, end, note in (("minor", 7, "a Sofa"), ("major", 12, "a sofa"))
    )
    shared = FIELD.rules.common(FIELD, [ann, bob])
    assert [(one["start"], one.get("note")) for one in shared] == [(0, None), (None, "a Sofa")]
    assert FIELD.rules.common(FIELD, [ann, []]) == []
