"""Embeddings by name: `sentence.joint` is the part `joint` of the provider `sentence`.

A provider turns the examples of a batch into rows of numbers. Text providers have vectors of texts
and offer four parts of them: `caption`, `references` (the mean of the references' vectors),
`joint` (both, one after the other, as Scott et al. 2023 join an image's and a caption's) and
`interaction` (both, their product and their distance by component: Shimanaka et al. 2018), which
a regressor can learn similarity from. Further providers join by `@provides`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.errors import UnknownNameError
from captious.metrics.base import Need
from captious.metrics.batch import Batch
from captious.metrics.sentsim import sentence_vectors_of
from captious.models.encoders import sentence
from captious.models.locate import MINILM
from captious.text.vectors.table import DEFAULT, load_vectors, require_vectors

Vectors = tuple[NDArray[np.float32], NDArray[np.bool_]]
CAPTION, REFERENCES, JOINT, INTERACTION = "caption", "references", "joint", "interaction"
TEXT_PARTS = (CAPTION, REFERENCES, JOINT, INTERACTION)


class Embedding(NamedTuple):
    """One part of a provider: what it needs, whether it is ready, its rows, what made them."""

    needs: frozenset[Need]
    ready: Callable[[], None]
    rows: Callable[[Batch], FloatArray]
    label: Callable[[], str]


PROVIDERS: dict[str, tuple[tuple[str, ...], Callable[[str], Embedding]]] = {}


def provides(name: str, *parts: str) -> Callable[[Callable[[str], Embedding]], Callable[[str], Embedding]]:
    """Make a provider known: a function from one of its parts to an embedding."""

    def remember(make: Callable[[str], Embedding]) -> Callable[[str], Embedding]:
        PROVIDERS[name] = (parts, make)
        return make

    return remember


def embedding(provider: str, part: str) -> Embedding:
    """The embedding of a name such as `sentence.joint`, split at its dot.

    >>> sorted(embedding("sentence", "caption").needs)
    []
    """
    parts, make = PROVIDERS[provider]
    if part not in parts:
        raise UnknownNameError(f"part of {provider}", part, parts)
    return make(part)


@provides("sentence", *TEXT_PARTS)
def sentence_embedding(part: str) -> Embedding:
    """Sentence vectors of MiniLM, 384 numbers a text."""
    return Embedding(
        needs=_needs(part),
        ready=lambda: sentence.ready(MINILM, "auto"),
        rows=lambda batch: _rows(batch, part, sentence_vectors_of(batch, MINILM, "auto")),
        label=lambda: "/".join(sentence.label_of(MINILM, "auto")),
    )


@provides("words", *TEXT_PARTS)
def word_embedding(part: str) -> Embedding:
    """Means of GloVe's word vectors, 50 numbers a text."""
    return Embedding(
        needs=_needs(part),
        ready=lambda: require_vectors(DEFAULT),
        rows=lambda batch: _rows(batch, part, batch.once(("mean word vectors",), lambda: _mean_words(batch))),
        label=lambda: load_vectors(DEFAULT).label,
    )


def _needs(part: str) -> frozenset[Need]:
    return frozenset() if part == CAPTION else frozenset({"references"})


def _mean_words(batch: Batch) -> Vectors:
    """Mean vector of each text's words that have one, of length 1."""
    table = batch.tokens("ptb")
    vectors, known = load_vectors(DEFAULT).resolve(table.vocabulary)
    found = np.zeros((len(table), vectors.shape[1]), dtype=np.float32)
    for row in range(len(table)):
        ids = table.row(row)
        ids = ids[known[ids]]
        if len(ids):
            mean = vectors[ids].mean(axis=0)
            found[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return found, np.any(found != 0, axis=1)


def _rows(batch: Batch, part: str, made: Vectors) -> FloatArray:
    vectors, known = made
    caption = np.where(known[:, None], vectors, 0)[batch.candidate_text].astype(np.float64)
    if part == CAPTION:
        return caption
    references = _reference_means(batch, vectors, known)
    if part == REFERENCES:
        return references
    joined = [caption, references]
    if part == INTERACTION:
        joined += [caption * references, np.abs(caption - references)]
    return np.concatenate(joined, axis=1)


def _reference_means(batch: Batch, vectors: NDArray[np.float32], known: NDArray[np.bool_]) -> FloatArray:
    examples, texts = batch.pairs()
    used = known[texts]
    sums = np.zeros((len(batch), vectors.shape[1]))
    np.add.at(sums, examples[used], vectors[texts[used]])
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    means: FloatArray = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    return means
