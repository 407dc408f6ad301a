from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

import captious
from captious import Corpus
from captious.errors import InputError
from captious.metrics import rouge_l
from captious.metrics.rouge_l import WORD, lcs_lengths
from captious.text.tokens import table_of


def rouge(candidate: str, references: list[str], options: str = "tokeniser=space") -> float:
    name = f"rouge_l[{options}]"
    return captious.score(Corpus.from_lists([candidate], [references]), [name])[name].score


def test_published_value_of_the_m2_transformer(karpathy: Corpus) -> None:
    # Cornia et al. 2020, table 4.
    assert round(100 * captious.score(karpathy, ["rouge_l"])["rouge_l"].score, 1) == 58.6


def test_every_item_is_coco_captions(karpathy: Corpus, karpathy_items: dict[str, np.ndarray]) -> None:
    values = captious.score(karpathy, ["rouge_l"])["rouge_l"].values
    np.testing.assert_allclose(values, karpathy_items["rouge_l"], rtol=0, atol=1e-12)


def test_every_thumb_item_is_as_stored(
    thumb: Corpus, thumb_figures: dict[str, dict[str, list[float]]]
) -> None:
    values = captious.score(thumb, ["rouge_l"])["rouge_l"].values
    for system, figures in thumb_figures.items():
        rows = sorted(thumb.rows_of(system).tolist(), key=lambda row: thumb.example(row).image_id)
        np.testing.assert_allclose(values[rows], figures["rouge_l"], rtol=0, atol=1e-8)


def test_precision_and_recall_may_come_from_different_references() -> None:
    # "a b" in "a b c d": L = 2, P = 1, R = 1/2; in "b": L = 1, P = 1/2, R = 1. Highest: 1 and 1.
    assert rouge("a b", ["a b c d", "b"]) == pytest.approx(1.0)
    # The package rouge_score takes the better of two F1: both are 2/3.
    assert rouge("a b", ["a b c d", "b"], "variant=rouge_score") == pytest.approx(2 / 3)


def test_beta_weighs_recall() -> None:
    # P = 1, R = 1/2, b = 2: 5 * 1/2 / (1/2 + 4) = 5/9.
    assert rouge("a b", ["a b c d"], "beta=2,tokeniser=space") == pytest.approx(5 / 9)


def test_thumb_table_2_and_table_4_come_from_rouge_score(thumb: Corpus, data: Path) -> None:
    name = "rouge_l[variant=rouge_score]"
    scores = captious.score(thumb, [name])[name]
    # Kasai et al. 2022, table 2. (Human's 44.0 needs the references before 39 captions leaked.)
    published = {"VinVL-large": 56.5, "VinVL-base": 55.9, "Unified-VLP": 55.8, "Up-Down": 52.2}
    assert {s: round(100 * scores.systems[s].score, 1) for s in published} == published
    # Table 4, without Human: precision .26, recall .17, total .31.
    text = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    machine = [i for i, row in enumerate(rows) if row["SYS"] != "Human"]
    for key, expected in (("P", 0.26), ("R", 0.17), ("human_score", 0.31)):
        judged = [rows[i][key] for i in machine]
        assert round(np.corrcoef(scores.values[machine], judged)[0, 1], 2) == expected


def test_thumb_items_are_rouge_scores(thumb: Corpus) -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    name = "rouge_l[variant=rouge_score]"
    rows = np.arange(0, len(thumb), 11)
    values = captious.score(thumb.select(rows), [name])[name].values
    expected = [
        scorer.score_multi(example.references, example.caption)["rougeL"].fmeasure
        for example in map(thumb.example, rows.tolist())
    ]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def test_captions_longer_than_a_machine_word_are_scored() -> None:
    # 70 words of which the last 69 are the reference: P = 69/70, R = 1.
    words = [str(i) for i in range(70)]
    p, b = 69 / 70, 1.2
    expected = (1 + b**2) * p / (1 + b**2 * p)
    assert rouge(" ".join(words), [" ".join(words[1:])]) == pytest.approx(expected)


def test_wrong_options_are_named() -> None:
    with pytest.raises(InputError, match='variant of rouge_l "lsum"'):
        rouge("a", ["a"], "variant=lsum")
    with pytest.raises(InputError, match=r"beta is 0\.0; it must be above 0"):
        rouge("a", ["a"], "beta=0")


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=WORD + 6), min_size=1, max_size=6)


def all_pairs(texts: list[list[str]]) -> tuple[list[int], list[int]]:
    left, right = np.divmod(np.arange(len(texts) ** 2), len(texts))
    ours = lcs_lengths(table_of(texts), left, right).tolist()
    theirs = [LCSseq.similarity(a, b) for a in texts for b in texts]
    return ours, theirs


@given(TEXTS)
@settings(max_examples=60)
def test_lengths_are_rapidfuzzs(texts: list[list[str]]) -> None:
    ours, theirs = all_pairs(texts)
    assert ours == theirs


@pytest.mark.parametrize("size", [1, WORD - 1, WORD, WORD + 1, 3 * WORD])
def test_around_the_length_of_a_machine_word(size: int) -> None:
    ours, theirs = all_pairs([list("ab") * size, list("ba") * size, ["a"] * size, ["b"], []])
    assert ours == theirs


def test_work_in_small_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rouge_l, "_CHUNK", 4)
    ours, theirs = all_pairs([list("abc"), list("bca"), [], list("cab"), list("aabbcc")])
    assert ours == theirs
