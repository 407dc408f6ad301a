"""ViLBERT as a scorer of pairs: the probability that its alignment head gives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from captious.errors import InputError
from captious.models.encoders.base import ImageFile, ScoredPairs
from captious.models.joint.regions import Regions, RegionStore, region_store
from captious.models.joint.vilbert.model import Pair, Vilbert

_IMAGES_AT_A_TIME = 64  # whose regions are held at once


class Aligner:
    """Probabilities of alignment; images are known by their region features."""

    family = "vilbert"

    def __init__(self, model: Vilbert, regions: str) -> None:
        self._model, self._store = model, region_store(regions)
        self.limit = model.limit

    def facts(self) -> dict[str, str]:
        """The model's facts and the name of the region features."""
        return self._model.facts() | {"regions": self._store.label}

    def image_key(self, image: ImageFile) -> bytes:
        """The image's region features by their content."""
        regions = self._store.get(image.id)
        content = hashlib.sha256(regions.features.tobytes() + regions.boxes.tobytes())
        content.update(f"{regions.features.shape} {regions.width} {regions.height}".encode())
        return content.digest()[:16]

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Probabilities of every image with each of its texts, flat, in order."""
        broken: dict[str, str] = {}
        scores, beyond = [np.empty(0)], [np.empty(0, dtype=np.int64)]
        for start in range(0, len(images), _IMAGES_AT_A_TIME):
            part = slice(start, start + _IMAGES_AT_A_TIME)
            for own_scores, own_beyond in self._block(images[part], texts[part], long, broken):
                scores.append(own_scores)
                beyond.append(own_beyond)
        return ScoredPairs(np.concatenate(scores), np.concatenate(beyond), broken)

    def _block(
        self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str, broken: dict[str, str]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        known = [known_regions(self._store, image.id, broken) for image in images]
        cuts = [self._model.rows(own, long) for own in texts]
        pairs = [
            Pair(row, place)
            for place, (cut, regions) in enumerate(zip(cuts, known, strict=True))
            for row in (cut.rows if regions is not None else ())
        ]
        seen = [regions if regions is not None else _NOTHING for regions in known]
        values = np.empty(len(pairs))
        for place, read in self._model.read(pairs, seen):
            values[place] = read.aligned
        found = []
        first = 0
        for cut, regions in zip(cuts, known, strict=True):
            if regions is None:
                found.append((np.full(len(cut.beyond), np.nan), cut.beyond))
                continue
            found.append((cut.means(values[first : first + len(cut.rows)]), cut.beyond))
            first += len(cut.rows)
        return found


_NOTHING = Regions(np.empty((0, 0), np.float32), np.empty((0, 4), np.float32), 1, 1)


def known_regions(store: RegionStore, image_id: str, broken: dict[str, str]) -> Regions | None:
    """The regions of an image; None, and a reason in `broken`, where there are none."""
    try:
        return store.get(image_id)
    except InputError as error:
        broken[image_id] = str(error)
        return None
