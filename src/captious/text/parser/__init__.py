"""The caption parser: tokens in, Penn Treebank tags and basic Stanford dependencies out.

A small network that learnt from captions parsed by Stanford CoreNLP 3.6.0, the parser behind the
published SPICE (Anderson et al. 2016), to say what that parser says. It needs NumPy alone.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.text.lemma import lemma
from captious.text.parse import Parse
from captious.text.parser.blas import one_thread
from captious.text.parser.features import word_features
from captious.text.parser.load import Model, read_model, shipped_model
from captious.text.parser.network import Analysis, Network

__all__ = ["CaptionParser", "caption_parser", "parse_many", "parser_name"]

_TOKENS_A_BATCH = 1280  # keeps the arrays of a batch in the processor's cache
_CAPTIONS_A_CHUNK = 8192
_LONGEST = 256  # words parsed as one tree; the arrays of a tree grow with the square

Tree = tuple[list[str], list[int], list[str]]
Ints = NDArray[np.int64]


class CaptionParser:
    """A parser with its weights.

    >>> parse = CaptionParser(shipped_model()).parse_many([["a", "dog", "runs"]])[0]
    >>> parse.tags, parse.heads, parse.labels
    (('DT', 'NN', 'VBZ'), (2, 3, 0), ('det', 'nsubj', 'root'))
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._network = Network(model.weights, model.relations.index("root"))

    @property
    def name(self) -> str:
        """Name of the weights, for a metric's signature."""
        return str(self._model.notes["name"])

    @property
    def notes(self) -> dict[str, Any]:
        """How the weights were made: steps, seed, and what was kept from training."""
        return self._model.notes

    def parse_many(self, token_lists: Sequence[Sequence[str]]) -> list[Parse]:
        """Parse tokenised captions: lower case, no punctuation, as `ptb.tokenise` gives them."""
        parses: list[Parse] = []
        for start in range(0, len(token_lists), _CAPTIONS_A_CHUNK):
            chunk = token_lists[start : start + _CAPTIONS_A_CHUNK]
            pieces = [list(_pieces(tokens)) for tokens in chunk]
            trees = iter(self._trees([piece for several in pieces for piece in several]))
            parses += [
                _to_parse(tokens, _joined([next(trees) for _ in several]))
                for tokens, several in zip(chunk, pieces, strict=True)
            ]
        return parses

    def _trees(self, pieces: list[Sequence[str]]) -> list[Tree]:
        """Trees of pieces that are neither empty nor too long."""
        place: dict[str, int] = {}
        rows = [[place.setdefault(word, len(place)) for word in piece] for piece in pieces]
        features = word_features(list(place), self._model.known, self._model.general)
        batches = list(_batches(rows))
        with one_thread(), ThreadPoolExecutor(min(len(batches) or 1, _processors())) as pool:
            prepared = self._network.prepare(features)
            indices = (np.array([rows[number] for number in batch]).T for batch in batches)
            analyses = pool.map(partial(self._network.analyse, prepared), indices)
            found = dict(
                pair
                for batch, analysis in zip(batches, analyses, strict=True)
                for pair in zip(batch, self._named(analysis), strict=True)
            )
        return [found[number] for number in range(len(pieces))]

    def _named(self, analysis: Analysis) -> Iterator[Tree]:
        tags, relations = self._model.tags, self._model.relations
        columns = (rows.tolist() for rows in analysis)
        for tag, heads, relation in zip(*columns, strict=True):
            yield [tags[row] for row in tag], heads, [relations[row] for row in relation]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pieces(tokens: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(tokens), _LONGEST):
        yield tokens[start : start + _LONGEST]


def _batches(rows: list[list[int]]) -> Iterator[list[int]]:
    """Numbers of captions of one length, a few thousand tokens at a time."""
    of_length: dict[int, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        of_length[len(row)].append(number)
    for length, numbers in of_length.items():
        size = max(1, _TOKENS_A_BATCH // length)
        for start in range(0, len(numbers), size):
            yield numbers[start : start + size]


def _joined(trees: list[Tree]) -> Tree:
    """One tree of the trees of pieces: later roots hang from the first by `dep`."""
    if len(trees) == 1:
        return trees[0]
    tags: list[str] = []
    heads: list[int] = []
    relations: list[str] = []
    for piece_tags, piece_heads, piece_relations in trees:
        offset = len(tags)
        for head, relation in zip(piece_heads, piece_relations, strict=True):
            hangs = offset and not head
            heads.append(heads.index(0) + 1 if hangs else head + offset)
            relations.append("dep" if hangs else relation)
        tags += piece_tags
    return tags, heads, relations


def _to_parse(tokens: Sequence[str], tree: Tree) -> Parse:
    tags, heads, relations = tree
    lemmas = tuple(lemma(word, tag) for word, tag in zip(tokens, tags, strict=True))
    return Parse(tuple(tokens), tuple(tags), lemmas, tuple(heads), tuple(relations))


@cache
def _shipped() -> CaptionParser:
    return CaptionParser(shipped_model())


@lru_cache(maxsize=2)
def _from_file(file: Path, changed: int) -> CaptionParser:
    """A file is read again only if it has changed since."""
    return CaptionParser(read_model(file))


def caption_parser(weights: Path | None = None) -> CaptionParser:
    """The parser with the weights inside the package, or with those of a file.

    >>> caption_parser().name == parser_name()
    True
    """
    if weights is None:
        return _shipped()
    return _from_file(weights, weights.stat().st_mtime_ns if weights.is_file() else 0)


def parse_many(token_lists: Sequence[Sequence[str]]) -> list[Parse]:
    """Parse tokenised captions with the weights inside the package.

    >>> parse_many([["two", "dogs"], []])[0].heads
    (2, 0)
    """
    return _shipped().parse_many(token_lists)


def parser_name() -> str:
    """Name of the shipped weights, for a metric's signature."""
    return _shipped().name
