"""Captions from several sources in given shares."""

from collections import Counter

import pytest

from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError
from captious.protocols.game.mix import mix_sources

N = 40


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_lists(
        [f"{system} on {image}" for image in range(N) for system in ("pythia", "glac")],
        [[f"human {image}", f"another {image}"] for image in range(N) for _ in range(2)],
        image_ids=[str(image) for image in range(N) for _ in range(2)],
        systems=["pythia", "glac"] * N,
    )


COCOG = {"human": 0.25, "pythia": 0.25, "glac": 0.25, "mismatched": 0.25}


def rows(mixed: Corpus) -> list[tuple[str, str, str]]:
    return [(one.image_id, one.system, one.caption) for one in map(mixed.example, range(len(mixed.captions)))]


def test_shares_are_met_and_each_image_is_there_once(corpus: Corpus) -> None:
    found = rows(mix_sources(corpus, COCOG, seed=3))
    assert Counter(source for _, source, _ in found) == dict.fromkeys(COCOG, 10)
    assert sorted(image for image, _, _ in found) == sorted(map(str, range(N)))


def test_each_source_writes_what_it_should(corpus: Corpus) -> None:
    for image, source, text in rows(mix_sources(corpus, COCOG, seed=3)):
        about = text.rsplit(" ", 1)[1]
        assert (about != image) == (source == "mismatched")
        assert text.startswith(("human", "another")) == (source in ("human", "mismatched"))


def test_some_images_have_two_captions_of_two_sources(corpus: Corpus) -> None:
    found = rows(mix_sources(corpus, COCOG, twice=0.25, seed=3))
    assert len(found) == 50
    per_image = Counter(image for image, _, _ in found)
    assert Counter(per_image.values()) == {1: 30, 2: 10}
    assert len({(image, source) for image, source, _ in found}) == 50


def test_shares_need_not_add_up_to_one(corpus: Corpus) -> None:
    # 3 to 1 of 40 captions.
    found = rows(mix_sources(corpus, {"glac": 3, "human": 1}, seed=3))
    assert Counter(source for _, source, _ in found) == {"glac": 30, "human": 10}


def test_the_same_seed_gives_the_same_mixture(corpus: Corpus) -> None:
    assert rows(mix_sources(corpus, COCOG, seed=5)) == rows(mix_sources(corpus, COCOG, seed=5))
    assert rows(mix_sources(corpus, COCOG, seed=5)) != rows(mix_sources(corpus, COCOG, seed=6))


def test_what_cannot_be_mixed_is_refused(corpus: Corpus) -> None:
    with pytest.raises(UnknownNameError, match="pythia"):
        mix_sources(corpus, {"pythias": 1})
    with pytest.raises(InputError, match="second source"):
        mix_sources(corpus, {"human": 1}, twice=0.5)
    with pytest.raises(InputError, match="above 0"):
        mix_sources(corpus, {})
    plain = Corpus.from_lists(["a"], image_ids=["1"], systems=["m"])
    with pytest.raises(InputError, match="needs references"):
        mix_sources(plain, {"human": 1})
