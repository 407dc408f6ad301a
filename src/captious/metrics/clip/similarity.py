"""Cosines of captions with their images and with their references, image by image in a stream.

A block of images with its captions is embedded, compared and forgotten, so that memory does not
grow with the corpus.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.batch import Batch
from captious.models.encoders.base import Embedder, Features

EXAMPLES_A_BLOCK = 2048


class WithImages(NamedTuple):
    """Cosine of each caption with its image (NaN where that is in `broken`), tokens beyond the limit."""

    cosines: FloatArray
    beyond: IntArray
    broken: dict[str, str]


class WithReferences(NamedTuple):
    """Highest cosine of each caption with one of its references, and tokens beyond the limit.

    `references` counts those of each reference.
    """

    cosines: FloatArray
    beyond: IntArray
    references: IntArray


def with_images(batch: Batch, embedder: Embedder, prompt: str, long: str) -> WithImages:
    """Compare every caption with its image."""
    corpus = batch.corpus
    cosines = np.full(len(batch), np.nan)
    beyond = np.zeros(len(batch), dtype=np.int64)
    broken: dict[str, str] = {}
    for rows in batch.blocks(EXAMPLES_A_BLOCK):
        places, image_of = np.unique(corpus.image_of[rows], return_inverse=True)
        images = embedder.images([batch.image_file(place) for place in places.tolist()])
        broken |= images.broken
        texts, text_of = np.unique(batch.candidate_text[rows], return_inverse=True)
        found = embedder.texts([batch.texts[text] for text in texts.tolist()], long, prompt)
        if images.features.shape[1] == found.features.shape[1]:  # else no image of the block was read
            cosines[rows] = _dots(found.features, text_of, images.features, image_of)
        beyond[rows] = found.beyond[text_of]
    return WithImages(cosines, beyond, broken)


def with_references(batch: Batch, embedder: Embedder, prompt: str, long: str) -> WithReferences:
    """Compare every caption with its references; the best of each counts, and 0 is the least.

    The mean vector of a text in windows is shorter than 1: it is normalised, so that equal texts have
    cosine 1. With an image it is not, so that its cosine is the mean of the windows'.
    """
    examples, references = batch.pairs()
    best = np.zeros(len(batch))
    beyond = np.zeros(len(batch), dtype=np.int64)
    of_references: dict[int, int] = {}
    firsts = np.searchsorted(examples, np.arange(len(batch) + 1))
    for rows in batch.blocks(EXAMPLES_A_BLOCK):
        pairs = np.concatenate([np.arange(firsts[row], firsts[row + 1]) for row in rows.tolist()])
        both = np.concatenate([batch.candidate_text[rows], references[pairs]])
        texts, places = np.unique(both, return_inverse=True)
        found = embedder.texts([batch.texts[text] for text in texts.tolist()], long, prompt)
        own, theirs = np.split(places, [len(rows)])
        beyond[rows] = found.beyond[own]
        of_references |= dict(zip(references[pairs].tolist(), found.beyond[theirs].tolist(), strict=True))
        owner = np.repeat(np.arange(len(rows)), firsts[rows + 1] - firsts[rows])
        vectors = found.features.copy()
        vectors[found.beyond > 0] /= np.linalg.norm(vectors[found.beyond > 0], axis=1, keepdims=True)
        cosines = _dots(vectors, own[owner], vectors, theirs)
        np.maximum.at(best, rows[owner], cosines)
    return WithReferences(best, beyond, _by_set(batch, of_references))


def _by_set(batch: Batch, beyond: dict[int, int]) -> IntArray:
    """The count of every reference of the sets that are used, each set once."""
    offsets = batch.corpus.references.offsets
    used = [place for place in batch.used_reference_sets.tolist() if place >= 0]
    flat = [
        row for place in used for row in batch.reference_text[offsets[place] : offsets[place + 1]].tolist()
    ]
    return np.array([beyond[row] for row in flat], dtype=np.int64)


def _dots(first: Features, rows: IntArray, second: Features, others: IntArray) -> FloatArray:
    """Dot products of pairs of rows, in double precision."""
    ours, theirs = first[rows].astype(np.float64), second[others].astype(np.float64)
    return np.asarray(np.einsum("ij,ij->i", ours, theirs))
