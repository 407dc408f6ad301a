from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.corpus import Judgments
from captious.errors import InputError
from captious.protocols import Field, protocol
from captious.protocols.generic.file import parse_protocol, scales_text

GOOD = """\
name: alt text
questions:
  - kind: scale
    aspect: helpful
    ask: >
      Would it help
      someone?
    labels:
      1: Not at all
guide:
  - title: Who reads it
    text: Someone who cannot see the image.
    examples: [A dog., A cat.]
"""


def test_a_good_file() -> None:
    found = parse_protocol(GOOD)
    assert (found.label, found.raters, found.comment) == ("alt text", 1, False)
    assert found.questions[0].kind == "scale"
    assert found.questions[0].label == "Would it help someone?"
    assert (found.questions[0].low, found.questions[0].high) == (1, 5)
    assert found.guides[0].examples == ("A dog.", "A cat.")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: scale", "kind: votes", 'line 3: unknown question kind "votes". Known:'),
        ("questions:", "kind: stars\nquestions:", 'line 2: kind "stars" of a whole file. Give each question'),
        ("    labels:", "    ties: true\n    labels:", 'line 8: unknown key "ties"'),
        ("name: alt text", "name: [a]", 'line 1: "name" must be a text'),
        ("name: alt text", "nam: x", 'line 1: unknown key "nam". Did you mean "name"?'),
        ("kind: scale", "kind: scale\n    kind: scale", 'line 4: "kind" is given twice.'),
        ("    labels:", "    high: 1\n    labels:", "line 8: a scale from 1 to 1"),
        ("    labels:", "    high: 9999\n    labels:", "line 8: a scale from 1 to 9999"),
        ("    labels:", "    high: yes\n    labels:", 'line 8: "high" must be a whole number'),
        ("      1: Not", "      7: Not", "line 9: label of 7: no point from 1 to 5."),
        ("      1: Not at all", "      1: 2", "line 9: label of 1: 2 is not a text. Quote it."),
        ("aspect: helpful", "aspect: a b!", 'line 4: aspect "a b!": use letters'),
        ("    labels:", "    high: 102\n    labels:", "line 8: a scale from 1 to 102: give a high above"),
        ("    labels:", "    low: 5\n    labels:", "line 8: a scale from 5 to 5: give a high above"),
        ("      1: Not", "      0: Not", "line 9: label of 0: no point from 1 to 5."),
        ("      1: Not", "      6: Not", "line 9: label of 6: no point from 1 to 5."),
        ("      1: Not", "      true: Not", "label of True: no point from 1 to 5."),
        ("    labels:\n      1: Not at all", "    labels: [Poor]", 'line 8: "labels" must be points with'),
        ("questions:", "group_size: 0\nquestions:", 'line 2: "group_size" is 0. Give 1 or more.'),
        ("aspect: helpful", "aspect: comment", 'line 4: aspect "comment"'),
        ("  - kind", "  - low: 1\n  - kind", 'line 3: "aspect" is missing.'),
        ("[A dog., A cat.]", "[A dog., 3]", "line 13: example 3 is not a text. Quote it."),
        ("guide:", "raters: 0\nguide:", 'line 10: "raters" is 0. Give 1 or more.'),
        ("guide:", "comment: perhaps\nguide:", 'line 10: "comment" must be true or false'),
        ("guide:", "guide: {}\nx:", 'line 11: unknown key "x"'),
        ("name: alt text", "name: 'alt", "not valid YAML"),
        ("name: alt text", "name: &a x\n? *a\n: y", "line 2: aliases (*) are not supported."),
        ("name: alt text", "name: !!python/object:os.system x", "line 1: not valid YAML"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_number(old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        parse_protocol(GOOD.replace(old, new, 1), "my.yaml")
    message = str(caught.value)
    assert message.startswith("my.yaml: ")
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "text", ["", "- a", "7", "questions: 3\nname: x\nkind: likert", "[" * 9000, " " * 200_000]
)
def test_no_protocol_at_all(text: str) -> None:
    with pytest.raises(InputError):
        parse_protocol(text)


def labels(field: Field) -> list[tuple[str, str]]:
    return [(option.value, option.label) for option in field.options]


def test_everything_that_a_file_may_say() -> None:
    found = parse_protocol(
        "name: x\nkind: likert\nraters: 3\nonce_per_image: true\ngroup_size: 4\ncomment: true\nquestions:\n"
        "- {aspect: a-b_1, ask: b, help: c, low: -50, high: 50, labels: {50: Best, -50: Worst}}\n"
        "- {aspect: d, ask: e, labels: {1: Low, 5: High}}\n"
    )
    assert (found.raters, found.once_per_image, found.group_size, found.comment) == (3, True, 4, True)
    first, second = found.questions
    assert (first.name, first.label, first.help) == ("a-b_1", "b", "c")
    # 101 points are the most.
    assert (first.low, first.high, labels(first)) == (-50, 50, [("-50", "Worst"), ("50", "Best")])
    assert (second.help, labels(second)) == ("", [("1", "Low"), ("5", "High")])


def test_what_a_file_leaves_out() -> None:
    found = parse_protocol("name: x\nkind: pairwise\nquestions:\n- {aspect: a, ask: b}\n")
    assert (found.raters, found.once_per_image, found.group_size, found.comment) == (1, False, 1, False)
    assert (found.guides, found.questions[0].kind, len(found.questions[0].options)) == ((), "pair", 3)
    strict = "name: x\nkind: pairwise\nquestions:\n- {aspect: a, ask: b, ties: false}\n"
    assert parse_protocol(strict).questions[0].option("both") is None


def judged(**aspects: list[float]) -> Judgments:
    rows = [(aspect, at, value) for aspect, values in aspects.items() for at, value in enumerate(values)]
    return Judgments.from_columns(
        images=[f"{at}" for _, at, _ in rows],
        values=[value for *_, value in rows],
        aspects=[aspect for aspect, *_ in rows],
    )


def test_a_likert_protocol_is_made_from_judgments() -> None:
    found = parse_protocol(scales_text(judged(good=[2, 7, 4], same=[3, 3]), "old"))
    assert (found.label, found.questions[0].kind) == ("old", "scale")
    # Where everyone gave the same point the scale has two.
    assert [(one.name, one.low, one.high) for one in found.questions] == [("good", 2, 7), ("same", 3, 4)]
    widest = parse_protocol(scales_text(judged(good=[0, 100]), "old"))
    assert (widest.questions[0].low, widest.questions[0].high) == (0, 100)


def test_judgments_that_are_no_scale_are_refused() -> None:
    with pytest.raises(InputError, match=r"values such as 2\.5 are not points"):
        scales_text(judged(good=[2, 2.5]), "old")
    with pytest.raises(InputError, match="good goes from 0 to 101: too wide"):
        scales_text(judged(good=[0, 101]), "old")


def test_an_aspect_twice() -> None:
    text = "name: x\nkind: pairwise\nquestions:\n- {aspect: a, ask: b}\n- {aspect: a, ask: c}\n"
    with pytest.raises(InputError, match='line 5: aspect "a" is asked twice'):
        parse_protocol(text)


def test_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    with pytest.raises(InputError, match="there is no such file"):
        protocol(str(path))
    path.write_text(GOOD)
    assert protocol(str(path)) == parse_protocol(GOOD)


@settings(deadline=None)
@given(st.text(alphabet="namekind:likert-[]{}\n \t'\"&*!#|>?%@`0123\x00é", max_size=80))
def test_any_text_is_a_protocol_or_one_line(text: str) -> None:
    try:
        parse_protocol(text)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
