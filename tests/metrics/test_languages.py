"""Captions in other languages: sacreBLEU and coco-caption's arithmetic on other tokens."""

from __future__ import annotations

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import CaptiousWarning, UnknownNameError
from captious.metrics import resolve, resolve_all
from captious.metrics.scripts import script_notes
from captious.text.tokens import token_table

CAPTIONS = ["一只棕色的狗在草地上跑。", "两个人骑着自行车。", "街上有一辆红色公交车。"]
REFERENCES = [
    ["一只狗在草地上奔跑。", "棕色的狗跑过草地。"],
    ["两个人在骑自行车。", "一男一女骑着车。"],
    ["一辆红色的公交车停在街上。", "街上的公交车。"],
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(CAPTIONS, REFERENCES)


@pytest.mark.parametrize("tokeniser", ["zh", "char", "intl", "13a"])
def test_sacrebleu_by_any_of_its_tokenisers(corpus: Corpus, tokeniser: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    name = f"sacrebleu[tokeniser={tokeniser}]"
    found = score(corpus, [name])[name]
    bleu = sacrebleu.BLEU(tokenize=tokeniser, effective_order=True)
    expected = [
        bleu.sentence_score(caption, own).score / 100
        for caption, own in zip(CAPTIONS, REFERENCES, strict=True)
    ]
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    assert f"|tok:{tokeniser}|" in found.signature


@pytest.mark.parametrize("tokeniser", ["zh", "char"])
def test_coco_captions_metrics_on_those_tokens(corpus: Corpus, tokeniser: str) -> None:
    """coco-caption's own classes on texts cut by sacreBLEU's tokeniser."""
    pytest.importorskip("pycocoevalcap")
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from sacrebleu.metrics.bleu import _get_tokenizer

    cut = _get_tokenizer(tokeniser)()
    references = {i: [" ".join(cut(text).split()) for text in own] for i, own in enumerate(REFERENCES)}
    captions = {i: [" ".join(cut(text).split())] for i, text in enumerate(CAPTIONS)}
    names = {"rouge_l": Rouge(), "cider": Cider()}
    for metric, theirs in names.items():
        name = f"{metric}[tokeniser={tokeniser}]"
        _, expected = theirs.compute_score(references, captions)
        np.testing.assert_allclose(score(corpus, [name])[name].values, expected, rtol=1e-9)


def test_bleu_by_hand() -> None:
    # 一只狗 against 一只猫: two of three characters, and one of two pairs.
    corpus = Corpus.from_lists(["一只狗"], [["一只猫"]])
    found = score(corpus, ["bleu1", "bleu1[tokeniser=char]", "bleu2[tokeniser=zh]"])
    assert found["bleu1"].score == pytest.approx(0, abs=1e-9)  # one clause is one word
    assert found["bleu1[tokeniser=char]"].score == pytest.approx(2 / 3)
    assert found["bleu2[tokeniser=zh]"].score == pytest.approx((2 / 3 * 1 / 2) ** 0.5)


def test_what_does_not_fit_the_script_is_said() -> None:
    metrics = resolve_all(["bleu4", "cider", "rouge_l[tokeniser=zh]", "meteor", "spice"])
    first, second = script_notes(metrics, CAPTIONS)
    assert "meteor, spice work only for English" in first
    assert "the tokeniser ptb of bleu4, cider treats a clause as one word" in second
    assert "bleu4[tokeniser=zh]" in second
    assert script_notes(metrics, ["ein Hund auf der Wiese"]) == []
    (only,) = script_notes(metrics, ["собака бежит по траве"])  # has spaces
    assert "meteor, spice work only for English" in only


@pytest.mark.parametrize("metric", ["bleu4", "rouge_l", "cider", "sacrebleu"])
def test_a_tokeniser_that_is_not_there_is_refused_before_work(metric: str) -> None:
    with pytest.raises(UnknownNameError, match="tokeniser"):
        resolve(f"{metric}[tokeniser=mecab]")


def test_the_words_of_the_tables_hold_no_white_space() -> None:
    assert token_table(["一 只"], "char").words(0) == ["一", "只"]


def test_python_warns_too(corpus: Corpus) -> None:
    with pytest.warns(CaptiousWarning, match="treats a clause as one word"):
        score(corpus, ["bleu4"])
