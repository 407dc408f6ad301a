"""YOLO networks exported to ONNX: versions 5 to 11, and others that share their output layouts.

| layout | shape | columns | versions |
|---|---|---|---|
| `objectness` | images x boxes x (5 + classes) | centre, size, objectness, classes | 3, 5, 6, 7 |
| `classes` | images x (4 + classes) x boxes | centre, size, classes | 8, 9, 11 |
| `final` | images x boxes x 6 | corners, score, class | 10, and others exported with NMS |
| `rows` | boxes x 7 | image, corners, class, score | 7 exported with NMS |
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.detect.detector import (
    FLOOR,
    PAPER_THRESHOLDS,
    Detections,
    Prepared,
    fingerprint,
    need,
    ordered,
)
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


_IN_ORDER = (
    "person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, "
    "fire hydrant, stop sign, parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, "
    "bear, zebra, giraffe, backpack, umbrella, handbag, tie, suitcase, frisbee, skis, snowboard, "
    "sports ball, kite, baseball bat, baseball glove, skateboard, surfboard, tennis racket, "
    "bottle, wine glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange, "
    "broccoli, carrot, hot dog, pizza, donut, cake, chair, couch, potted plant, bed, "
    "dining table, toilet, tv, laptop, mouse, remote, keyboard, cell phone, microwave, oven, "
    "toaster, sink, refrigerator, book, clock, vase, scissors, teddy bear, hair drier, toothbrush"
)
COCO_80: tuple[str, ...] = tuple(_IN_ORDER.split(", "))


SIDE = 640
STRIDE = 32
AT_MOST = 300  # objects in an image
CANDIDATES = 3000  # boxes that suppression looks at
# Overlap from which the less sure of two boxes goes: what the makers' own programs take.
OVERLAP = {"objectness": 0.45, "classes": 0.7}
# A head with one class and objectness has six columns as a final one has, but thousands of rows.
MOST_FINAL_ROWS = 1000


class Candidates(NamedTuple):
    """Boxes before suppression, in pixels of the letterbox."""

    boxes: Floats
    scores: Floats
    classes: NDArray[np.intp]


class YoloDetector:
    """A YOLO export."""

    threshold = PAPER_THRESHOLDS["d80"]

    def __init__(self, path: str | Path, labels: Sequence[str] = ()) -> None:
        self.path = Path(path)
        self.name = self.path.stem
        self._given = tuple(labels)
        if not self.path.is_file():
            raise InputError(f"{self.path}: there is no such file. Check the path.")

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings."""
        settings = f"yolo|side:{SIDE}|nms:{OVERLAP}|most:{AT_MOST}|labels:{self._given}"
        return fingerprint([self.path], settings)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The classes: as given, as the export names them, or COCO's 80."""
        if self._given:
            return self._given
        text = self._session.get_modelmeta().custom_metadata_map.get("names")
        return parse_names(text) if text else COCO_80

    def load(self) -> None:
        """Read the weights."""
        _ = self._frame, self.labels

    def prepare(self, image: RGB) -> Prepared:
        """Letterbox and scale to 0..1, channels first."""
        height, width, stride = self._frame
        framed = letterbox(image, height, width, stride)
        scaled = framed.image.transpose(2, 0, 1) * np.float32(1 / 255)
        tensor = np.ascontiguousarray(scaled, dtype=self._type)
        return Prepared((tensor, framed), image.shape[1], image.shape[0])

    def infer(self, images: Sequence[Prepared]) -> list[Detections]:
        """Images of one frame run together where the export takes several."""
        groups: dict[object, list[int]] = {}
        for i, image in enumerate(images):
            alone = None if self._batches else i
            groups.setdefault((image.tensor[0].shape, alone), []).append(i)
        found: dict[int, Detections] = {}
        for members in groups.values():
            stacked = np.stack([images[i].tensor[0] for i in members])
            output = self._session.run(None, {self._input.name: stacked})[0]
            for row, i in enumerate(members):
                found[i] = self._detections(output, row, images[i])
        return [found[i] for i in range(len(images))]

    def _detections(self, output: NDArray[Any], row: int, image: Prepared) -> Detections:
        framed: Letterbox = image.tensor[1]
        layout = layout_of(output.shape, len(self.labels), str(self.path))
        one = output[output[:, 0] == row] if layout == "rows" else output[row]
        boxes, scores, classes = decode(one, layout, len(self.labels))
        if layout in OVERLAP:
            kept = suppress(boxes, scores, classes, OVERLAP[layout], AT_MOST)
            boxes, scores, classes = boxes[kept], scores[kept], classes[kept]
        known = (classes >= 0) & (classes < len(self.labels))
        labels = [self.labels[number] for number in classes[known]]
        return ordered(labels, framed.undo(boxes[known]), scores[known], image.width, image.height)

    @cached_property
    def _session(self) -> Any:
        runtime = need("onnxruntime", "a YOLO detector")
        usable = runtime.get_available_providers()
        wanted = [p for p in ("CUDAExecutionProvider", "CPUExecutionProvider") if p in usable]
        try:
            session = runtime.InferenceSession(str(self.path), providers=wanted)
        except _load_errors(runtime) as error:
            raise InputError(
                f"{self.path}: ONNX Runtime cannot read the network ({type(error).__name__}). "
                "Export it again."
            ) from error
        shape = session.get_inputs()[0].shape
        if len(shape) != 4 or shape[1] not in (3, "channels"):
            raise InputError(
                f"{self.path}: the network's input has the shape {shape}, not images x 3 x height "
                "x width. Give a YOLO export."
            )
        return session

    @cached_property
    def _input(self) -> Any:
        return self._session.get_inputs()[0]

    @cached_property
    def _batches(self) -> bool:
        return not isinstance(self._input.shape[0], int)

    @cached_property
    def _type(self) -> type[np.float16] | type[np.float32]:
        return np.float16 if self._input.type == "tensor(float16)" else np.float32

    @cached_property
    def _frame(self) -> tuple[int, int, int]:
        """Height and width of the input, and the stride that a free input is fitted to."""
        height, width = self._input.shape[2:]
        if isinstance(height, int) and isinstance(width, int):
            return height, width, 0
        size = self._session.get_modelmeta().custom_metadata_map.get("imgsz", "")
        sides = [int(side) for side in size.strip("[] ").split(",") if side.strip().isdigit()]
        height, width = (sides * 2)[:2] if sides else (SIDE, SIDE)
        return height, width, STRIDE


