"""A training's file: short names of questions, captions one by one, and what is wrong in one line."""

from __future__ import annotations

import math

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.training import Answered, TrainingRules, mark, read_examples, standing

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
