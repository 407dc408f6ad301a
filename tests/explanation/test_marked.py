from __future__ import annotations

import math

import pytest

import captious
from captious.corpus import Corpus
from captious.errors import InputError
from captious.explanation import LeftOutExplanation, explain, fragment, in_words, page, picture

OBJECTS = {"7": ["dog", "frisbee"], "8": ["cat"]}


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(["A pup & a surfboard", "a cat"], image_ids=["7", "8"], objects=OBJECTS)


def test_the_caption_with_most_faults_is_explained_and_its_findings_are_a_table(corpus: Corpus) -> None:
    (one,) = found = explain(corpus, "chair")  # CHAIRi .5 and 0: the highest is the worst
    (table,) = found.tables()
    assert table.title == "chair 0.5000, candidates, image 7: A pup & a surfboard"
    assert table.rows == [["surfboard", "object", "–", "–", "surfboard", "–"]]
    assert table.note.startswith("chair|refs:none|objects:all|")
    assert one.to_dict()["findings"][0] | {"note": ""} == {
        "start": 10, "end": 19, "text": "surfboard", "kind": "object", "severity": "", "confidence": None,
        "note": "", "evidence": "surfboard",
    }  # fmt: skip
    assert in_words(one) == "surfboard: object (surfboard)."


def test_what_is_missing_and_nothing(corpus: Corpus) -> None:
    tables = [explain(corpus, "chair_recall", image_id=image).tables()[0] for image in ("7", "8")]
    assert [row[:2] for row in tables[0].rows] == [["(missing)", "object"]]
    assert tables[1].rows == [] and tables[1].note.startswith("nothing found")


def test_the_page_marks_the_caption(corpus: Corpus) -> None:
    found = explain(corpus, "chair")
    marked = "A pup &amp; a <mark"
    assert marked in page(found) and marked in found._repr_html_() and marked in fragment(found[0], "x")
    with pytest.raises(InputError, match="no drawing"):
        picture(found[0])


def test_other_metrics_of_text_are_explained_by_leaving_out_words() -> None:
    corpus = Corpus.from_lists(["a dog runs", "two cats"], [["a dog runs"], ["two red cats"]])
    found = captious.explain(corpus, "bleu1", image_id="0")
    (one,) = found
    assert isinstance(one, LeftOutExplanation)
    # Two of three words match the reference of three: precision 1, brevity e^(1 - 3/2).
    assert [word.name for word in one.words] == ["a", "dog", "runs"]
    assert [word.without for word in one.words] == pytest.approx([math.exp(-0.5)] * 3)
    assert [word.loss for word in one.words] == pytest.approx([1 - math.exp(-0.5)] * 3)
    assert ">dog<" in page(found) and "dog" in found._repr_html_()
    assert in_words(one).startswith("Drop in the score without each word: a +0.393")
    with pytest.raises(InputError, match="no drawing"):
        picture(one)


def test_document_frequencies_are_those_of_the_corpus() -> None:
    corpus = Corpus.from_lists(["a dog runs", "two cats"], [["a dog runs"], ["two red cats"]])
    (one,) = captious.explain(corpus, "cider[tokeniser=space]", image_id="0")
    whole = captious.score(corpus, "cider[tokeniser=space]")["cider[tokeniser=space]"].values[0]
    assert one.score == pytest.approx(whole)
    without = Corpus.from_lists(["dog runs", "two cats"], [["a dog runs"], ["two red cats"]])
    again = captious.score(without, "cider[tokeniser=space]")["cider[tokeniser=space]"].values[0]
    assert one.words[0].without == pytest.approx(again)