def layout_of(shape: Sequence[int], classes: int, name: str = "the network") -> str:
    """Which of the layouts an output of that shape has.

    >>> [layout_of(shape, 80) for shape in ((1, 84, 8400), (1, 25200, 85), (1, 300, 6), (7, 7))]
    ['classes', 'objectness', 'final', 'rows']
    """
    if len(shape) == 2 and shape[1] == 7:
        return "rows"
    if len(shape) == 3:
        if shape[2] == 6 and (classes != 1 or shape[1] <= MOST_FINAL_ROWS):
            return "final"
        for layout, columns in (("classes", 4 + classes), ("objectness", 5 + classes)):
            if columns in shape[1:]:
                return layout
    raise InputError(
        f"{name}: an output of shape {tuple(shape)} is not a YOLO head with {classes} classes. "
        "Give a detection export whose classes are named in it, or that has COCO's 80."
    )


def decode(output: NDArray[Any], layout: str, classes: int) -> Candidates:
    """The boxes at or above `FLOOR` in the output for one image."""
    if layout == "rows":
        return Candidates(_floats(output[:, 1:5]), _floats(output[:, 6]), _numbers(output[:, 5]))
    if layout == "final":
        rows = output[output[:, 4] >= FLOOR]
        return Candidates(_floats(rows[:, :4]), _floats(rows[:, 4]), _numbers(rows[:, 5]))
    columns = classes + (5 if layout == "objectness" else 4)
    # Channels first is how most versions export; both ways are read without copying.
    table = output if output.shape[0] == columns else output.T
    chances = table[columns - classes :]
    if layout == "objectness":
        chances = chances * table[4]
    best = chances.max(axis=0)
    chosen = np.flatnonzero(best >= FLOOR)
    chosen = chosen[np.argsort(-best[chosen], kind="stable")][:CANDIDATES]
    return Candidates(corners(table[:4, chosen].T), _floats(best[chosen]), chances[:, chosen].argmax(axis=0))


def parse_names(text: str) -> tuple[str, ...]:
    """Class names as Ultralytics writes them into an export.

    >>> parse_names("{0: 'person', 1: 'dining table'}")
    ('person', 'dining table')
    """
    try:
        names = ast.literal_eval(text)
        ordered_names = [names[i] for i in range(len(names))]
    except (ValueError, SyntaxError, KeyError, TypeError):
        raise InputError("the export's class names cannot be read. Export the network again.") from None
    return tuple(str(name) for name in ordered_names)


def _floats(values: NDArray[Any]) -> Floats:
    return np.asarray(values, dtype=np.float32)


def _numbers(values: NDArray[Any]) -> NDArray[np.intp]:
    return np.asarray(values).astype(np.intp)


def _load_errors(runtime: Any) -> tuple[type[Exception], ...]:
    state = runtime.capi.onnxruntime_pybind11_state
    own = (state.Fail, state.InvalidProtobuf, state.InvalidGraph, state.InvalidArgument)
    return RuntimeError, ValueError, *own
