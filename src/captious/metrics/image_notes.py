"""What metrics that run a model say beside their scores.

A model reads so many tokens of a caption and no more, some files are not images, and a system may
use the very encoder that judges it. None of that may stay silent: `Noted` gathers it batch by
batch, and from it come a signature's `trunc`, the notes under a table and the list of images that
have no score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError
from captious.metrics.base import Metric
from captious.metrics.batch import Batch
from captious.models.encoders.long_texts import CHUNK, check_long
from captious.models.encoders.opening import family_of


@dataclass(frozen=True)
class Noted:
    """Of all batches: images, those that could not be read (id -> why), captions beyond the limit.

    `texts` counts captions and references that have more tokens than the model reads, `tokens` the
    tokens that are too many.
    """

    images: int = 0
    broken: Mapping[str, str] = field(default_factory=dict)
    texts: int = 0
    tokens: int = 0

    @classmethod
    def of(cls, images: int, broken: Mapping[str, str], beyond: Sequence[IntArray]) -> Noted:
        """What one batch gives."""
        texts = sum(int((counts > 0).sum()) for counts in beyond)
        return cls(images, dict(broken), texts, sum(int(counts.sum()) for counts in beyond))

    @classmethod
    def together(cls, parts: Sequence[Noted]) -> Noted:
        """What all batches give."""
        broken = {image: why for part in parts for image, why in part.broken.items()}
        counts = [(part.images, part.texts, part.tokens) for part in parts]
        images, texts, tokens = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
        return cls(images, broken, texts, tokens)

    def facts(self, long: str, windows: str) -> dict[str, str]:
        """For the signature: how long captions were treated, tokens beyond the limit, images unread.

        `windows` is the label of the windows, which is told where some text was read in several.
        """
        name = "chunked" if long == CHUNK else "trunc"
        unread = {"unread": str(len(self.broken))} if self.broken else {}
        how = f"{long}:{windows}" if long == CHUNK and self.texts else long
        return {"long": how, name: str(self.tokens)} | unread

    def notes(self, name: str, long: str) -> list[str]:
        """For the foot of a table."""
        said = []
        if self.texts:
            done = "read in windows." if long == CHUNK else f"cut off. {name}[long={CHUNK}] reads them too."
            said.append(
                f"{name}: {_count(self.texts, 'text')} had more tokens than the model reads; "
                f"{_count(self.tokens, 'token')} {'was' if self.tokens == 1 else 'were'} {done}"
            )
        if self.broken:
            first = next(iter(self.broken.values()))
            said.append(
                f"{name}: {len(self.broken):,} of {_count(self.images, 'image')} could not be read and "
                f"{'has' if len(self.broken) == 1 else 'have'} no score. The first: {first}"
            )
        return said

    def refuse_nothing_read(self, name: str) -> None:
        """Where no image at all could be read there is nothing to score."""
        if self.images and len(self.broken) == self.images:
            first = next(iter(self.broken.values()))
            raise InputError(
                f"{name}: none of {_count(self.images, 'image')} could be read. The first: {first}"
            )


class Noting(Metric):
    """Base of metrics that note what was too long for their model, and what could not be read.

    A subclass has the option `long`, and says in `collect` what it noted.
    """

    long: str

    def __post_init__(self) -> None:
        check_long(self.long)

    @property
    def corpus_wide(self) -> bool:
        """What it collects goes into notes and signature, not into scores."""
        return False

    def merge(self, parts: Sequence[Noted]) -> Noted:
        """The notes of all batches."""
        return Noted.together(parts)

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        raise NotImplementedError

    def long_facts(self, knowledge: Noted) -> dict[str, str]:
        """How long texts were read, and which images were not."""
        return knowledge.facts(self.long, self.windows() if knowledge.texts else "")

    def notes(self, corpus: Corpus, knowledge: Noted) -> list[str]:
        """Long texts, images without a score."""
        return knowledge.notes(self.name, self.long)


class OfImages(Noting):
    """A metric that looks at images, of which some may not be readable."""

    def check(self, corpus: Corpus, knowledge: Noted) -> None:
        """Refuse a corpus of which no image can be read."""
        knowledge.refuse_nothing_read(self.name)

    def unscored(self, knowledge: Noted) -> dict[str, str]:
        """Images that could not be read, each with the reason."""
        return dict(knowledge.broken)


class OfTexts(Noting):
    """A metric of texts alone, whose signature tells of long texts only where there are some."""

    def beyond(self, batch: Batch) -> IntArray:
        """Tokens of each of the batch's texts beyond the limit."""
        raise NotImplementedError

    def collect(self, batch: Batch) -> Noted:
        """What was too long."""
        beyond = self.beyond(batch)
        return Noted.of(0, {}, [beyond[batch.candidate_text], beyond[batch.reference_text]])

    def long_facts(self, knowledge: Noted) -> dict[str, str]:
        """How long texts were read, where there are any."""
        return super().long_facts(knowledge) if knowledge.texts else {}


def circularity(corpus: Corpus, name: str, family: str) -> list[str]:
    """A caveat for each system that declares the kind of encoder that the metric uses.

    A metric then compares an encoder with itself. The paper of ObjectNet Captions and HUMANr (4.1)
    found a CLIP-based system ranked higher by CLIPScore than by every other metric and by people.

    >>> corpus = Corpus.from_lists(["a dog"], systems=["clipcap"], encoders={"clipcap": "CLIP ViT-B/32"})
    >>> circularity(corpus, "clipscore", "clip")[0]
    'caution: clipcap uses CLIP ViT-B/32, and clipscore is computed with CLIP too: its score is circular...
    """
    return [
        f"caution: {system} uses {encoder}, and {name} is computed with {family.upper()} too: its score is "
        "circular and may be too high (HUMANr, section 4.1). Compare this system with another metric."
        for system, encoder in corpus.encoders.items()
        if system in corpus.systems and family and family_of(encoder) == family
    ]


def rows_with_score(scores: FloatArray, beyond: IntArray) -> FloatArray:
    """Sufficient statistics: score, 1, tokens beyond the limit; zeros where there is no score."""
    known = ~np.isnan(scores)
    return np.stack(
        [np.where(known, scores, 0.0), known.astype(np.float64), beyond.astype(np.float64)], axis=1
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
