from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols import Item, Problem, Response
from captious.protocols.audit import (
    HUMAN,
    QUESTIONS,
    ErrorAudit,
    compare_errors,
    error_rates,
    explained_share,
)

MakeUp = Callable[..., Corpus]
AUDIT = ErrorAudit()


def answered(item: Item, errors: dict[str, set[str]]) -> Response:
    """Answers that find the named errors in the captions of a source, and no other."""
    sent: dict[str, object] = {}
    for key, sources in item.sources.items():
        for question in QUESTIONS:
            wrong = question.name in errors.get(sources[0], set())
            fine = "no" if question.error == "yes" else "yes"
            sent[f"{key}.{question.name}"] = question.error if wrong else fine
    found = AUDIT.validate(item, sent, rater="ann", time=1.0)
    assert isinstance(found, Response), found
    return found


def test_two_captions_an_image_blind_and_shuffled(made_up: MakeUp) -> None:
    items = AUDIT.items(made_up(40, ("secret",)), seed=1)
    assert {len(item.captions) for item in items} == {2}
    assert {item.sources["A"] for item in items} == {("secret",), (HUMAN,)}
    assert all(len(item.form.fields) == 14 for item in items)
    page = items[0].public()
    page.pop("captions")
    assert "secret" not in json.dumps(page)


def test_seven_questions_and_which_answer_is_the_error(made_up: MakeUp) -> None:
    # ObjectNet Captions, 4.3, in the paper's order: a "yes" is an error in 1, 2 and 7.
    assert [question.error for question in QUESTIONS] == ["yes", "yes", "no", "no", "no", "no", "yes"]
    item = AUDIT.items(made_up(1, ("m",)), seed=1)[0]
    judged = AUDIT.judgments([item], [answered(item, {"m": {q.name for q in QUESTIONS}})])
    errors = judged.to_pandas().groupby("system")["value"].sum()
    assert errors.to_dict() == {"m": 7.0, HUMAN: 0.0}


def test_every_question_must_be_answered(made_up: MakeUp) -> None:
    item = AUDIT.items(made_up(1, ("m",)), seed=1)[0]
    found = AUDIT.validate(item, {})
    assert isinstance(found, list)
    assert len(found) == 14
    assert found[0] == Problem(
        "A.misclassified",
        "Caption A, Does the caption misclassify an object present in the image? No answer. Choose one.",
    )


def test_error_rates_by_source(made_up: MakeUp) -> None:
    items = AUDIT.items(made_up(4, ("m",)), seed=1)
    mistakes: list[set[str]] = [{"misclassified", "grammar"}, {"misclassified"}, set(), set()]
    log = [
        answered(item, {"m": own, HUMAN: {"awkward"} if at == 3 else set()})
        for at, (item, own) in enumerate(zip(items, mistakes, strict=True))
    ]
    judged = AUDIT.judgments(items, log)
    rates = {(rate.source, rate.question): rate.rate for rate in error_rates(judged)}
    assert rates["m", "misclassified"].value == 0.5
    assert rates["m", "grammar"].value == 0.25
    # An image with two errors counts once.
    assert rates["m", "any"].value == 0.5
    assert rates[HUMAN, "any"].value == 0.25
    assert 0 <= rates["m", "any"].low < 0.5 < rates["m", "any"].high <= 1
    compared = compare_errors(judged, "m")
    assert compared["misclassified"][0] == 0.5
    # Two images differ, both one way: 2 of their 4 swaps are as extreme.
    assert compared["misclassified"][1] == pytest.approx(0.5, abs=0.03)
    assert len(AUDIT.tables(items, log)[0].rows) == 2 * 8
    with pytest.raises(InputError, match='"q" was not audited'):
        compare_errors(judged, "q")


def test_any_is_by_rater_and_not_by_question() -> None:
    # Two raters, each finds another error in every caption: every answer names one, so any is 1.
    rows = [
        (image, rater, question.name, float(question.name == found))
        for image in "12"
        for rater, found in (("ann", "grammar"), ("bob", "awkward"))
        for question in QUESTIONS
    ]
    images, raters, aspects, values = zip(*rows, strict=True)
    judged = Judgments.from_columns(
        images=images, systems=["m"] * len(rows), raters=raters, aspects=aspects, values=values
    )
    rates = {rate.question: rate.rate.value for rate in error_rates(judged)}
    assert rates["any"] == 1.0
    assert (rates["grammar"], rates["awkward"], rates["properties"]) == (0.5, 0.5, 0.0)


def test_any_counts_answers_without_an_error_too() -> None:
    # One of three answers names two errors, two name none: a third, and not the half of a sum.
    rows = [
        ("1", rater, question.name, float(rater == "ann" and question.name in {"grammar", "awkward"}))
        for rater in ("ann", "bob", "cy")
        for question in QUESTIONS
    ]
    images, raters, aspects, values = zip(*rows, strict=True)
    judged = Judgments.from_columns(
        images=images, systems=["m"] * len(rows), raters=raters, aspects=aspects, values=values
    )
    assert {r.question: r.rate.value for r in error_rates(judged)}["any"] == pytest.approx(1 / 3)


def test_the_share_that_errors_explain() -> None:
    # The paper's numbers: 500 pairs at -0.43, the 215 without an error at -0.34, hence 21%.
    clean, all_pairs = 215, 500
    rest = (-0.43 * all_pairs + 0.34 * clean) / (all_pairs - clean)
    preferences = {str(n): -0.34 if n < clean else rest for n in range(all_pairs)}
    images = [str(n) for n in range(all_pairs)]
    judged = Judgments.from_columns(
        images=images * 7,
        systems=["m"] * all_pairs * 7,
        aspects=[question.name for question in QUESTIONS for _ in images],
        values=[
            float(question.name == "relationships" and n >= clean)
            for question in QUESTIONS
            for n in range(all_pairs)
        ],
    )
    found = explained_share(judged, preferences, "m")
    assert found.all_pairs == pytest.approx(-0.43)
    assert found.without_errors == pytest.approx(-0.34)
    assert round(found.share.value, 2) == 0.21
    assert found.share.low < found.share.value < found.share.high
    assert (found.pairs, found.pairs_without_errors) == (500, 215)
    with pytest.raises(InputError, match="both audited and compared"):
        explained_share(judged, {}, "m")


def test_a_copied_caption_is_audited_once() -> None:
    corpus = Corpus.from_lists(["A dog."], [["a dog"]], image_ids=["1"], systems=["m"])
    (item,) = AUDIT.items(corpus, seed=1)
    assert item.sources == {"A": ("m", HUMAN)}
    with pytest.raises(InputError, match="uses that name itself"):
        AUDIT.items(Corpus.from_lists(["A dog."], [["a dog"]], systems=["human"]), seed=1)
