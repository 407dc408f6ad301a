"""Which words and image regions contribute to a score: by covering them one at a time.

Occlusion (Zeiler and Fergus 2014): a part is removed, the model runs again, and the drop in
the score is the part's contribution. A word is left out of the caption; a cell of a grid over the image is
painted in the model's mean colour. The loss is that of w cos(caption, image), before values below 0
are cut to 0; a negative loss means that the part speaks against the caption. The losses need not
add up to the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.types import Example
from captious.errors import InputError
from captious.metrics.clip import ClipFamily
from captious.models.encoders.model_embedder import ModelEmbedder
from captious.models.images import RGB, load_image

METHOD = "occlusion"
GRID = 7  # cells on a side: a patch of ViT-B/32 each
_CELLS_A_BATCH = 16


class Covered(NamedTuple):
    """A word or a cell that was covered: what was left of the score, and what was lost."""

    name: str
    without: float
    loss: float


class Cell(NamedTuple):
    """A cell of the grid, counted from the top left, and what covering it lost."""

    row: int
    column: int
    without: float
    loss: float


@dataclass(frozen=True)
class OcclusionExplanation:
    """A caption's words and its image's cells, each with its share of the score.

    `uncut` is w cos(caption, image), of which `score` is the part above 0; `seen` is the image as the
    model sees it: resized and cropped.
    """

    metric: str
    signature: str
    system: str
    image_id: str
    caption: str
    score: float
    uncut: float
    words: list[Covered]
    cells: list[Cell]
    seen: RGB

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metric": self.metric,
            "method": METHOD,
            "grid": GRID,
            "signature": self.signature,
            "system": self.system,
            "image_id": self.image_id,
            "caption": self.caption,
            "score": self.score,
            "uncut": self.uncut,
            "words": [word._asdict() for word in self.words],
            "cells": [cell._asdict() for cell in self.cells],
        }


def explain_occlusion(
    corpus: Corpus, rows: Sequence[int], metric: ClipFamily, scores: Sequence[float], signature: str
) -> list[OcclusionExplanation]:
    """Cover every word and every cell of some examples."""
    embedder = metric.embedder()
    if not isinstance(embedder, ModelEmbedder):
        raise InputError(
            f"{metric.name}: {metric.encoder} contains vectors, but an explanation needs a model."
        )
    found = []
    for row, score in zip(rows, scores, strict=True):
        example = corpus.example(row)
        if example.image_path is None:
            raise InputError(f'image "{example.image_id}": no file was found for it. Check the folder.')
        found.append(_explained(example, metric, embedder, score, signature))
    return found


def _explained(
    example: Example, metric: ClipFamily, embedder: ModelEmbedder, score: float, signature: str
) -> OcclusionExplanation:
    seen = embedder.recipe.resized(load_image(str(example.image_path)))
    words = example.caption.split()
    left = [" ".join([*words[:place], *words[place + 1 :]]) for place in range(len(words))]
    texts = embedder.texts([example.caption, *left], metric.long, metric.spoken_prompt).features
    images = np.concatenate(
        [embedder.pixels(part) for part in np.array_split(_covered(embedder, seen), _batches())]
    )
    with_words = metric.w * (texts.astype(np.float64) @ images[0])
    with_cells = metric.w * (images[1:].astype(np.float64) @ texts[0])
    uncut = float(with_words[0])
    return OcclusionExplanation(
        metric=metric.name,
        signature=signature,
        system=example.system,
        image_id=example.image_id,
        caption=example.caption,
        score=score,
        uncut=uncut,
        words=[
            Covered(word, float(rest), uncut - float(rest))
            for word, rest in zip(words, with_words[1:], strict=True)
        ],
        cells=[
            Cell(place // GRID, place % GRID, float(rest), uncut - float(rest))
            for place, rest in enumerate(with_cells)
        ],
        seen=seen,
    )


def _batches() -> int:
    return -(-(GRID * GRID + 1) // _CELLS_A_BATCH)


def edges(length: int) -> list[int]:
    """Where the cells of a side of so many pixels begin and end.

    >>> edges(224)[:3]
    [0, 32, 64]
    """
    return [round(length * place / GRID) for place in range(GRID + 1)]


def _covered(embedder: ModelEmbedder, seen: RGB) -> Any:
    """The image whole, then with each cell in the mean colour, which is 0 after normalisation."""
    whole = embedder.recipe.normalise(seen)
    rows, columns = edges(whole.shape[1]), edges(whole.shape[2])
    pictures = np.repeat(whole[None], GRID * GRID + 1, axis=0)
    for place in range(GRID * GRID):
        row, column = divmod(place, GRID)
        part = pictures[place + 1, :, rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        part[...] = 0.0
    return pictures
