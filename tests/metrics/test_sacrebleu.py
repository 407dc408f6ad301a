from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import InputError
from captious.metrics import resolve

SHORT = [
    ("a b", ["a b"]),
    ("x", ["y"]),
    ("a b c", ["a c b", "c"]),
    ("", ["a b"]),
    ("a b c d", ["a b c d e f", "a b"]),
    ("A dog, 3.5 feet &amp; more.", ["a dog, 3.5 feet & more."]),
]


def options(smooth: str, effective: str, lowercase: str, corpus: str = "no") -> str:
    return f"sacrebleu[smooth={smooth},effective_order={effective},lowercase={lowercase},corpus={corpus}]"


def test_thumb_table_2(thumb: Corpus) -> None:
    scores = captious.score(thumb, ["sacrebleu"])["sacrebleu"]
    # Kasai et al. 2022, table 2; to a tenth, since 28.45 is printed there as 28.4.
    published = {"VinVL-large": 33.3, "VinVL-base": 32.3, "Unified-VLP": 31.6, "Up-Down": 28.4}
    for system, value in published.items():
        assert 100 * scores.systems[system].score == pytest.approx(value, abs=0.0501)


@pytest.mark.parametrize(
    ("smooth", "effective", "lowercase"),
    list(product(("exp", "floor", "add-k", "none"), ("yes", "no"), ("yes", "no"))),
)
def test_sentences_and_corpus_are_sacrebleus(
    thumb: Corpus, smooth: str, effective: str, lowercase: str
) -> None:
    oracle = pytest.importorskip("sacrebleu").BLEU(
        smooth_method=smooth, effective_order=effective == "yes", lowercase=lowercase == "yes"
    )
    real = [thumb.example(i) for i in range(0, len(thumb), 10)]
    cases = [*((e.caption, e.references) for e in real), *SHORT]
    corpus = Corpus.from_lists([c for c, _ in cases], [r for _, r in cases])
    name = options(smooth, effective, lowercase, corpus="yes")
    scores = captious.score(corpus, [name])[name]
    expected = [oracle.sentence_score(c, r).score / 100 for c, r in cases]
    np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-12)
    streams = [[r[i] if i < len(r) else None for _, r in cases] for i in range(4)]
    whole = oracle.corpus_score([c for c, _ in cases], streams).score / 100
    assert scores.score == pytest.approx(whole, abs=1e-12)


def test_auto_leaves_out_orders_that_a_caption_is_too_short_for_but_a_corpus_is_not() -> None:
    corpus = Corpus.from_lists(["a b"], [["a b"]])
    # Two words have no three words in a row: orders 1 and 2 are perfect, 3 and 4 are left out...
    assert captious.score(corpus, ["sacrebleu"])["sacrebleu"].score == pytest.approx(1.0)
    # ...but BLEU of a corpus is 0 where an order has nothing to count.
    name = "sacrebleu[corpus=yes]"
    assert captious.score(corpus, [name])[name].score == 0.0


def test_exponential_smoothing_halves() -> None:
    # "a b x y": 2 of 4 words, 1 of 3 pairs; triples (1/2) / 2, quadruple (1/4) / 1.
    corpus = Corpus.from_lists(["a b x y"], [["a b c d"]])
    expected = (2 / 4 * 1 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** (1 / 4)
    assert captious.score(corpus, ["sacrebleu"])["sacrebleu"].score == pytest.approx(expected)


def test_signature_and_wrong_options() -> None:
    corpus = Corpus.from_lists(["a b"], [["a b"]])
    signature = captious.score(corpus, ["sacrebleu"])["sacrebleu"].signature
    assert signature == (
        f"sacrebleu|refs:1|tok:13a|case:mixed|smooth:exp|eff:auto|mean:yes|v:{captious.__version__}"
    )
    with pytest.raises(InputError, match=r'smooth of sacrebleu "epx"\. Did you mean "exp"'):
        resolve("sacrebleu[smooth=epx]")
    with pytest.raises(InputError, match='effective_order of sacrebleu "maybe"'):
        resolve("sacrebleu[effective_order=maybe]")
