from __future__ import annotations

import pytest

import captious
from captious.corpus import Corpus

GOOD = "A man in a red coat holds a brown dog on a beach."


def _found(*captions: str, contexts: list[str] | None = None, metric: str = "alttext") -> captious.Scores:
    corpus = Corpus.from_lists(captions, contexts=contexts)
    return captious.score(corpus, metric, findings=True)


@pytest.mark.parametrize(
    ("text", "score", "reason"),
    [
        (GOOD, 1.0, ""),
        ("A cat, a dog, and two birds sit on a wall.", 1.0, ""),
        ("Logo of the river trust: a blue heron", 1.0, ""),
        ("IMG_2031.jpg", 0.0, "the name of a file"),
        ("dsc00412", 0.0, "the name of a file"),
        ("hero-banner.png", 0.0, "the name of a file"),
        ("image", 0.0, "tells nothing of the image"),
        ("Photo 3", 0.0, "tells nothing of the image"),
        ("logo", 0.0, "tells nothing of the image"),
        ("decorative image", 0.0, "decorative: leave the text empty"),
        ("spacer", 0.0, "decorative: leave the text empty"),
        ("shoes, red shoes, buy shoes, sale", 0.0, "a list of keywords: write a sentence"),
        ("cheap flights flights paris flights", 0.0, "a list of keywords: write a sentence"),
        ("", 0.0, "empty: right only if the image is decorative"),
        ("image of a dog on a beach", 0.75, "screen readers say that it is an image"),
        ("A picture showing two cats", 0.75, "screen readers say that it is an image"),
        (GOOD[:-1] + " and " + "walks slowly along " * 7, 0.75, "characters: keep to 150"),
    ],
)
def test_each_rule(text: str, score: float, reason: str) -> None:
    scores = _found(text)
    assert scores["alttext"].values.tolist() == [score]
    notes = scores.findings.notes
    assert (not notes) if not reason else reason in notes[0]


def test_a_text_for_several_images_and_one_that_repeats_its_place() -> None:
    scores = _found(
        "Our team in the office", "our team in the office.", GOOD, "Contact", contexts=["", "", "", "Contact"]
    )
    assert scores["alttext"].values.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert scores.findings.notes == ["the same text for 2 images"] * 2 + ["repeats the text beside it"]


def test_the_same_image_in_two_places_repeats_nothing() -> None:
    corpus = Corpus.from_lists([GOOD, GOOD], image_ids=["1", "1"])
    assert captious.score(corpus, "alttext")["alttext"].values.tolist() == [1.0, 1.0]


def test_empty_texts_that_are_meant_have_no_score() -> None:
    value = _found("", GOOD, metric="alttext[decorative=yes]")["alttext[decorative=yes]"].systems[
        "candidates"
    ]
    assert (value.score, value.n) == (1.0, 1)


def test_processes_see_texts_of_other_parts() -> None:
    corpus = Corpus.from_lists(["Our team", GOOD, "A cat sleeps.", "Our team"])
    assert captious.score(corpus, "alttext", jobs=2)["alttext"].values.tolist() == [0.0, 1.0, 1.0, 0.0]
