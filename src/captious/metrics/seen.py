"""Images that a trained metric was fitted to: on them its scores say too much."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

from captious.corpus.ids import loose_id
from captious.errors import CaptiousWarning
from captious.metrics.base import Metric


def seen_by(metrics: Mapping[str, Metric], images: Iterable[str]) -> dict[str, frozenset[str]]:
    """For each metric that was fitted to some of the images: these, by loose id."""
    seen = {name: own for name, metric in metrics.items() if (own := metric.seen_images())}
    if not seen:
        return {}
    given = frozenset(map(loose_id, images))
    return {name: both for name, own in seen.items() if (both := own & given)}


def warn_of_seen(metrics: Mapping[str, Metric], images: Iterable[str]) -> None:
    """Warn of each metric that was fitted to images that it scores; the command line shows a note."""
    given = frozenset(map(loose_id, images))
    for name, both in seen_by(metrics, given).items():
        said = f"{name} was trained on {len(both):,} of the {len(given):,} images; its scores of them are too"
        warnings.warn(f"{said} optimistic.", CaptiousWarning, stacklevel=3)
