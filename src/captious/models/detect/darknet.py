"""YOLOv3 and its kin in Darknet's own files (Redmon and Farhadi 2018), run by OpenCV.

VCRScore's first detector. A network is a description (`.cfg`) and weights (`.weights`) of one name;
class names are in a `.names` file beside them, one per line; otherwise they are COCO's 80. The photograph
is stretched to the network's input, as the released program of VCRScore does, and a box counts once
for every class that it reaches the threshold for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.errors import InputError
from captious.models.detect.boxes import corners, suppress
from captious.models.detect.detector import (
    FLOOR,
    PAPER_THRESHOLDS,
    Detections,
    Prepared,
    fingerprint,
    need,
    ordered,
)
from captious.models.detect.labels import COCO_80
from captious.models.images import RGB

AT_MOST = 300  # objects in an image
OVERLAP = 0.5  # from which the less sure of two boxes goes: the released program of VCRScore
CFG, WEIGHTS, NAMES = ".cfg", ".weights", ".names"
_HEADER = 16  # bytes before the weights; 20 in newer files
_SIDES = ("width", "height")
_HEAD = re.compile(r"^\s*\[(?:yolo|region)\]\s*$", re.MULTILINE)


class DarknetFiles(NamedTuple):
    """Description and weights, and the class names where there are any."""

    description: Path
    weights: Path
    names: Path | None


def darknet_files(path: Path) -> DarknetFiles:
    """The files of a network around its `.cfg` or `.weights`."""
    description, weights = path.with_suffix(CFG), path.with_suffix(WEIGHTS)
    for one in (description, weights):
        if not one.is_file():
            raise InputError(f"{one}: there is no such file. A Darknet network is NAME.cfg and NAME.weights.")
    named = [one for one in (path.with_suffix(NAMES), *sorted(path.parent.glob("*.names"))) if one.is_file()]
    return DarknetFiles(description, weights, named[0] if named else None)


class DarknetDetector:
    """A network with YOLO or region heads."""

    threshold = PAPER_THRESHOLDS["yolo"]

    def __init__(self, path: str | Path) -> None:
        self.files = darknet_files(Path(path))
        self.name = self.files.description.stem

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings."""
        return fingerprint([one for one in self.files if one], f"darknet|nms:{OVERLAP}|most:{AT_MOST}")

    def load(self) -> None:
        """Read the weights."""
        _ = self._network, self._labels

    def prepare(self, image: RGB) -> Prepared:
        """Stretch to the network's input and scale to 0..1."""
        blob = self._cv2.dnn.blobFromImage(image, 1 / 255, self._size)
        return Prepared(blob, image.shape[1], image.shape[0])

    def infer(self, images: Sequence[Prepared]) -> list[Detections]:
        """One image at a time: heads put the images of a batch one under another."""
        return [self._one(image) for image in images]

    def _one(self, image: Prepared) -> Detections:
        self._network.setInput(image.tensor)
        heads = self._network.forward(self._network.getUnconnectedOutLayersNames())
        rows = np.concatenate([head.reshape(-1, head.shape[-1]) for head in heads])
        classes = rows.shape[1] - 5
        if classes != len(self._labels):
            raise InputError(
                f"{self.files.description}: {classes} classes, but {len(self._labels)} class names. "
                f"Put a {NAMES} file with one class per line beside it."
            )
        # OpenCV multiplies the chance of each class with that of an object.
        boxes, kinds = np.nonzero(rows[:, 5:] >= FLOOR)
        scores = rows[boxes, 5 + kinds]
        placed = corners(rows[boxes, :4]) * np.array([image.width, image.height] * 2, np.float32)
        kept = suppress(placed, scores, kinds, OVERLAP, AT_MOST)
        names = [self._labels[kind] for kind in kinds[kept].tolist()]
        return ordered(names, placed[kept], scores[kept], image.width, image.height)

    @cached_property
    def _cv2(self) -> Any:
        return need("cv2", "a Darknet detector")

    @cached_property
    def _text(self) -> str:
        return self.files.description.read_text("utf-8", errors="replace")

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        if self.files.names is None:
            return COCO_80
        return tuple(self.files.names.read_text("utf-8").strip().splitlines())

    @cached_property
    def _size(self) -> tuple[int, int]:
        """Width and height that the description asks for."""
        found = {key: re.search(rf"^\s*{key}\s*=\s*(\d+)", self._text, re.MULTILINE) for key in _SIDES}
        sides = [int(match[1]) for match in found.values() if match]
        if len(sides) != len(_SIDES):
            raise InputError(f"{self.files.description}: does not set width and height. Give a Darknet .cfg.")
        return sides[0], sides[1]

    @cached_property
    def _network(self) -> Any:
        # OpenCV drops what is below 0.2 unless the head says otherwise.
        description = _HEAD.sub(lambda head: f"{head[0]}\nthresh={FLOOR}", self._text)
        weights = np.fromfile(self.files.weights, np.uint8)
        try:
            network = self._cv2.dnn.readNetFromDarknet(np.frombuffer(description.encode(), np.uint8), weights)
        except (AttributeError, self._cv2.error) as error:
            raise InputError(
                f"{self.files.description}: OpenCV {self._cv2.__version__} cannot read the network "
                f"({type(error).__name__}). Are {WEIGHTS} and {CFG} of the same network?"
            ) from error
        layers = [network.getLayer(network.getLayerId(name)) for name in network.getLayerNames()]
        floats = sum(blob.size for layer in layers if layer.type != "Region" for blob in layer.blobs)
        if weights.size < _HEADER + 4 * floats:  # OpenCV takes whatever lies behind the end
            raise InputError(
                f"{self.files.weights}: {weights.size:,} bytes, but {self.files.description.name} describes "
                f"{floats:,} weights. Download it again, or give the {CFG} of the same network."
            )
        return network
