from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import InputError

ORDERS = ("bleu1", "bleu2", "bleu3", "bleu4")


def bleu(candidate: str, references: list[str], metric: str = "bleu1") -> float:
    options = "tokeniser=space" if "[" not in metric else ""
    asked = f"{metric}[{options}]" if options else metric
    return captious.score(Corpus.from_lists([candidate], [references]), [asked])[asked].score


def test_published_values_of_the_m2_transformer(karpathy: Corpus) -> None:
    scores = captious.score(karpathy, ORDERS)
    # Cornia et al. 2020, table 4: B-1 80.8, B-4 39.1.
    assert round(100 * scores["bleu1"].score, 1) == 80.8
    assert round(100 * scores["bleu4"].score, 1) == 39.1


def test_every_item_is_coco_captions(karpathy: Corpus, karpathy_items: dict[str, np.ndarray]) -> None:
    scores = captious.score(karpathy, ORDERS)
    for name in ORDERS:
        np.testing.assert_allclose(scores[name].values, karpathy_items[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ORDERS)
def test_every_thumb_item_is_as_stored(
    thumb: Corpus, thumb_figures: dict[str, dict[str, list[float]]], name: str
) -> None:
    values = captious.score(thumb, [name])[name].values
    for system, figures in thumb_figures.items():
        rows = sorted(thumb.rows_of(system).tolist(), key=lambda row: thumb.example(row).image_id)
        np.testing.assert_allclose(values[rows], figures[name], rtol=0, atol=1e-8)


def test_a_word_counts_as_often_as_in_the_reference_that_has_it_most() -> None:
    # Papineni et al. 2002, example 2: seven "the" against references with two and one: 2/7.
    value = bleu("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"])
    assert value == pytest.approx(2 / 7, abs=1e-8)


@pytest.mark.parametrize(
    ("rule", "length"),
    # Lengths 2, 3 and 6 around a candidate of 4: closest is 3; shortest 2; mean 11/3.
    [("closest", 3), ("shortest", 2), ("average", 11 / 3)],
)
def test_rules_of_the_reference_length(rule: str, length: float) -> None:
    corpus = Corpus.from_lists(["a b c d"], [["a b", "a b c", "a b c d e f"]])
    name = f"bleu1[reference_length={rule},tokeniser=space]"
    statistics = captious.score(corpus, [name])[name].statistics
    assert statistics[0, -1] == pytest.approx(length)


def test_of_two_equally_close_references_the_shorter_counts() -> None:
    # Lengths 2 and 4 are both one away from 3: with 2 there is no penalty, 3 of 3 words match.
    assert bleu("a b c", ["a b c d", "a b"]) == pytest.approx(1.0, abs=1e-8)


def test_a_short_candidate_is_penalised() -> None:
    # 2 of 2 words match, length 2 against 4: exp(1 - 4/2).
    assert bleu("a b", ["a b c d"]) == pytest.approx(math.exp(-1), abs=1e-8)


def test_a_corpus_is_summed_before_it_is_divided() -> None:
    # Matches 1 + 4 of 2 + 4 words; lengths 6 and 6: 5/6, and not the mean of 1/2 and 1.
    corpus = Corpus.from_lists(["a x", "a b c d"], [["a b"], ["a b c d"]])
    name = "bleu1[tokeniser=space]"
    assert captious.score(corpus, [name])[name].score == pytest.approx(5 / 6, abs=1e-8)


def test_systems_side_by_side_score_as_alone(thumb: Corpus) -> None:
    together = captious.score(thumb, ["bleu4"])["bleu4"]
    alone = captious.score(thumb.select(thumb.rows_of("Up-Down")), ["bleu4"])["bleu4"]
    assert together.systems["Up-Down"].score == alone.systems["Up-Down"].score


def test_signature_names_what_changes_the_number() -> None:
    corpus = Corpus.from_lists(["a b"], [["a b", "b"]])
    name = "bleu4[reference_length=shortest,tokeniser=space]"
    signature = captious.score(corpus, [name])[name].signature
    assert signature == f"bleu4|refs:2|tok:space|reflen:shortest|v:{captious.__version__}"


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(InputError, match='reference_length of bleu4 "longest"'):
        bleu("a", ["a"], "bleu4[reference_length=longest]")


def test_an_image_without_references_is_named() -> None:
    corpus = Corpus.from_lists(["a", "b"], [["a"], []], image_ids=["7", "8"])
    with pytest.raises(InputError, match=r'image "8" \("b"\) has no references'):
        captious.score(corpus, ["bleu1[tokeniser=space]"])


def test_oracle_agrees_on_odd_captions(coco_caption: Callable[[Corpus], dict[str, np.ndarray]]) -> None:
    corpus = Corpus.from_lists(
        ["", "a", "a a a a a", "dog", "a man riding a wave on a surfboard in the ocean"],
        [["a dog"], ["a", "b c"], ["a a", "a a a"], ["", "cat"], ["a man riding a wave", "surf"]],
    )
    expected = coco_caption(corpus)
    scores = captious.score(corpus, [*ORDERS, "rouge_l", "cider"])
    for name, values in expected.items():
        np.testing.assert_allclose(scores[name].values, values, rtol=0, atol=1e-12)
