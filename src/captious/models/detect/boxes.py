"""Boxes: overlap, greedy suppression, and the letterbox that YOLO networks look through."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.models.detect.detector import need
from captious.models.images import RGB

GREY = 114  # what YOLO networks were trained to see around a photograph
Floats = NDArray[np.float32]


class Letterbox(NamedTuple):
    """A scaled image on grey, and the way back: x = (x' - left) / scale."""

    image: RGB
    scale_x: float
    scale_y: float
    left: int
    top: int

    def undo(self, boxes: Floats) -> Floats:
        """Boxes of the letterbox as boxes of the image."""
        moved = boxes - np.array([self.left, self.top, self.left, self.top], np.float32)
        scale = np.array([self.scale_x, self.scale_y] * 2, np.float32)
        return moved / scale


def letterbox(image: RGB, height: int, width: int, stride: int = 0) -> Letterbox:
    """Scale an image into a frame, keeping its shape, and fill the rest with grey on both sides.

    With a stride the frame shrinks to the next multiple of it around the scaled image.
    """
    cv2 = need("cv2", "a YOLO detector")
    own_height, own_width = image.shape[:2]
    scale = min(height / own_height, width / own_width)
    new_width = max(1, round(own_width * scale))
    new_height = max(1, round(own_height * scale))
    if stride:
        width, height = (-(-side // stride) * stride for side in (new_width, new_height))
    if (new_width, new_height) != (own_width, own_height):
        image = cv2.resize(image, (new_width, new_height), interpolation=cv2.INTER_LINEAR)
    left, top = (width - new_width) // 2, (height - new_height) // 2
    framed = np.full((height, width, 3), GREY, dtype=np.uint8)
    framed[top : top + new_height, left : left + new_width] = image
    return Letterbox(framed, new_width / own_width, new_height / own_height, left, top)


def corners(centred: NDArray[Any]) -> Floats:
    """Boxes given as centre and size, as corners.

    >>> corners(np.array([[10.0, 20.0, 4.0, 6.0]])).tolist()
    [[8.0, 17.0, 12.0, 23.0]]
    """
    centre, half = centred[:, :2], centred[:, 2:4] / 2
    return np.concatenate([centre - half, centre + half], axis=1).astype(np.float32)


def overlaps(box: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Intersection over union of one box with each of several.

    >>> overlaps(np.array([0, 0, 2, 2]), np.array([[0, 0, 2, 1], [5, 5, 6, 6]])).tolist()
    [0.5, 0.0]
    """
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    union = np.prod(box[2:] - box[:2]) + np.prod(others[:, 2:] - others[:, :2], axis=1) - shared
    return np.asarray(shared / np.maximum(union, 1e-9))


def suppress(
    boxes: Floats, scores: Floats, classes: NDArray[np.intp], threshold: float, at_most: int
) -> NDArray[np.intp]:
    """Greedy suppression within each class: rows that stay, the surest first.

    A box goes when it overlaps a surer box of its class that stays by more than `threshold`.

    >>> boxes = np.array([[0, 0, 2, 2], [0, 0, 2, 1.9], [0, 0, 2, 2]], np.float32)
    >>> suppress(boxes, np.array([0.9, 0.8, 0.7], np.float32), np.array([0, 0, 1]), 0.5, 10)
    array([0, 2])
    """
    if not len(boxes):
        return np.empty(0, np.intp)
    # Classes are moved apart, so that boxes of two classes never meet.
    apart = boxes.astype(np.float64)
    apart += (classes * (float(np.ptp(apart)) + 1.0))[:, None]
    waiting = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    while waiting.size and len(kept) < at_most:
        best, rest = waiting[0], waiting[1:]
        kept.append(int(best))
        waiting = rest[overlaps(apart[best], apart[rest]) <= threshold]
    return np.array(kept, np.intp)
