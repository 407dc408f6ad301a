"""The error audit and THumB from marks, and that their own commands and tables take them."""

from __future__ import annotations

from typing import Any

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Item, Response, protocol
from captious.protocols.audit import QUESTIONS, error_rates
from captious.protocols.from_marks import AUDIT, thumb_scores
from captious.protocols.thumb.analysis import system_scores
from captious.protocols.thumb.guide import PRECISION, RECALL

CAPTION = "A wasp sits on two red flower beside a snail."
CORPUS = Corpus.from_lists(
    [CAPTION, "A bee on a flower."], image_ids=["1", "1"], systems=["m", "human"], image_paths={"1": "x.jpg"}
)


def mark(caption: str, words: str, kind: str, severity: str = "major") -> dict[str, Any]:
    start = caption.index(words)
    return {"start": start, "end": start + len(words), "kind": kind, "severity": severity}


def missing(note: str, severity: str) -> dict[str, Any]:
    return {"start": None, "end": None, "kind": "object", "severity": severity, "note": note}


def answered(**options: Any) -> tuple[Any, list[Item], list[Response]]:
    rules = protocol("spans", **options)
    items = rules.items(CORPUS, seed=1)
    wrong = [
        mark(CAPTION, "wasp", "main object"),
        mark(CAPTION, "two", "count", "minor"),
        mark(CAPTION, "flower", "text", "minor"),
        mark(CAPTION, "snail", "hallucinated"),
        missing("the centre", "minor"),
    ]
    if options.get("thumb"):
        wrong.append(mark(CAPTION, "beside a snail", "conciseness", "minor"))
    found = []
    for item in items:
        marks = wrong if "m" in item.sources["A"] else []
        response = rules.validate(item, {"marks": marks, "score": 50}, rater="ann", time=0.0)
        assert isinstance(response, Response), response
        found.append(response)
    return rules, items, found


def test_marks_answer_the_seven_questions_of_the_audit() -> None:
    rules, items, answers = answered(audit=True)
    rates = {
        (one.source, one.question): one.rate.value for one in error_rates(rules.judgments(items, answers))
    }
    wrong = {question.name for question in QUESTIONS if rates["m", question.name] == 1}
    assert wrong == {"misclassified", "hallucinated", "primary_object", "properties", "grammar"}
    assert rates["m", "any"] == 1 and rates["human", "any"] == 0
    assert AUDIT.keys() == {question.name for question in QUESTIONS}
    table = next(one for one in rules.tables(items, answers) if one.title == "Error audit from the marks")
    assert len(table.rows) == 2 * len(QUESTIONS)


def test_marks_give_the_scores_of_thumb() -> None:
    rules, items, answers = answered(audit=True, thumb=True)
    best, worst = system_scores(rules.judgments(items, answers), resamples=10)
    assert (best.system, best.total.value) == ("human", 5)
    # Precision 3: two of wasp, sits, red, flower, snail (two is a stop word). Recall 5 - 1. Less 0.1 and 0.5.
    assert worst.means["precision"] == 3 and worst.means["recall"] == 4
    assert worst.means["fluency"] == 0.1 and worst.means["conciseness"] == 0.5
    assert worst.total.value == pytest.approx(3.5 - 0.6)
    titles = [one.title for one in rules.tables(items, answers)]
    assert "THumB from the marks" in titles and "Error audit from the marks" in titles


# Of each picture of THumB's guide, what a rater would mark in its caption.
PRECISION_MARKS = [
    [],
    [("lake", "inference", "minor")],
    [("beaver", "object", "major")],
    [("beaver", "object", "major"), ("plays", "relation", "major"), ("a red ball", "object", "major")],
    [("A bus waits at a station", "object", "major")],
]
RECALL_MARKS = [
    [],
    [("the sea", "minor")],
    [("what drink", "minor"), ("the sea", "minor")],
    [("the beach", "major"), ("what drink", "minor")],
    [("the drink", "major"), ("the beach", "major")],
]


def test_the_rule_gives_every_example_of_the_guide_its_points() -> None:
    for at, (picture, marks) in enumerate(zip(PRECISION.pictures, PRECISION_MARKS, strict=True)):
        found = thumb_scores(picture.caption, [mark(picture.caption, *one) for one in marks], "minor")
        assert found["precision"] == 5 - at, picture.caption
    for at, (picture, lacking) in enumerate(zip(RECALL.pictures, RECALL_MARKS, strict=True)):
        found = thumb_scores(picture.caption, [missing(*one) for one in lacking], "minor")
        assert found["recall"] == 5 - at, picture.caption
        assert found["precision"] == 5  # one mistake, one penalty


def test_penalties_are_counted_as_the_paper_has_them() -> None:
    marks = [
        mark(CAPTION, "flower", "text", "minor"),
        mark(CAPTION, "red flower", "text", "major"),
        mark(CAPTION, "wasp", "inclusive_language", "minor"),
        mark(CAPTION, "snail", "inclusive_language", "major"),
    ]
    found = thumb_scores(CAPTION, marks, "minor")
    assert found["fluency"] == pytest.approx(-0.6)
    assert (found["conciseness"], found["inclusive_language"]) == (0, -2)
    assert found["total"] == pytest.approx(5 - 2.6)


def test_kinds_that_the_audit_needs_are_not_left_out() -> None:
    with pytest.raises(InputError, match='"relation" is missing'):
        protocol("spans", audit=True, kinds="object, attribute, text")
    own = protocol("spans", audit=True, kinds="object, attribute, count, relation, text, tone")
    names = [one.value for one in own.form.fields[0].options if one.amount is None]
    assert names == [
        "object", "main object", "hallucinated", "attribute", "count", "relation", "text", "awkward", "tone",
    ]  # fmt: skip
