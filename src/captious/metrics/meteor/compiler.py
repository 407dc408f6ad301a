"""Turning METEOR's language data into arrays that map straight into memory.

Words become integers. Phrases become nodes of a trie: a word's node is its number, and the node
after one more word is found by the key `node << WORD_BITS | word` among the sorted `edges`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.sources import Sources
from captious.text.stem import stem
from captious.text.synsets import ENDINGS

Arrays = dict[str, NDArray[np.generic]]
Said = Callable[[int], None]  # hears how many hundredths of the work are done

WORD_BITS = 22
_READ, _NUMBERED, _DESCRIBED = 60, 75, 85  # hundredths of the time after each step


def word_keys(words: Sequence[str]) -> NDArray[np.uint64]:
    """A 64-bit key of each word."""
    texts = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = b"".join(blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def base_forms(word: str) -> list[str]:
    """Uninflected forms that WordNet's rules of detachment propose, in their order.

    >>> base_forms("boxes")
    ['boxe', 'box', 'boxe', 'box']
    """
    if len(word) <= 2 or word.endswith("ss"):
        return []
    return [
        word[: len(word) - len(ending)] + replacement
        for ending, replacement in ENDINGS
        if word.endswith(ending)
    ]


def compile_tables(sources: Sources, said: Said = lambda done: None) -> Arrays:
    """Everything that matching needs, as named arrays."""
    synsets, irregular = sources.synsets(), sources.irregular_forms()
    phrases, source, target = _read_paraphrases(sources, said)
    lengths = np.array([phrase.count(b" ") + 1 for phrase in phrases])
    flat = b" ".join(phrases).decode("utf-8").split(" ")
    words = list(dict.fromkeys(chain(synsets, irregular, sources.function_words(), flat)))
    keys = word_keys(words)
    order = np.argsort(keys)
    number = dict(zip((words[i] for i in order.tolist()), range(len(words)), strict=True))
    ordered = list(number)
    said(_NUMBERED)
    arrays: Arrays = {"word_keys": keys[order], "stem_keys": word_keys([stem(word) for word in ordered])}
    arrays |= _ragged("lemma_synsets", [synsets.get(word, []) for word in ordered])
    arrays |= _ragged("word_synsets", [_synsets_of(word, synsets, irregular) for word in ordered])
    said(_DESCRIBED)
    letters = np.fromiter(map(number.__getitem__, flat), dtype=np.int64, count=len(flat))
    edges, nodes = _build_trie(letters, lengths, len(words))
    arrays["edges"] = edges
    arrays |= _paraphrase_rows(nodes[source], nodes[target], len(words) + len(edges))
    return arrays


def _read_paraphrases(
    sources: Sources, said: Said
) -> tuple[list[bytes], NDArray[np.int32], NDArray[np.int32]]:
    known: dict[bytes, int] = {}
    register = known.setdefault
    columns: tuple[list[NDArray[np.int32]], ...] = ([], [])
    total = sources.paraphrases.stat().st_size
    for read, *block in sources.paraphrase_blocks():
        said(_READ * read // total)
        for column, phrases in zip(columns, block, strict=True):
            column.append(np.array([register(p, len(known)) for p in phrases], dtype=np.int32))
    return list(known), np.concatenate(columns[0]), np.concatenate(columns[1])


def _synsets_of(word: str, synsets: dict[str, list[int]], irregular: dict[str, list[str]]) -> list[int]:
    found = list(synsets.get(word, []))
    if word in irregular:
        for lemma in irregular[word]:
            found += synsets.get(lemma, [])
    else:
        for form in base_forms(word):
            if form in synsets:
                found += synsets[form]
                break
    return sorted(set(found))


def _ragged(name: str, rows: list[list[int]]) -> Arrays:
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    return {
        name: np.fromiter(chain.from_iterable(rows), dtype=np.int32),
        f"{name}_offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
    }


def _build_trie(
    flat: NDArray[np.int64], lengths: NDArray[np.int64], words: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sorted edges, and the node of each phrase. Edge `i` leads to node `words + i`."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    nodes = flat[starts].copy()
    levels: list[NDArray[np.int64]] = []
    base = words
    for depth in range(1, int(lengths.max())):
        rows = np.flatnonzero(lengths > depth)
        edges, inverse = np.unique(nodes[rows] << WORD_BITS | flat[starts[rows] + depth], return_inverse=True)
        # A level's nodes are numbered after those of shorter phrases, so its edges sort after.
        nodes[rows] = base + inverse
        base += len(edges)
        levels.append(edges)
    return np.concatenate(levels), nodes.astype(np.int32)


def _paraphrase_rows(source: NDArray[np.int32], target: NDArray[np.int32], nodes: int) -> Arrays:
    # The alignment can depend on the order in which the table lists a phrase's paraphrases.
    order = np.argsort(source, kind="stable")
    counts = np.bincount(source, minlength=nodes)
    return {
        "paraphrases": target[order],
        "paraphrases_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
    }
