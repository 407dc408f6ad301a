"""Detections as a file: COCO instances with scores, which every reader of objects takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious._version import __version__
from captious.corpus.objects import SOURCE_MARK
from captious.files import atomically
from captious.models.detect.detector import Detections


class Source(NamedTuple):
    """One detector's objects, and under which name they go into the file (none: no mark)."""

    model: str
    fingerprint: str
    threshold: float
    images: Mapping[str, Detections]
    name: str = ""


def instances(sources: Sequence[Source], skipped: Mapping[str, str], wanted: Sequence[str]) -> dict[str, Any]:
    """COCO's `images`, `annotations` and `categories`, with `info` and `skipped` beside them.

    A label of a named source carries it: `d80:dog`. Boxes are x, y, width, height in pixels.
    """
    seen = [image for image in wanted if any(image in source.images for source in sources)]
    sizes = {image: one for source in sources for image, one in source.images.items()}
    rows = [
        (image, _marked(source, label), box, score)
        for image in seen
        for source in sources
        if image in source.images
        for label, box, score in _objects(source.images[image].above(source.threshold))
    ]
    numbers = {name: i for i, name in enumerate(sorted({row[1] for row in rows}), 1)}
    return {
        "info": {
            "description": f"objects found by captious {__version__}",
            "detectors": [
                {
                    "source": one.name,
                    "model": one.model,
                    "fingerprint": one.fingerprint,
                    "threshold": one.threshold,
                }
                for one in sources
            ],
        },
        "images": [
            {"id": image, "file_name": image, "width": sizes[image].width, "height": sizes[image].height}
            for image in seen
        ],
        "annotations": [
            {
                "id": i,
                "image_id": image,
                "category_id": numbers[name],
                "bbox": box,
                "area": round(box[2] * box[3], 1),
                "iscrowd": 0,
                "score": score,
            }
            for i, (image, name, box, score) in enumerate(rows, 1)
        ],
        "categories": [{"id": number, "name": name} for name, number in numbers.items()],
        "skipped": dict(skipped),
    }


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a file atomically."""
    import orjson

    with atomically(path) as temporary:
        temporary.write_bytes(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def _marked(source: Source, label: str) -> str:
    return f"{source.name}{SOURCE_MARK}{label}" if source.name else label


def _objects(found: Detections) -> list[tuple[str, list[float], float]]:
    objects = []
    for label, corners, score in zip(found.labels, found.boxes, found.scores, strict=True):
        left, top, right, bottom = (float(edge) for edge in corners)
        box = [round(side, 1) for side in (left, top, right - left, bottom - top)]
        objects.append((label, box, round(float(score), 4)))
    return objects


def joined(sources: Sequence[Source]) -> dict[str, Detections]:
    """What all sources saw in each image, above their thresholds, labels marked."""
    together: dict[str, list[Detections]] = {}
    for source in sources:
        for image, found in source.images.items():
            cut = found.above(source.threshold)
            labels = tuple(_marked(source, label) for label in cut.labels)
            together.setdefault(image, []).append(replace(cut, labels=labels))
    return {
        image: Detections(
            tuple(label for part in parts for label in part.labels),
            np.concatenate([part.boxes for part in parts]),
            np.concatenate([part.scores for part in parts]),
            parts[0].width,
            parts[0].height,
        )
        for image, parts in together.items()
    }
