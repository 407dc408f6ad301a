"""A training's file: short names of questions, captions one by one, and what is wrong in one line."""

from __future__ import annotations

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.training import mark, read_examples

THUMB = """
protocol: thumb
examples:
  - image: tabby.jpg
    captions:
      - caption: A dog looks to the left.
        answers: {precision: 2, errors: {wrong: 0}}
        why: {precision: It is a cat.}
      - caption: A cat.
        answers: {precision: 5, recall: {value: 2, tolerance: 1}}
    why: Look at the animal first.
"""


def test_answers_stand_with_the_caption_that_they_are_about() -> None:
    (one,) = read_examples(THUMB, protocol("thumb", development_images=50))
    assert [caption.text for caption in one.item.captions] == ["A dog looks to the left.", "A cat."]
    assert one.known == {
        "A.precision": 2,
        "A.errors": {"wrong": 0},
        "B.precision": 5,
        "B.recall": {"value": 2, "tolerance": 1},
    }
    assert one.why == {"A.precision": "It is a cat.", "": "Look at the animal first."}
    assert not one.item.counts
    assert one.item.stage == "first"


def test_every_known_answer_is_marked_and_nothing_else() -> None:
    (one,) = read_examples(THUMB, protocol("thumb"))
    given = {
        "A.precision": 3.0,
        "A.errors": {"wrong": 0.0},
        "B.precision": 5.0,
        "B.recall": 1.0,
        "A.recall": 1.0,
    }
    marked = {row.field.name: (row.right, row.why) for row in mark(one, given)}
    assert marked == {
        "A.precision": (False, "It is a cat."),
        "A.errors": (True, ""),
        "B.precision": (True, ""),
        "B.recall": (True, ""),  # 1 is within 1 of 2
    }


def test_left_and_right_stay_where_the_file_has_them() -> None:
    text = "examples: [{image: a, captions: [A cat., A dog.], answers: {preference: [1, 2]}, why: A cat.}]"
    (one,) = read_examples(text, protocol("humanr"))
    assert [(caption.key, caption.text) for caption in one.item.captions] == [
        ("left", "A cat."),
        ("right", "A dog."),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("examples: []", "0 examples"),
        ("examples: [{image: a, caption: A cat.}]", "no answers are known"),
        ("examples: [{image: a, caption: A cat., answers: {verdict: good}}]", "line 1: .*not an option"),
        ("examples: [{image: a, caption: A cat., answers: {stars: 4}}]", "stars"),
        ("examples: [{caption: A cat., answers: {verdict: minor}}]", '"image" is missing'),
        ("protocol: thumb\nexamples: []", "this training is for thumb"),
        ("examples: [{image: a, captions: [A., B.], answers: {verdict: minor}}]", "2 captions at once"),
        ("examples: [{image: a, caption: A., answers: 3}]", '"answers" must be'),
        ("{", "not valid YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_examples(text, protocol("tagging"), "mine.yaml")


@pytest.mark.parametrize("name", sorted(known_protocols()))
def test_every_protocol_has_an_item_to_learn_on(name: str) -> None:
    kind = known_protocols()[name]
    if issubclass(kind, FromFile):
        pytest.skip("described by a file, not by options")
    rules, shown = kind(), ["A cat lies.", "A dog runs."]
    corpus = Corpus.from_lists(shown, [["A cat."], ["A dog."]], image_ids=["1", "2"], systems=["m", "m"])
    if not any(item.captions for item in rules.items(corpus, seed=1)):
        pytest.skip("shows no captions, so nothing can be known of them")
    for captions in (shown, shown[:1]):
        try:
            item = rules.example_item("a.jpg", captions)
        except InputError as error:
            assert "caption" in str(error)
            continue
        assert [caption.text for caption in item.captions] == captions[: len(item.captions)]
        assert item.practice
        assert item.form == rules.example_item("b.jpg", captions).form
        break
    else:
        pytest.fail("neither one caption nor two")
