"""What captions say word for word: n-grams shared with the references, and contradictions.

All values come from the example alone and from fixed tables of how rare words and pairs of words are,
so that a score never depends on the other examples of its batch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np

from captious.corpus.columns import FloatArray
from captious.metrics.marked_words import Fault
from captious.text.stem import stem

WORD_FEATURES = (  # in the order of `word_features`
    "support",  # share of the candidate's stems that some reference has, by rarity
    "pairs",  # cosine of rarity-weighted counts of pairs of neighbouring stems, mean over references
    "colour",  # words of a closed kind that clash with the references' words of that kind
    "number",
    "gender",
)
FAULTS = frozenset({"colour", "number", "gender"})  # more is worse; of all other features more is better
_CLOSED = {
    "colour": "red blue green yellow orange purple pink brown black white gray grey gold golden silver tan",
    "number": "one two three four five six seven eight nine ten",
    "gender": "man men woman women boy boys girl girls male female guy guys lady ladies his her he she",
}
KINDS = {kind: frozenset(words.split()) for kind, words in _CLOSED.items()}
_MALE_WORDS = "man men boy boys male guy guys his he him"
_MALE = frozenset(_MALE_WORDS.split())
_FINDING_KINDS = {"colour": "attribute", "number": "count", "gender": "object"}
_RARE = 0.1  # the rarity from which a word that no reference has is a finding: "with" has .06, "dog" .18
_FAMILIAR = 16.0  # log2 of the count at which a pair of stems has no weight left
_MARKS = '*_#~`|/\\!?<>=^…“”„«»¡¿"()[]{}'  # of Markdown, emphasis and quotation
_BRACKETS = frozenset({"-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"})  # as the tokeniser writes them
_stem = lru_cache(maxsize=1 << 16)(stem)
Gram = tuple[str, ...]


class Said(NamedTuple):
    """One caption, prepared: its words, how often it has each stem and each pair, and their weights."""

    words: tuple[str, ...]
    stems: Counter[Gram]
    pairs: Counter[Gram]
    weights: dict[Gram, float]  # of both
    norm: float  # of the pairs


class WordTable(NamedTuple):
    """Rarity of stems (0 everywhere, 1 never seen) and familiarity of pairs (0 never seen)."""

    rarity: Mapping[str, float]
    pairs: FloatArray  # log2(1 + count) by the pair's place, see `pair_place`

    def weight(self, gram: Gram) -> float:
        """Rarity of a stem or of a pair of stems."""
        if len(gram) == 1:
            return self.rarity.get(gram[0], 1.0)
        known = float(self.pairs[pair_place(gram[0], gram[1], len(self.pairs))])
        return max(1.0 - known / _FAMILIAR, 0.0)

    def say(self, words: Sequence[str]) -> Said:
        """Prepare a caption."""
        stems = [_stem(word) for word in words]
        single: Counter[Gram] = Counter((own,) for own in stems)
        pairs: Counter[Gram] = Counter(pairwise(stems))
        weights = {gram: self.weight(gram) for own in (single, pairs) for gram in own}
        norm = math.sqrt(sum((count * weights[gram]) ** 2 for gram, count in pairs.items()))
        return Said(tuple(words), single, pairs, weights, norm)


def plain_words(tokens: Sequence[str]) -> list[str]:
    """Tokens without marks at their ends, so that emphasis and markup change nothing.

    >>> plain_words(["**", "red", "**", "dog", "'s", "ball", "!!", "_now_"])
    ['red', 'dog', "'s", 'ball', 'now']
    """
    return [word for word in (token.strip(_MARKS) for token in tokens) if word and word not in _BRACKETS]


def pair_place(first: str, second: str, size: int) -> int:
    """Place of a pair of words in a table of `size` places; the same on every machine.

    >>> pair_place("a", "dog", 1024) == pair_place("a", "dog", 1024)
    True
    """
    return crc32(f"{first} {second}".encode()) % size


def word_features(candidate: Said, references: Sequence[Said]) -> list[float]:
    """The values of `WORD_FEATURES` for one example."""
    pairs = sum(_cosine(candidate, r) for r in references) / len(references)
    return [_support(candidate, references), pairs, *_clashes(candidate, references)]


def _support(said: Said, references: Sequence[Said]) -> float:
    """A stem weighs its rarity, so that "a" supports nothing."""
    total = math.fsum(count * said.weights[gram] for gram, count in said.stems.items())
    if not total:
        return 0.0
    known = set().union(*(r.stems for r in references))
    return math.fsum(n * said.weights[gram] for gram, n in said.stems.items() if gram in known) / total


def _cosine(a: Said, b: Said) -> float:
    if not a.norm or not b.norm:
        return 0.0
    # Clipped counts, as in CIDEr-D (Vedantam et al. 2015).
    shared = sum(
        min(count, b.pairs[gram]) * b.pairs[gram] * a.weights[gram] ** 2
        for gram, count in a.pairs.items()
        if gram in b.pairs
    )
    return shared / (a.norm * b.norm)


def _clashes(said: Said, references: Sequence[Said]) -> list[float]:
    """For each closed kind: words of it that the references contradict, unknown ones at a half."""
    held = {word for r in references for word in r.words}
    found = []
    for kind, words in KINDS.items():
        own, theirs = set(words.intersection(said.words)), set(words & held)
        if kind == "gender":
            own, theirs = ({"m" if word in _MALE else "f" for word in group} for group in (own, theirs))
        found.append(len(own - theirs) * (1.0 if theirs else 0.5))
    return found


def faults(said: Said, references: Sequence[Said]) -> dict[str, Fault]:
    """The words of a caption that lower its score: no reference has them, or all contradict them.

    A word that no reference has counts by its rarity; a colour, number or gender counts whole where the
    references name another, and half where they name none.
    """
    known = set().union(*(one.stems for one in references))
    held = {word for one in references for word in one.words}
    found = {}
    for word in said.words:
        gram = (_stem(word),)
        if gram not in known and said.weights[gram] >= _RARE:
            found[word] = Fault(said.weights[gram])
    for kind, words in KINDS.items():
        theirs = words & held
        for word in words.intersection(said.words) - held:
            if kind == "gender" and any((word in _MALE) == (other in _MALE) for other in theirs):
                continue
            severity = "major" if theirs else "minor"
            evidence = ", ".join(sorted(theirs))
            found[word] = Fault(1.0 if theirs else 0.5, evidence, _FINDING_KINDS[kind], severity)
    return found


def make_table(
    captions: Sequence[Sequence[Sequence[str]]], size: int = 1 << 17, words: int = 8000
) -> WordTable:
    """A table from tokenised captions, grouped by image.

    Rarity of a stem is its inverse document frequency over images, divided by that of one that no
    image has.

    >>> table = make_table([[["a", "dog"]], [["a", "cat"]]])
    >>> table.rarity["a"] < table.rarity["dog"] < 1
    True
    """
    documents: Counter[str] = Counter()
    counts = np.zeros(size)
    for image in captions:
        stemmed = [[_stem(word) for word in caption] for caption in image]
        # In a fixed order: sets have another in every process, and it decides between equally frequent stems.
        documents.update(sorted({own for caption in stemmed for own in caption}))
        for caption in stemmed:
            for first, second in pairwise(["<s>", *caption, "</s>"]):
                counts[pair_place(first, second, size)] += 1
    highest = math.log(len(captions) + 1)
    rarity = {
        own: max(math.log((len(captions) + 1) / (count + 1)) / highest, 0.0)
        for own, count in documents.most_common(words)
    }
    return WordTable(rarity, np.log2(1 + counts))
