"""What every image-text model offers, whatever runs it.

An `Embedder` turns images and texts into vectors of one space; a `PairScorer` reads an image and a
text together and gives one number. Both are asked for whole lists: they decode each image once, in
a stream, keep nothing but the result, and tell which images could not be read and how many tokens
of each text were beyond the model's limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray

Features = NDArray[np.float32]


class ImageFile(NamedTuple):
    """An image by its id in the corpus, and its file where there is one."""

    id: str
    path: str | None = None


class EmbeddedImages(NamedTuple):
    """Vectors of length 1, one row per image; an image in `broken` (id -> why) has a row of NaN."""

    features: Features
    broken: dict[str, str]


class EmbeddedTexts(NamedTuple):
    """Vectors, one row per text, and how many tokens of each text are beyond the model's limit.

    A vector has length 1, or is the mean of those of a text's windows (`long="chunk"`) by their tokens:
    its dot product with an image's vector is then the mean of the windows' cosines.
    """

    features: Features
    beyond: IntArray


class ScoredPairs(NamedTuple):
    """A score for each pair (NaN where the image is in `broken`), and tokens beyond the limit."""

    scores: NDArray[np.float64]
    beyond: IntArray
    broken: dict[str, str]


class Embedder(Protocol):
    """Images and texts in one space.

    `facts` are for a signature: `enc` (name and revision of the weights), and where a model runs
    `device` and `dtype`. `family` (clip, siglip, …) identifies systems that use the same kind of model.
    """

    family: str

    @property
    def windows(self) -> str:
        """The label of the windows that it reads a long text in."""

    def facts(self) -> dict[str, str]:
        """What changes the number, in the signature's order."""

    def images(self, images: Sequence[ImageFile]) -> EmbeddedImages:
        """Vectors of images, in their order."""

    def texts(self, texts: Sequence[str], long: str, prompt: str = "") -> EmbeddedTexts:
        """Vectors of `prompt` and each text, in their order; `long` is one of `long_texts.LONG`."""


class PairScorer(Protocol):
    """A model that reads an image and a text together."""

    family: str

    @property
    def limit(self) -> int:
        """The most tokens of a text that it reads at once; 0 where there is no limit."""

    def facts(self) -> dict[str, str]:
        """What changes the number, in the signature's order."""

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Scores of every image with each of its texts, flat, in order."""
