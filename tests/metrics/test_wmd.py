from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.metrics.wmd import WordMovers, word_movers_distances
from captious.text.stop_words import ENGLISH, is_content_word
from captious.text.vectors.table import load_vectors

pytest.importorskip("ot")

# Two axes, and a word halfway between them: cos(pet, dog) = cos(pet, cat) = 1 / sqrt 2.
TINY = "dog 2 0\ncat 0 1\npet 3 3\n"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.txt"
    file.write_text(TINY)
    return str(file)


@pytest.fixture
def glove() -> None:
    try:
        load_vectors()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def value(metric: WordMovers, caption: str, references: list[str]) -> float:
    batch = Batch(Corpus.from_lists([caption], [references]))
    return float(metric.score_examples(batch, metric.merge([metric.collect(batch)]))[0])


def test_distances_by_hand(tiny: str) -> None:
    pairs = [("a dog", "the cat"), ("dog dog cat", "cat"), ("a dog and a pet", "a cat")]
    plain = word_movers_distances(pairs, WordMovers(vectors=tiny))
    # Unit vectors: dog to cat sqrt 2; two thirds of it; pet to cat sqrt(2 - sqrt 2), half and half.
    expected = [math.sqrt(2), math.sqrt(2) * 2 / 3, (math.sqrt(2) + math.sqrt(2 - math.sqrt(2))) / 2]
    assert plain.tolist() == pytest.approx(expected, abs=1e-12)
    squared = word_movers_distances(pairs, WordMovers(vectors=tiny, p=2))
    assert squared.tolist() == pytest.approx([2, 4 / 3, (2 + 2 - math.sqrt(2)) / 2], abs=1e-12)
    raw = word_movers_distances(pairs[:1], WordMovers(vectors=tiny, norm="none"))
    assert raw.tolist() == pytest.approx([math.sqrt(5)], abs=1e-12)  # (2, 0) to (0, 1)


def test_best_worst_and_mean_over_references(tiny: str) -> None:
    references = ["a cat", "a pet", "the dog and the cat"]
    pet, both = math.sqrt(2 - math.sqrt(2)), math.sqrt(2) / 2
    distances = [math.sqrt(2), pet, both]
    expected = {
        "best": math.exp(-min(distances)),
        "worst": math.exp(-max(distances)),
        "mean": sum(math.exp(-d) for d in distances) / 3,
    }
    for agg, wanted in expected.items():
        assert value(WordMovers(vectors=tiny, agg=agg), "a dog", references) == pytest.approx(wanted)


def test_words_without_a_vector(tiny: str) -> None:
    caption, references = "a dog zzz", ["a cat"]
    dropped = value(WordMovers(vectors=tiny), caption, references)
    assert dropped == pytest.approx(math.exp(-math.sqrt(2)))
    zero = value(WordMovers(vectors=tiny, oov="zero"), caption, references)
    assert zero == pytest.approx(math.exp(-(math.sqrt(2) + 1) / 2))  # zero to cat is 1
    with pytest.raises(InputError, match='"zzz" and 0 other words have no vector'):
        value(WordMovers(vectors=tiny, oov="refuse"), caption, references)


def test_the_signature_counts_words_without_a_vector(tiny: str) -> None:
    corpus = Corpus.from_lists(["a dog zzz", "the cat"], [["a cat", "qqq"], ["a cat"]])
    found = score(corpus, [WordMovers(vectors=tiny, p=2)])["wmd"]
    assert "|p:2|oov:drop:2/6|agg:best|" in found.signature
    assert found.signature.startswith("wmd|refs:1-2|tok:ptb|stop:english|vectors:file:")


def test_a_side_without_words_is_worth_nothing(tiny: str) -> None:
    assert value(WordMovers(vectors=tiny), "", ["a dog"]) == 0.0
    assert value(WordMovers(vectors=tiny), "a dog", ["the", "zzz"]) == 0.0
    assert value(WordMovers(vectors=tiny, agg="worst"), "a dog", ["a dog", "the"]) == 0.0
    assert value(WordMovers(vectors=tiny, agg="mean"), "a dog", ["a dog", "the"]) == 0.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("p=3", "p is 3; it must be 1 or 2"),
        ("agg=beast", 'Did you mean "best"'),
        ("norm=l1", "unknown norm of wmd"),
        ("stop=french", "unknown stop of wmd"),
        ("oov=keep", "unknown oov of wmd"),
    ],
)
def test_wrong_options_are_one_line(options: str, said: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=said):
        resolve(f"wmd[{options}]")


def captions(data: Path, count: int) -> list[str]:
    document = json.loads((data / "coco_mini/annotations/captions_val2017.json").read_text())
    return [entry["caption"] for entry in document["annotations"]][:count]


def test_pruning_changes_nothing(glove: None, data: Path) -> None:
    texts = captions(data, 60)
    references = [texts[i : i + 5] for i in range(0, 50, 5)]
    own = [texts[-i - 1] for i in range(10)]
    for agg, choose in (("best", np.min), ("worst", np.max)):
        batch = Batch(Corpus.from_lists(own, references))
        metric = WordMovers(agg=agg)
        found = metric.score_examples(batch, metric.collect(batch))
        for caption, refs, got in zip(own, references, found, strict=True):
            distances = word_movers_distances([(caption, reference) for reference in refs])
            assert got == pytest.approx(math.exp(-choose(distances)), abs=1e-12)


def test_gensim_says_the_same(glove: None, data: Path) -> None:
    from captious.text.ptb.tokenise import tokenise

    models = pytest.importorskip("gensim.models")
    texts = captions(data, 120)
    words = [[w for w in tokenise(text) if is_content_word(w, ENGLISH)] for text in texts]
    vocabulary = sorted({word for own in words for word in own})
    vectors = load_vectors()
    known = [w for w, row in zip(vocabulary, vectors.find(vocabulary), strict=True) if row >= 0]
    keyed = models.KeyedVectors(vector_size=50)
    keyed.add_vectors(known, vectors.stored.vectors[vectors.find(known)])
    keyed.fill_norms()
    # Without compounds, which gensim does not look up by their parts.
    simple = [[w for w in own if w in keyed] for own in words]
    pairs = [(i, i + 60) for i in range(60)] + [(i, i + 1) for i in range(0, 100, 5)]
    theirs = [keyed.wmdistance(simple[a], simple[b]) for a, b in pairs]
    ours = word_movers_distances([(" ".join(simple[a]), " ".join(simple[b])) for a, b in pairs])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    assert len(set(np.round(ours, 3))) > 40
