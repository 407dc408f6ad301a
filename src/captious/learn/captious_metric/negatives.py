"""Captions with one wrong detail, made from right ones.

A word is replaced by another of its kind, two words of one kind change places, or a word is added:
the kinds of errors that sentence encoders are half blind to (Hsieh et al. 2023, SugarCrepe, whose
captions and images are not used here). A detail that some reference confirms is never taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from captious.errors import MissingDependencyError
from captious.text.parse import Parse

_COLOURS = "red blue green yellow orange purple pink brown black white gray grey golden silver tan"
_NUMBERS = "one two three four five six seven eight"
_PLACES = "on under behind above below near inside beside over outside beneath against around"
COLOURS = _COLOURS.split()
NUMBERS = _NUMBERS.split()
PLACES = _PLACES.split()
OPPOSITES = dict(
    pair
    for a, b in (
        ("man", "woman"),
        ("men", "women"),
        ("boy", "girl"),
        ("boys", "girls"),
        ("large", "small"),
        ("big", "little"),
        ("young", "old"),
        ("tall", "short"),
        ("open", "closed"),
        ("empty", "full"),
        ("standing", "sitting"),
        ("up", "down"),
        ("left", "right"),
        ("his", "her"),
        ("he", "she"),
        ("wooden", "metal"),
        ("day", "night"),
        ("outdoor", "indoor"),
        ("into", "out"),
    )
    for pair in ((a, b), (b, a))
)
KINDS = ("replace", "replace", "replace", "exchange", "exchange", "add")
_REPLACED = (("NN", "NNS"), ("VBG", "VBZ", "VBN", "VBP"), ("JJ", "CD"), ("IN", "RP"))  # one is drawn first
_PHRASE = frozenset({"JJ", "CD", "VBN", "NN", "NNS"})
_NOUNS = frozenset({"NN", "NNS"})
# Between two phrases, these leave the meaning as it was when the phrases change places.
_BETWEEN = "and or with next to near beside by a an the , some two"
_SYMMETRIC = frozenset(_BETWEEN.split())
_TRIES = 6
_OPEN = ("NN", "NNS", "JJ", "VBG")  # tags of words that get neighbours
_SYNONYMS = 1  # nearest words that are passed over: they may mean the same
_NEIGHBOURS = 12


@dataclass(frozen=True)
class WordPools:
    """Frequent words by part of speech, and the neighbours of each."""

    by_tag: dict[str, list[str]]
    near: dict[str, list[str]]

    @classmethod
    def of(cls, parses: Iterable[Parse], least: int = 20) -> WordPools:
        """Words that at least `least` captions hold; neighbours share the words around them."""
        counts: Counter[tuple[str, str]] = Counter()
        for parse in parses:
            counts.update(set(zip(parse.words, parse.tags, strict=True)))
        by_tag: dict[str, list[str]] = {}
        for (word, tag), count in sorted(counts.items()):
            if count >= least and word.isalpha() and len(word) > 2:
                by_tag.setdefault(tag, []).append(word)
        return cls(by_tag, {})

    def another(self, word: str, tag: str, rng: Random) -> str | None:
        """A word that may stand where `word` stands and means something else."""
        if word in OPPOSITES and rng.random() < 0.6:
            return OPPOSITES[word]
        for closed in (COLOURS, NUMBERS, PLACES):
            if word in closed:
                return rng.choice(closed)
        near = self.near.get(word)
        if near and rng.random() < 0.6:
            return rng.choice(near)
        if tag in ("NN", "NNS", "JJ", "VBG", "VBZ", "VBN"):
            pool = self.by_tag.get(tag)
            return rng.choice(pool) if pool else None
        return None


def wrong_captions(
    parse: Parse, known: frozenset[str], pools: WordPools, rng: Random, count: int
) -> list[str]:
    """Up to `count` copies of a caption, each with one wrong detail.

    `known` are the words of the image's other captions: none of them is brought in as wrong.
    """
    found: dict[str, None] = {}
    right = " ".join(parse.words)
    for _ in range(_TRIES * count):
        words = _MAKERS[rng.choice(KINDS)](parse, known, pools, rng)
        if words is not None and " ".join(words) != right:
            found[" ".join(words)] = None
        if len(found) == count:
            break
    return list(found)


def _replace(parse: Parse, known: frozenset[str], pools: WordPools, rng: Random) -> list[str] | None:
    tags = rng.choice(_REPLACED)  # nouns are most words; each part of speech shall be wrong as often
    places = [i for i, tag in enumerate(parse.tags) if tag in tags]
    if not places:
        return None
    place = rng.choice(places)
    word = parse.words[place]
    other = pools.another(word, parse.tags[place], rng)
    if other is None or other == word or other in known:
        return None
    return [*parse.words[:place], other, *parse.words[place + 1 :]]


def _exchange(parse: Parse, known: frozenset[str], pools: WordPools, rng: Random) -> list[str] | None:
    """Two nouns, two words that describe, or two phrases with all that describes them."""
    parts = rng.choice((_single(parse, _NOUNS), _single(parse, _PHRASE - _NOUNS), _phrases(parse)))
    if len(parts) < 2:
        return None
    (first, end), (second, stop) = sorted(rng.sample(parts, 2))
    words = list(parse.words)
    # Neighbours that change places are the same phrase turned around, not another meaning.
    if second - end < 1 or _SYMMETRIC.issuperset(words[end:second]):
        return None
    return [*words[:first], *words[second:stop], *words[end:second], *words[first:end], *words[stop:]]


def _single(parse: Parse, tags: frozenset[str]) -> list[tuple[int, int]]:
    return [(i, i + 1) for i, tag in enumerate(parse.tags) if tag in tags]


def _phrases(parse: Parse) -> list[tuple[int, int]]:
    """Longest runs of describing words and nouns that end in a noun."""
    found: list[tuple[int, int]] = []
    start = None
    for i, tag in enumerate((*parse.tags, "")):
        if tag in _PHRASE:
            start = i if start is None else start
        elif start is not None:
            if parse.tags[i - 1] in _NOUNS:
                found.append((start, i))
            start = None
    return found


def _add(parse: Parse, known: frozenset[str], pools: WordPools, rng: Random) -> list[str] | None:
    nouns = [i for i, tag in enumerate(parse.tags) if tag in ("NN", "NNS")]
    adjectives, objects = pools.by_tag.get("JJ"), pools.by_tag.get("NN")
    if not nouns or not adjectives or not objects:
        return None
    place = rng.choice(nouns)
    words = list(parse.words)
    if rng.random() < 0.4:
        added = rng.choice(COLOURS if rng.random() < 0.3 else adjectives)
        return None if added in known else [*words[:place], added, *words[place:]]
    near = pools.near.get(words[place])
    added = rng.choice(near if near and rng.random() < 0.4 else objects)
    if added in known or added in words:
        return None
    joint = rng.choice(("and a", "with a", "next to a", "and a"))
    return [*words[: place + 1], *joint.split(), added, *words[place + 1 :]]


_MAKERS = {"replace": _replace, "exchange": _exchange, "add": _add}


def words_of(texts: Iterable[Sequence[str]]) -> frozenset[str]:
    """All words of some tokenised captions."""
    return frozenset(word for text in texts for word in text)


def with_neighbours(pools: WordPools) -> WordPools:
    """The pools with each word's neighbours in GloVe among words of its tag; without GloVe, as they are."""
    from captious.text.vectors.read import read_glove_package

    wanted = {word for tag in _OPEN for word in pools.by_tag.get(tag, ())}
    vectors: dict[str, NDArray[np.float32]] = {}
    try:
        for block in read_glove_package():
            for word, vector in zip(block.words, block.vectors, strict=True):
                if word in wanted:
                    vectors[word] = vector / np.linalg.norm(vector)
    except MissingDependencyError:
        return pools
    near: dict[str, list[str]] = {}
    for tag in _OPEN:
        words = [word for word in pools.by_tag.get(tag, ()) if word in vectors]
        if len(words) < 2:
            continue
        table = np.stack([vectors[word] for word in words])
        order = np.argsort(-(table @ table.T), axis=1)[:, _SYNONYMS + 1 : _SYNONYMS + 1 + _NEIGHBOURS]
        for word, row in zip(words, order.tolist(), strict=True):
            near.setdefault(word, []).extend(words[i] for i in row)
    return WordPools(pools.by_tag, near)
