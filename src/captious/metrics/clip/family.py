"""What the CLIP family shares: an encoder, a prompt, a weight, notes, and cosines image by image.

A block of images with its captions is embedded, compared and forgotten: memory does not grow with the corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError
from captious.metrics.base import Limit, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, OfImages, circularity, rows_with_score
from captious.models.encoders import opening
from captious.models.encoders.base import Embedder, Features
from captious.models.encoders.long_texts import LONG
from captious.models.encoders.vision_text import CLIP_LIMIT
from captious.models.weights.known import CLIP_B32, needed

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


PROMPT = "A photo depicts"  # Hessel et al. 2021, 3
NO_PROMPT = "none"


@dataclass(frozen=True)
class ClipFamily(OfImages):
    """An image-text encoder's cosines: of a caption with its image, of a caption with references.

    Subclasses say in `combine` what becomes of the two. Options: `encoder` (a name of weights, a
    folder, a file, a file of features), `w`, `prompt` (`none` for none), `long` (error, truncate,
    chunk), `device`, `dtype`, and `cache` (keep vectors on disk; changes the time, not the number).
    """

    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(CLIP_LIMIT, "tokens", LONG, "truncate")
    of_image: ClassVar[bool] = True
    of_references: ClassVar[bool] = False

    encoder: str = CLIP_B32
    w: float = 2.5  # Hessel et al. 2021, 3
    prompt: str = PROMPT
    long: str = "truncate"
    device: str = "cpu"
    dtype: str = "float32"
    cache: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite(self.w) or self.w <= 0:
            raise InputError(f"{self.name}: w is {self.w}; it must be above 0.")

    def combine(self, image: FloatArray, references: FloatArray) -> FloatArray:
        """Scores from cosines that are at least 0; what a metric does not use is empty."""
        raise NotImplementedError

    def languages(self) -> tuple[str, ...]:
        """English, which the published encoders were trained on."""
        return ("en",)

    def ready(self) -> None:
        """The encoder's weights and the packages that run them."""
        opening.ready(self.encoder)

    def weights(self) -> tuple[str, ...]:
        """The encoder's weights, and those that they were tuned from, whose tokeniser they need."""
        return needed(self.encoder)

    def embedder(self) -> Embedder:
        """The encoder, opened in this process."""
        return opening.open_embedder(self.encoder, device=self.device, dtype=self.dtype, cache=self.cache)

    @property
    def spoken_prompt(self) -> str:
        """What is put before every caption."""
        return "" if self.prompt == NO_PROMPT else self.prompt

    def collect(self, batch: Batch) -> Noted:
        """What could not be read, and what was too long."""
        beyond: list[IntArray] = []
        broken: dict[str, str] = {}
        if self.of_image:
            images = self.image_cosines(batch)
            broken = images.broken
        if self.of_references:
            found = self.reference_cosines(batch)
            beyond.append(found.references)
        beyond.append(images.beyond if self.of_image else found.beyond)
        return Noted.of(len(np.unique(batch.corpus.image_of)), broken, beyond)

    def statistics(self, batch: Batch, knowledge: Noted) -> FloatArray:
        """Score, 1 and tokens beyond the limit of each example; zeros where its image was not read."""
        none = np.empty(0)
        images = self.image_cosines(batch) if self.of_image else None
        texts = self.reference_cosines(batch) if self.of_references else None
        scores = self.combine(
            np.maximum(images.cosines, 0.0) if images is not None else none,
            np.maximum(texts.cosines, 0.0) if texts is not None else none,
        )
        one = images if images is not None else texts
        assert one is not None
        return rows_with_score(scores, one.beyond)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Tokens of each caption that are beyond the model's limit."""
        return {"tokens_beyond_limit": statistics[:, 2]}

    def image_cosines(self, batch: Batch) -> WithImages:
        """Cosine of each caption with its image, made once for all metrics of one encoder."""
        return batch.once(
            ("with images", *self._encoding),
            lambda: with_images(batch, self.embedder(), self.spoken_prompt, self.long),
        )

    def reference_cosines(self, batch: Batch) -> WithReferences:
        """Highest cosine of each caption with one of its references, made once."""
        return batch.once(
            ("with references", *self._encoding),
            lambda: with_references(batch, self.embedder(), self.spoken_prompt, self.long),
        )

    @property
    def _encoding(self) -> tuple[str, ...]:
        return self.encoder, self.spoken_prompt, self.long, self.device, self.dtype

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """Everything that changes the number, and how many tokens and images were left out."""
        facts = {"refs": reference_count_label(corpus)} if self.of_references else {}
        if self.of_image:
            facts["w"] = str(self.w)
        own = self.embedder().facts()
        facts["enc"] = own.pop("enc")
        facts["prompt"] = self.spoken_prompt.lower().replace(" ", "-") or NO_PROMPT
        return facts | self.long_facts(knowledge) | own

    def notes(self, corpus: Corpus, knowledge: Noted) -> list[str]:
        """Long captions, images without a score, systems that share the encoder."""
        family = self.embedder().family or opening.family_of(self.encoder) or "clip"
        return [*super().notes(corpus, knowledge), *circularity(corpus, self.name, family)]

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return self.embedder().windows


def harmonic_mean(first: FloatArray, second: FloatArray) -> FloatArray:
    """2 a b / (a + b); 0 where both are 0, NaN where one is.

    >>> harmonic_mean(np.array([0.5, 0.0]), np.array([1.0, 0.0])).tolist()
    [0.6666666666666666, 0.0]
    """
    total = first + second
    found = np.where(np.isnan(total), np.nan, 0.0)
    np.divide(2 * first * second, total, out=found, where=total > 0)
    return found
