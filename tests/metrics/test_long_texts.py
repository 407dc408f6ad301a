"""Captions beyond the tokens that an encoder reads: a fault near the end counts, and is not silent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.corpus import MetricScores
from captious.errors import CaptiousWarning, InputError, MissingDependencyError
from captious.metrics import resolve

DOG, ELEPHANT = "a dog runs on the beach . ", "a purple elephant eats the moon . "
RIGHT = DOG * 60
WRONG = DOG * 45 + ELEPHANT * 15  # the last quarter is another story
# BERTScore's encoder reads 512 tokens: twice the text is beyond.
TIMES = {"sentsim": 1, "captious": 1, "bertscore": 2}


@pytest.fixture(autouse=True)
def _weights() -> None:
    for name in TIMES:
        try:
            resolve(name).ready()
        except MissingDependencyError as error:
            pytest.skip(str(error))


def scored(name: str, long: str, times: int = 1) -> MetricScores:
    """Scores of the right and of the wrong caption against the right one."""
    own = f"{name}[long={long}]"
    texts = [RIGHT * times, DOG * 45 * times + ELEPHANT * 15 * times]
    return captious.score(Corpus.from_lists(texts, [[RIGHT * times]] * 2), [own])[own]


@pytest.mark.parametrize("name", TIMES)
def test_a_wrong_last_quarter_costs_at_least_5_points(name: str) -> None:
    right, wrong = scored(name, "chunk", TIMES[name]).values
    assert right - wrong >= 0.05
    right, wrong = scored(name, "chunk").values
    assert right - wrong >= 0.05


@pytest.mark.parametrize("name", TIMES)
def test_the_signature_and_one_note_say_how_long_texts_were_read(name: str) -> None:
    limit = 512 if name == "bertscore" else 256
    chunked, cut = scored(name, "chunk", TIMES[name]), scored(name, "truncate", TIMES[name])
    assert f"|long:chunk:{limit}/32|chunked:" in chunked.signature
    assert "|long:truncate|trunc:" in cut.signature
    assert len(chunked.notes) == len(cut.notes) == 1
    assert "4 texts had more tokens than the model reads" in chunked.notes[0]
    assert chunked.notes[0].endswith("were read in windows.")
    assert cut.notes[0].endswith(f"were cut off. {name}[long=chunk] reads them too.")
    with pytest.raises(InputError, match=rf"tokens more than the {limit} that all-MiniLM-L6-v2 reads"):
        scored(name, "error", TIMES[name])


@pytest.mark.parametrize("name", TIMES)
def test_texts_within_the_limit_score_alike_in_every_way_and_say_nothing(name: str) -> None:
    corpus = Corpus.from_lists([DOG * 9, "Two cats."], [["a dog . " * 20], ["Two cats sleep.", ""]])
    plain = captious.score(corpus, [name])[name]
    assert "long" not in plain.signature
    assert plain.notes == ()
    for way in ("chunk", "truncate", "error"):
        same = captious.score(corpus, [f"{name}[long={way}]"])[f"{name}[long={way}]"]
        np.testing.assert_array_equal(same.values, plain.values)
        assert same.signature == plain.signature


def test_the_similarity_of_windows_by_hand() -> None:
    """The lower of both sides' means, by tokens, of each window's best cosine."""
    from captious.metrics.sentsim import _text_cosines
    from captious.models.encoders.sentence import SentenceVectors

    # Two texts: windows x and y with 3/4 and 1/4 of the tokens; window z, with cosines .8 and .6.
    rows = np.array([[1, 0], [0, 1], [0.8, 0.6]], dtype=np.float32)
    made = SentenceVectors(
        rows, np.array([0, 2, 3]), np.array([0.75, 0.25, 1.0]), np.array([True, True]), np.zeros(2, np.int64)
    )
    found = _text_cosines(made, np.array([0]), np.array([1]))
    assert found[0] == pytest.approx(min(0.75 * 0.8 + 0.25 * 0.6, 0.8))
    pooled = np.array([0.75, 0.25]) / np.hypot(0.75, 0.25)
    np.testing.assert_allclose(made.pooled[0], pooled, atol=1e-6)


def test_the_cache_tells_ways_of_reading_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    plain = {way: scored("sentsim", way).values for way in ("chunk", "truncate")}
    assert plain["chunk"][1] < plain["truncate"][1] - 0.05
    for way in ("truncate", "chunk", "truncate", "chunk"):
        np.testing.assert_allclose(scored("sentsim", f"{way},cache=yes").values, plain[way], atol=1e-6)


def test_bertscore_matches_the_tokens_of_all_windows() -> None:
    """A caption that is its reference's first part loses recall alone; cut off, both look the same."""
    first = ", ".join(f"{n} dogs and a cat" for n in range(120)) + ". "
    rest = "Three women ride red horses through the snow. " * 12
    corpus = Corpus.from_lists([first], [[first + rest]])
    parts = {
        part: captious.score(corpus, [f"bertscore[part={part},long=chunk]"]).metrics.popitem()[1].score
        for part in ("precision", "recall")
    }
    assert parts["precision"] > parts["recall"] + 0.05
    cut = captious.score(corpus, ["bertscore[part=recall]"])["bertscore[part=recall]"].score
    assert cut == pytest.approx(1.0, abs=1e-5)


def test_plain_numbers_and_rewards_warn() -> None:
    with pytest.warns(CaptiousWarning, match=r"tokens were cut off\. bertscore\[long=chunk\] reads them too"):
        found = captious.compute([RIGHT * 2], [[RIGHT * 2]], metrics=["bertscore"])
    assert found["bertscore"] == pytest.approx(1.0, abs=1e-5)
    reward = captious.Reward("sentsim", references={1: [RIGHT]})
    with pytest.warns(CaptiousWarning, match=r"sentsim: 3 texts .* were read in windows"):
        right, wrong = reward([1, 1], [RIGHT, WRONG])
    assert right - wrong >= 0.05


def test_processes_give_what_one_gives() -> None:
    corpus = Corpus.from_lists([RIGHT, WRONG, "Two cats."], [[RIGHT], [DOG, RIGHT], [WRONG]])
    for name in ("sentsim", "bertscore[long=chunk]"):
        one, two = (captious.score(corpus, [name], jobs=jobs)[name] for jobs in (1, 2))
        np.testing.assert_array_equal(one.values, two.values)
        assert one.signature == two.signature
