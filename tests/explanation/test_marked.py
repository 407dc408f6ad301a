from __future__ import annotations

import pytest

import captious
from captious.corpus import Corpus
from captious.errors import InputError
from captious.explanation import explain, fragment, in_words, page, picture

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


def test_metrics_that_find_nothing_cannot_be_explained() -> None:
    corpus = Corpus.from_lists(["a dog"], [["a dog"]])
    with pytest.raises(InputError, match="cider cannot be explained"):
        captious.explain(corpus, "cider")
