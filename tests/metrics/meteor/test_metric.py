"""METEOR against the figures that its own program printed."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious import Corpus
from captious.benchmarks import load_benchmark
from captious.errors import InputError, UnknownNameError
from captious.metrics import Batch
from captious.metrics.meteor import Meteor, align
from captious.metrics.meteor.matchers import Captions, find_matches
from captious.metrics.meteor.metric import normalised, pair_statistics
from captious.metrics.meteor.score import COLUMNS, Parameters, meteor
from captious.metrics.meteor.tables import Tables
from captious.text.tokens import token_table

sys.path.insert(0, str(Path(__file__).parent))
import jar
from make_figures import long_pairs

FIGURES = Path(__file__).parent / "data" / "jar.json.gz"


def _figures() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(gzip.decompress(FIGURES.read_bytes()))
    return figures


def _corpus(rows: list[tuple[str, list[str]]]) -> Corpus:
    return Corpus.from_lists([own for own, _ in rows], [refs for _, refs in rows])


def _scores(rows: list[tuple[str, list[str]]]) -> list[float]:
    metric = Meteor()
    return metric.example_scores(metric.statistics(Batch(_corpus(rows)), None)).tolist()


def test_statistics_of_stored_pairs(tables: Tables) -> None:
    _assert_equal_to_stored(_figures()["pairs"], tables)


def test_long_pairs(tables: Tables) -> None:
    """30 to 150 words; a sixth of the pairs are identical, a sixth repeat a few words."""
    rows = json.loads(gzip.decompress(FIGURES.with_name("long.json.gz").read_bytes()))
    assert len(rows) == 150
    _assert_equal_to_stored(rows, tables)


@pytest.mark.long
def test_long_pairs_against_the_program(java: str, data: Path, tables: Tables) -> None:
    pairs = long_pairs(data, 2000, 24)
    printed = jar.statistics(java, [(own, [their]) for own, their in pairs])
    rows = [[*pair, [int(float(x)) for x in line.split()]] for pair, line in zip(pairs, printed, strict=True)]
    _assert_equal_to_stored(rows, tables)


def test_an_identical_text_has_the_score_one(tables: Tables) -> None:
    """The program does not search where both texts are the same; its beam would lose the best."""
    text = "a man in a red shirt and a man in a blue shirt ride a red bike and a blue bike " * 6
    assert _scores([(text, [text])]) == [1.0]
    assert _scores([(text + "again", [text])])[0] < 1


@pytest.mark.parametrize("word", ["a", "a couple of", "dog hound"])
def test_thousands_of_equal_words_have_few_matches(tables: Tables, word: str) -> None:
    """Matches of a long text grow with its length, not with the square: time and memory stay small."""
    sizes = []
    for count in (2_500, 5_000):
        tokens = token_table([f"{word} " * count, f"{word} " * (count - 1) + "zebra"], "space")
        words = tables.describe(tokens.vocabulary)
        own, their = np.array([0]), np.array([1])
        matches = find_matches(tables, words, Captions.of(tokens, np.arange(2)), own, their)
        sizes.append(len(matches))
    assert sizes[1] < 2.1 * sizes[0] < 60 * 2_500 * len(word.split())


def test_what_is_equal_in_long_texts_is_matched_where_it_has_moved(tables: Tables) -> None:
    words = [f"w{number % 977}x{number % 31} the a of" for number in range(600)]
    moved = words[400:] + words[:400]
    # 2,400 words in two chunks give 1 - 0.6 (2 / 2400) ^ 0.2 = 0.855; in ten, 0.799.
    assert 0.799 < _scores([(" ".join(moved), [" ".join(words)])])[0] <= 0.855


def _assert_equal_to_stored(rows: list[Any], tables: Tables) -> None:
    texts = [text for own, reference, _ in rows for text in (own, reference)]
    tokens = normalised(token_table(texts, "space"), tables)
    places = np.arange(len(rows))
    ours = pair_statistics(tables, tokens, 2 * places, 2 * places + 1, range(4))
    theirs = jar.as_summed([" ".join(map(str, printed)) for _, _, printed in rows])
    assert [rows[i] for i in np.flatnonzero((ours != theirs).any(axis=1))] == []


def test_formula_is_the_program_s() -> None:
    figures = _figures()
    table = jar.as_summed([" ".join(map(str, printed)) for _, _, printed in figures["pairs"]])
    assert meteor(table, Parameters()) == pytest.approx(np.array(figures["scores"]), abs=1e-12)
    total = float(meteor(table.sum(axis=0), Parameters()))
    assert total == pytest.approx(figures["corpus"], abs=1e-12)


def _assert_equal_to_jar(java: str, corpus: Corpus) -> None:
    """Every statistic of every example, and with them every score."""
    batch = Batch(corpus)
    tokens = batch.tokens("ptb")
    words = [" ".join(tokens.words(i)) for i in range(len(tokens))]
    items: list[tuple[str, list[str]]] = [(words[i], []) for i in batch.candidate_text.tolist()]
    for example, text in zip(*(column.tolist() for column in batch.pairs()), strict=True):
        items[example][1].append(words[text])
    printed = jar.statistics(java, items)
    metric = Meteor()
    ours, theirs = metric.statistics(batch, None), jar.as_summed(printed)
    assert [items[i] for i in np.flatnonzero((ours != theirs).any(axis=1))] == []
    scores, total = jar.scores(java, printed)
    assert metric.example_scores(ours) == pytest.approx(scores, abs=1e-12)
    assert float(metric.corpus_score(ours.sum(axis=0))) == pytest.approx(total, abs=1e-12)


def test_thumb_against_the_program(java: str, thumb: Corpus, tables: Tables) -> None:
    _assert_equal_to_jar(java, thumb)


@pytest.mark.long
def test_karpathy_against_the_program(java: str, karpathy: Corpus, tables: Tables) -> None:
    _assert_equal_to_jar(java, karpathy)


@pytest.mark.long
@pytest.mark.parametrize("name", ["flickr8k-expert", "nebula"])
def test_benchmarks_against_the_program(java: str, data: Path, tables: Tables, name: str) -> None:
    _assert_equal_to_jar(java, load_benchmark(name, data).corpus)


@pytest.mark.parametrize(
    ("candidate", "references", "expected"),
    [
        ("a dog", ["a dog"], 1.0),
        ("", ["a dog"], 0.0),
        ("a dog", [""], 0.0),
        ("", [""], 0.0),
        ("dog", ["zebra"], 0.0),
        # Two equal stems compete for one word and neither counts: the program's whole numbers.
        ("runs runs", ["running"], 0.0),
        ("a dog", ["a zebra", "a dog"], 1.0),
    ],
)
def test_corners(tables: Tables, candidate: str, references: list[str], expected: float) -> None:
    assert _scores([(candidate, references)]) == [pytest.approx(expected)]


def test_repeated_and_long_captions(tables: Tables) -> None:
    rows = [("a " * 30, ["a " * 30]), ("a " * 300, ["a " * 299])]
    rows += [("the red bus " * n, ["the red bus " * (n - n // 10)]) for n in (10, 100)]
    # What the program's EVAL prints; it takes 45 s for these four.
    assert _scores(rows) == pytest.approx(
        [1.0, 0.8077203988376417, 0.6783254608691097, 0.7909872074043981], abs=1e-12
    )


def test_no_examples() -> None:
    assert Meteor().statistics(Batch(_corpus([])), None).shape == (0, COLUMNS)


def test_matchers_can_be_left_out(tables: Tables) -> None:
    batch = Batch(_corpus([("a dog leaps", ["a hound jumps"])]))
    both = Meteor().statistics(batch, None)
    exact = Meteor(matchers="exact").statistics(batch, None)
    assert both[0, -2] == 3
    assert exact[0, -2] == 1


def test_signature_names_what_changes_the_number(tables: Tables) -> None:
    corpus = _corpus([("a dog", ["a dog"])])
    signature = Meteor(alpha=0.9, matchers="exact+stem").signature(corpus, None)
    assert "alpha:0.9|beta:0.2|gamma:0.6|delta:0.75|matchers:exact+stem" in signature
    assert tables.digest[:12] in signature


def test_options_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="stem"):
        Meteor(matchers="stems")
    with pytest.raises(InputError, match="alpha"):
        Meteor(alpha=2.0)


def test_alignment_names_words_and_matchers(tables: Tables) -> None:
    # As the program's written alignments say: 2 words against 1, by paraphrase.
    assert align(["a", "big", "dog"], ["the", "large", "puppies"]) == [(0, 2, 1, 1, "paraphrase")]


_WORDS = st.sampled_from(
    [
        *("a", "the", "dog", "dogs", "running", "runs", "big", "large", "of", "photo", "picture"),
        *("'s", "n't", "é", "狗", "12:30", "x-ray", "u.s."),
    ]
)
_CAPTION = st.lists(_WORDS, max_size=12).map(" ".join)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(_CAPTION, st.lists(_CAPTION, min_size=1, max_size=3)), max_size=4))
def test_any_captions(tables: Tables, rows: list[tuple[str, list[str]]]) -> None:
    scores = _scores(rows)
    assert all(0 <= score <= 1 for score in scores)
    turned = _scores([(own, refs[::-1]) for own, refs in rows])
    assert turned == pytest.approx(scores, abs=1e-12)
    joined = _scores([(own, [*refs, own]) for own, refs in rows])
    tokens = token_table([own for own, _ in rows], "ptb").lengths
    assert all(score == 1 for score, length in zip(joined, tokens, strict=True) if length)
