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
from captious.text.stem import stem

WORD_FEATURES = (  # in the order of `word_features`
    "tfidf1",  # cosine of rarity-weighted counts of stems, mean over references, as in CIDEr-D
    "tfidf2",  # the same of pairs of neighbouring stems
    "recall",  # share of what references agree on that the candidate says
    "rouge",  # F of the longest common subsequence of words, mean over references
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
_SIGMA = 6.0  # of the penalty on length; CIDEr-D's
_FAMILIAR = 16.0  # log2 of the count at which a pair of stems has no weight left
_stem = lru_cache(maxsize=1 << 16)(stem)
Gram = tuple[str, ...]


class Said(NamedTuple):
    """One caption, prepared: its words, how often it has each stem and each pair, and their norms."""

    words: tuple[str, ...]
    grams: tuple[Counter[Gram], ...]
    norms: tuple[float, ...]


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
        grams: tuple[Counter[Gram], ...] = (Counter((s,) for s in stems), Counter(pairwise(stems)))
        norms = (
            math.sqrt(sum((count * self.weight(gram)) ** 2 for gram, count in own.items())) for own in grams
        )
        return Said(tuple(words), grams, tuple(norms))


def pair_place(first: str, second: str, size: int) -> int:
    """Place of a pair of words in a table of `size` places; the same on every machine.

    >>> pair_place("a", "dog", 1024) == pair_place("a", "dog", 1024)
    True
    """
    return crc32(f"{first} {second}".encode()) % size


def word_features(candidate: Said, references: Sequence[Said], table: WordTable) -> list[float]:
    """The values of `WORD_FEATURES` for one example."""
    n = len(references)
    return [
        *(sum(_cosine(candidate, r, k, table) for r in references) / n for k in (0, 1)),
        _recall(candidate, references, table),
        sum(_rouge(candidate.words, r.words) for r in references) / n,
        *_clashes(candidate, references),
    ]


def _cosine(a: Said, b: Said, k: int, table: WordTable) -> float:
    if not a.norms[k] or not b.norms[k]:
        return 0.0
    theirs = b.grams[k]
    # Clipped counts and a penalty on length, as in CIDEr-D (Vedantam et al. 2015).
    shared = sum(
        min(count, theirs[gram]) * theirs[gram] * table.weight(gram) ** 2
        for gram, count in a.grams[k].items()
        if gram in theirs
    )
    gap = len(a.words) - len(b.words)
    return shared / (a.norms[k] * b.norms[k]) * math.exp(-(gap**2) / (2 * _SIGMA**2))


def _recall(said: Said, references: Sequence[Said], table: WordTable) -> float:
    """A stem weighs its rarity times the square of the share of references that hold it."""
    counts = Counter(gram for r in references for gram in r.grams[0])
    weights = {gram: table.weight(gram) * (c / len(references)) ** 2 for gram, c in counts.items()}
    total = math.fsum(weights.values())
    lacking = math.fsum(weight for gram, weight in weights.items() if gram not in said.grams[0])
    return 1 - lacking / total if total else 0.0


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


def _rouge(a: Sequence[str], b: Sequence[str]) -> float:
    from rapidfuzz.distance import LCSseq

    if not a or not b:
        return 0.0
    return 2 * LCSseq.similarity(a, b) / (len(a) + len(b))


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
        documents.update({own for caption in stemmed for own in caption})
        for caption in stemmed:
            for first, second in pairwise(["<s>", *caption, "</s>"]):
                counts[pair_place(first, second, size)] += 1
    highest = math.log(len(captions) + 1)
    rarity = {
        own: max(math.log((len(captions) + 1) / (count + 1)) / highest, 0.0)
        for own, count in documents.most_common(words)
    }
    return WordTable(rarity, np.log2(1 + counts))
