"""Findings of metrics that know which words nothing supports."""

from __future__ import annotations

import pytest

import captious
from captious.corpus import Corpus
from captious.corpus.findings import Finding
from captious.groups import missing_for

CAPTION = "Two brown Dogs are sitting next to a woman 😀 on red mats."
REFERENCE = "A black dog sits on a blue mat near a man."


def found(metric: str, *, objects: list[str] | None = None, caption: str = CAPTION) -> list[Finding]:
    if reason := missing_for(metric):
        pytest.skip(reason)
    corpus = Corpus.from_lists([caption], [[REFERENCE]], objects={"0": objects} if objects else None)
    return list(captious.score(corpus, metric, findings=True).findings.rows())


def test_vcr_precision_marks_words_that_the_pool_lacks() -> None:
    rows = found("vcr_precision[stop=english]", objects=["d80:mats"])
    # "mats" is the detector's label; "two" and "next" are stop words of the list.
    assert [row.text for row in rows] == ["brown", "Dogs", "sitting", "woman", "red"]
    assert {row.kind for row in rows} == {"word"}


def test_vifidel_marks_what_is_near_to_no_object_and_what_is_missing() -> None:
    rows = found("vifidel", objects=["dog", "giraffe"], caption="A Dog rides a motorcycle")
    marked = [(row.text, row.kind, row.evidence) for row in rows if row.text]
    assert ("motorcycle", "word", "dog") in marked and "Dog" not in [text for text, _, _ in marked]
    assert [(row.kind, row.evidence) for row in rows if not row.text] == [("object", "giraffe")]
    assert all(0.4 <= row.confidence <= 1 for row in rows if row.text)  # cosines below 0.6


def test_vifidel_did_not_look_where_an_image_has_no_objects() -> None:
    if reason := missing_for("vifidel"):
        pytest.skip(reason)
    corpus = Corpus.from_lists(["a dog", "a cat"], objects={"0": ["dog"], "1": []})
    findings = captious.score(corpus, "vifidel[references=none]", findings=True).findings
    assert findings.ids == ["0|candidates"] and len(findings) == 0


def test_spice_marks_the_tuples_that_no_reference_has() -> None:
    rows = [(row.text, row.kind, row.evidence) for row in found("spice")]
    assert ("Two", "count", "dog - two") in rows and ("brown", "attribute", "dog - brown") in rows
    assert ("woman", "object", "woman") in rows and ("red", "attribute", "mat - red") in rows
    assert not {"Dogs", "mats"} & {text for text, _, _ in rows}


def test_captious_marks_contradictions_and_unsupported_words() -> None:
    rows = {row.text: row for row in found("captious")}
    # The reference has other colours and the other gender, but no number.
    assert (rows["brown"].kind, rows["brown"].severity, rows["brown"].evidence) == (
        "attribute",
        "major",
        "black, blue",
    )
    assert (rows["woman"].kind, rows["woman"].evidence) == ("object", "man")
    assert (rows["Two"].kind, rows["Two"].severity, rows["Two"].confidence) == ("count", "minor", 0.5)
    assert rows["next"].kind == "word"
    assert not {"Dogs", "sitting", "mats", "a", "on"} & set(rows)  # their stems are in the reference


@pytest.mark.parametrize("metric", ["spice", "captious"])
def test_a_caption_like_its_reference_has_no_findings(metric: str) -> None:
    (row,) = found(metric, caption=REFERENCE.upper() if metric == "captious" else REFERENCE)
    assert row.kind == ""


def test_bertscore_marks_words_that_are_unlike_every_token() -> None:
    rows = {
        row.text: row for row in found("bertscore", caption="A black dog sits on a giraffe! 😀 near a man.")
    }
    assert list(rows) == ["giraffe"] and rows["giraffe"].start == 22
    assert 0.4 < rows["giraffe"].confidence <= 1  # a cosine below 0.6
    # Accents are no tokens of their own: the places are those of the text as it is.
    accented = "A bla\u0301ck dog sits on a zebra\u0301."
    assert all(row.text in accented for row in found("bertscore", caption=accented))
