"""Images that a learned metric was trained on: refused, or left out for all metrics alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from captious.benchmarks.protocol import Preferences
from captious.benchmarks.selection.extra_inputs import Data, of_images
from captious.corpus.ids import loose_id
from captious.errors import InputError
from captious.metrics import Asked, resolve_all
from captious.metrics.seen import seen_by


def without_seen_images(data: Data, asked: Sequence[Asked], *, drop: bool) -> Data:
    """The benchmark if no metric was trained on its images, or with `drop` without these images."""
    images = (data.corpora[0] if isinstance(data, Preferences) else data.corpus).image_ids
    seen = seen_by(resolve_all(asked), images) if asked else {}
    if not seen:
        return data
    if not drop:
        name, own = next(iter(seen.items()))
        raise InputError(
            f"{name} was trained on {len(own):,} of the {len(images):,} images, so its agreement with their "
            "judgments would be too high.",
            python="Set unseen=True to leave these images out for all metrics.",
            command="Add --unseen to leave these images out for all metrics.",
        )
    every = frozenset[str]().union(*seen.values())
    kept = np.array([loose_id(image) not in every for image in images])
    if not kept.any():
        raise InputError(
            f"{' and '.join(seen)}: trained on all {len(images):,} images, so none is left to test."
        )
    return of_images(data, kept, f"that {' and '.join(seen)} was trained on")
