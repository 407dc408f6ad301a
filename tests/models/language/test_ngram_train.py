"""Modified Kneser-Ney by hand, by its formula in plain Python, and on real captions."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.language.ngram import BEGIN, END, SPECIAL, UNKNOWN, NgramModel
from captious.models.language.ngram_train import FALLBACK_DISCOUNTS, discounts, train

Gram = tuple[str, ...]


def probability(model: NgramModel, text: str) -> float:
    return float(np.exp(model.likelihoods([text]).logs[0]))


def test_a_model_small_enough_for_paper() -> None:
    # Pairs: (<s> a) 3, (a b) 2, (b </s>) 2, (a c) 1, (c </s>) 1. Before a, b and c stands one
    # token each, before </s> two: 5 in all. No count is 4, so D = .5, 1, 1.5.
    # gamma() = (3 * .5 + 1) / 5 = .5, spread over a, b, c, </s>, <unk>: .1 each.
    # p(a) = p(b) = p(c) = .5 / 5 + .1 = .2, p(</s>) = 1 / 5 + .1 = .3, p(<unk>) = .1.
    # gamma(<s>) = 1.5 / 3, gamma(a) = (1 + .5) / 3, gamma(b) = 1 / 2: each .5.
    # p(a | <s>) = 1.5 / 3 + .5 * .2 = .6; p(b | a) = 1 / 3 + .1; p(</s> | b) = 1 / 2 + .15.
    model = train(["a b", "a b", "a c"], order=2, tokeniser="space")
    assert probability(model, "a b") == pytest.approx(0.6 * (1 / 3 + 0.1) * 0.65)
    # p(</s> | <s>) = .5 * .3; nothing was seen after an unknown word: p(</s>) = .3.
    assert probability(model, "") == pytest.approx(0.15)
    assert probability(model, "a d") == pytest.approx(0.6 * 0.5 * 0.1 * 0.3)
    assert model.likelihoods(["a b", "", "a d"]).tokens.tolist() == [3, 1, 3]


def test_discounts_follow_chen_and_goodman() -> None:
    # n = 8, 4, 2, 1: Y = 8 / 16; D1 = 1 - 2 * .5 * .5, D2 = 2 - 3 * .5 * .5, D3 = 3 - 4 * .5 * .5
    counts = np.repeat([1, 2, 3, 4, 9], [8, 4, 2, 1, 3])
    assert discounts(counts).tolist() == [0.5, 1.25, 2.0]
    assert discounts(np.array([1, 1, 2])).tolist() == list(FALLBACK_DISCOUNTS)


class ByFormula:
    """The recursion of Chen and Goodman, word by word, on dictionaries."""

    def __init__(self, captions: list[str], order: int) -> None:
        self.order = order
        texts = [["<s>", *caption.split(), "</s>"] for caption in captions]
        self.words = {word for text in texts for word in text[1:]} | {"<unk>"}
        self.counts: list[Counter[Gram]] = [
            Counter(tuple(t[i : i + n]) for t in texts for i in range(len(t) - n + 1))
            for n in range(1, order + 1)
        ]
        for n in range(order - 1):
            before: defaultdict[Gram, set[str]] = defaultdict(set)
            for gram in self.counts[n + 1]:
                before[gram[1:]].add(gram[0])
            for gram in self.counts[n]:
                if gram[0] != "<s>":
                    self.counts[n][gram] = len(before[gram])
        del self.counts[0][("<s>",)]
        self.taken = [discounts(np.array(list(own.values()))).tolist() for own in self.counts]
        self.after: defaultdict[Gram, Counter[str]] = defaultdict(Counter)
        for own in self.counts:
            for gram, count in own.items():
                self.after[gram[:-1]][gram[-1]] = count

    def p(self, word: str, context: Gram) -> float:
        context = context[len(context) - min(len(context), self.order - 1) :]
        lower = self.p(word, context[1:]) if context else 1 / len(self.words)
        seen = self.after.get(context)
        if not seen:
            return lower
        cut = {w: self.taken[len(context)][min(c, 3) - 1] for w, c in seen.items()}
        total = sum(seen.values())
        own = (seen[word] - cut[word]) / total if word in seen else 0.0
        return own + sum(cut.values()) / total * lower


@pytest.fixture(scope="module")
def captions(data: Path) -> list[str]:
    path = data / "coco_karpathy" / "reference_captions.json"
    references = json.loads(path.read_text(encoding="utf-8"))
    texts = [text for own in list(references.values())[:700] for text in own]
    return [" ".join(text.lower().replace(".", " ").split()) for text in texts]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_real_captions_agree_with_the_formula(captions: list[str], order: int) -> None:
    model = train(captions[:2000], order, tokeniser="space")
    formula = ByFormula(captions[:2000], order)
    held_out = captions[2000:2100]
    for text, found in zip(held_out, model.likelihoods(held_out).logs, strict=True):
        words = [w if w in formula.words else "<unk>" for w in text.split()] + ["</s>"]
        contexts = [("<s>", *words[:i]) for i in range(len(words))]
        expected = sum(np.log(formula.p(w, c)) for w, c in zip(words, contexts, strict=True))
        assert found == pytest.approx(expected, abs=1e-9)


def test_probabilities_after_any_context_sum_to_one(captions: list[str]) -> None:
    model = train(captions[:500], 3, tokeniser="space")
    number = {word: i for i, word in enumerate(model.words, SPECIAL)}
    some = [number["a"], number["man"], number["of"], UNKNOWN]
    for context in [(BEGIN,), *((BEGIN, w) for w in some), *product(some, some)]:
        followed = [[*context, word] for word in range(model.size) if word != BEGIN]
        logs = model.token_logs(np.array(followed).ravel()).reshape(-1, len(context) + 1)[:, -1]
        assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-9)
        assert END in range(model.size)


def test_order_of_words_matters_to_it(captions: list[str]) -> None:
    model = train(captions[:3000])
    rng = np.random.default_rng(3)
    held_out = captions[3000:]
    shuffled = [" ".join(rng.permutation(text.split())) for text in held_out]
    better = model.likelihoods(held_out).logs > model.likelihoods(shuffled).logs
    assert better.mean() > 0.97


def test_agrees_with_kenlm(data: Path) -> None:
    """Stored log-probabilities of KenLM's own estimator on the same captions."""
    stored = json.loads((Path(__file__).parent / "data" / "kenlm.json").read_text("utf-8"))
    path = data / "coco_karpathy" / "reference_captions.json"
    references = json.loads(path.read_text(encoding="utf-8"))
    texts = [
        " ".join(text.lower().replace(".", " ").split())
        for own in list(references.values())[: stored["images"]]
        for text in own
    ]
    model = train(texts, stored["order"], tokeniser="space")
    logs = model.likelihoods(stored["texts"]).logs / np.log(10)
    # KenLM prints logarithms of single precision.
    np.testing.assert_allclose(logs, stored["log10"], atol=2e-4)


def test_nothing_to_learn_from_is_one_clear_line() -> None:
    with pytest.raises(InputError, match="no word to learn from"):
        train(["", " ."])
    with pytest.raises(InputError, match="must be 1 to 6"):
        train(["a dog"], order=7)
