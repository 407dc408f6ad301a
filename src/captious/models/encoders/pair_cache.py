"""A `PairScorer` that remembers on disk what it scored, by the content of image and text.

A score is known by the image's content (its file, or its region features), the text, how long
texts are treated, and the facts of the model. Images that cannot be read are asked for again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from captious.errors import InputError
from captious.models.encoders.base import ImageFile, PairScorer, ScoredPairs
from captious.models.encoders.long_texts import CHUNK
from captious.models.encoders.photographs import image_path
from captious.models.encoders.vector_cache import cache_path, read_rows, write_rows
from captious.models.images import digest, read_file

_ROOM = "pairs"


class Keyed(PairScorer, Protocol):
    """A scorer that names an image by its content; `InputError` where it has none."""

    def image_key(self, image: ImageFile) -> bytes:
        """A few bytes that change where the image does."""


class RememberedPairs:
    """The scores of another scorer, computed once on this machine."""

    def __init__(self, scorer: Keyed) -> None:
        self._scorer = scorer
        self.family = scorer.family

    @property
    def limit(self) -> int:
        """That of the scorer."""
        return self._scorer.limit

    def facts(self) -> dict[str, str]:
        """Those of the scorer."""
        return self._scorer.facts()

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Scores of every image with each of its texts, flat, in order; only new pairs are computed."""
        broken: dict[str, str] = {}
        keys = [self._keys(image, own, broken) for image, own in zip(images, texts, strict=True)]
        flat = [key for own in keys for key in own]
        read = "chunk by sentences" if long == CHUNK else long  # windows were once of equal length
        path = cache_path(f"{read} {sorted(self.facts().items())}", _ROOM)
        known = read_rows(path, [key for key in flat if key is not None])
        missing = [
            [text for key, text in zip(own, told, strict=True) if key is not None and key not in known]
            for own, told in zip(keys, texts, strict=True)
        ]
        wanted = [place for place, own in enumerate(missing) if own]
        if wanted:
            asked = [missing[place] for place in wanted]
            found = self._scorer.pairs([images[place] for place in wanted], asked, long)
            broken |= found.broken
            made = [key for own in keys for key in own if key is not None and key not in known]
            rows = np.stack([found.scores, found.beyond], axis=1).astype(np.float32)
            scored = np.flatnonzero(~np.isnan(found.scores))
            kept = [made[place] for place in scored.tolist()]
            write_rows(path, kept, rows[scored], np.ones(len(kept), dtype=bool))
            known |= dict(zip(made, rows, strict=True))
        unread = np.array([np.nan, 0.0], dtype=np.float32)
        together = np.empty((len(flat), 2))
        for place, key in enumerate(flat):
            together[place] = known.get(key, unread) if key is not None else unread
        return ScoredPairs(together[:, 0], together[:, 1].astype(np.int64), broken)

    def _keys(
        self, image: ImageFile, texts: Sequence[str], broken: dict[str, str]
    ) -> list[bytes] | list[None]:
        try:
            content = self._scorer.image_key(image)
        except InputError as error:
            broken[image.id] = str(error)
            return [None] * len(texts)
        return [hashlib.sha256(content + text.encode(errors="surrogatepass")).digest()[:16] for text in texts]


def file_key(image: ImageFile) -> bytes:
    """An image's file by its content."""
    return digest(read_file(image_path(image)))
