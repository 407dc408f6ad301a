"""A mixture of good, middling and poor captions to be rated (Scott et al. 2023, 3.3).

CocoG draws its captions from four sources: the original human captions, two models, and human
captions of other images. Most of its images have one caption, some have two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError
from captious.protocols.base import captions_of, draws, human_captions

HUMAN = "human"
MISMATCHED = "mismatched"
TRIES = 100


def mix_sources(corpus: Corpus, shares: Mapping[str, float], *, twice: float = 0.0, seed: int = 0) -> Corpus:
    """One caption an image, from sources in the given shares; some images get a second one.

    A source is a system of the corpus, `human` (one of the image's references) or `mismatched` (a
    reference of another image that is no reference of this one). `twice` is the share of images
    with two captions, from two sources. Shares are met as nearly as whole numbers allow.

    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["The dog."], ["The cat."]],
    ...                            image_ids=["1", "2"], systems=["m", "m"])
    >>> mixed = mix_sources(corpus, {"m": 0.5, "mismatched": 0.5}, seed=1)
    >>> sorted(mixed.systems), len(mixed.captions)
    (['m', 'mismatched'], 2)
    """
    _require(corpus, shares, twice)
    images = list(captions_of(corpus))
    order = [images[place] for place in draws(seed, "order").permutation(len(images)).tolist()]
    again = order[: round(twice * len(order))]
    sources = _deal(shares, len(order) + len(again), draws(seed, "sources"))
    first, second = sources[: len(order)], _unlike(sources[: len(order)], sources[len(order) :])
    chosen = [*zip(order, first, strict=True), *zip(again, second, strict=True)]
    writer = _Writer(corpus, seed)
    texts = [writer.caption(image, source) for image, source in chosen]
    return Corpus.from_lists(
        texts,
        [writer.references[image] for image, _ in chosen] if writer.references else None,
        image_ids=[image for image, _ in chosen],
        systems=[source for _, source in chosen],
        image_paths=_paths(corpus),
    )


def _require(corpus: Corpus, shares: Mapping[str, float], twice: float) -> None:
    if not shares or any(share <= 0 for share in shares.values()):
        raise InputError("mix: give a share above 0 for every source.")
    if not 0 <= twice <= 1:
        raise InputError(f"mix: twice is {twice:g}. Give a share from 0 to 1.")
    if twice and len(shares) < 2:
        raise InputError("mix: a second caption needs a second source.")
    for source in shares:
        if source not in (HUMAN, MISMATCHED, *corpus.systems):
            raise UnknownNameError("source", source, [HUMAN, MISMATCHED, *corpus.systems])


def _deal(shares: Mapping[str, float], count: int, rng: np.random.Generator) -> list[str]:
    """The sources of so many captions, in random order: by shares, the largest remainders first."""
    total = sum(shares.values())
    exact = {source: count * share / total for source, share in shares.items()}
    counts = {source: int(value) for source, value in exact.items()}
    left = count - sum(counts.values())
    by_remainder = sorted(exact, key=lambda source: counts[source] - exact[source])
    for source in by_remainder[:left]:
        counts[source] += 1
    dealt = [source for source, times in counts.items() for _ in range(times)]
    return [dealt[place] for place in rng.permutation(count).tolist()]


def _unlike(first: Sequence[str], second: list[str]) -> list[str]:
    """The second captions' sources, changed about so that no image has one source twice."""
    for place, source in enumerate(second):
        if source != first[place]:
            continue
        swap = next(
            (
                other
                for other in range(len(second))
                if second[other] != first[place] and source != first[other]
            ),
            None,
        )
        if swap is None:
            raise InputError("mix: too few sources for a second caption. Lower twice.")
        second[place], second[swap] = second[swap], source
    return second


class _Writer:
    """Finds a caption of a source for an image."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self._seed = seed
        self._own: dict[tuple[str, str], str] = {}
        for image, texts in captions_of(corpus).items():
            for text, systems in texts.items():
                for system in systems:
                    self._own.setdefault((image, system), text)
        self.references = human_captions(corpus) if len(corpus.references) else {}
        self._images = list(self.references)

    def caption(self, image: str, source: str) -> str:
        if source not in (HUMAN, MISMATCHED):
            if (image, source) not in self._own:
                raise InputError(f'image "{image}": {source} has no caption of it. Leave the image out.')
            return self._own[image, source]
        if not self.references:
            raise InputError(f"mix: the source {source} needs references.")
        rng = draws(self._seed, "caption", image, source)
        own = self.references[image]
        if source == HUMAN:
            return own[int(rng.integers(len(own)))]
        for _ in range(TRIES):
            other = self._images[int(rng.integers(len(self._images)))]
            texts = self.references[other]
            text = texts[int(rng.integers(len(texts)))]
            if other != image and text not in own:
                return text
        raise InputError(f'image "{image}": no caption of another image differs from its own.')


def _paths(corpus: Corpus) -> dict[str, str] | None:
    if corpus.image_paths is None:
        return None
    pairs = zip(corpus.image_ids, corpus.image_paths, strict=True)
    return {image: path for image, path in pairs if path is not None}
