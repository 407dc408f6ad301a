"""Networks that OpenCV reads, in tiny files of the true layout with answers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.detect.detector import PAPER_THRESHOLDS, detect, open_detector
from captious.models.detect.ssd import read_labels

pytest.importorskip("cv2")


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def red_corner() -> np.ndarray:
    """200 by 100 pixels, black, the upper right quarter red."""
    image = np.zeros((100, 200, 3), np.uint8)
    image[:50, 100:, 0] = 255
    return image


# A frozen graph is a GraphDef in protobuf's wire format: constants by name. The few fields that it
# needs are written here by number: GraphDef.node 1; NodeDef name 1, op 2, attr 5; AttrValue type 6,
# tensor 8; TensorProto dtype 1, shape 2, content 4.
def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number: int, content: bytes | str | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    raw = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def constant(name: str, values: np.ndarray) -> bytes:
    shape = b"".join(field(2, field(1, side)) for side in values.shape)
    tensor = field(1, 1) + field(2, shape) + field(4, values.astype("<f4").tobytes())
    attributes = {"dtype": field(6, 1), "value": field(8, tensor)}
    entries = b"".join(field(5, field(1, key) + field(2, value)) for key, value in attributes.items())
    return field(1, field(1, name) + field(2, "Const") + entries)


def node(name: str, op: str, inputs: Sequence[str] = (), attributes: str = "") -> str:
    given = "".join(f'  input: "{one}"\n' for one in inputs)
    return f'node {{\n  name: "{name}"\n  op: "{op}"\n{given}{attributes}}}\n'


def attribute(key: str, value: str) -> str:
    return f'  attr {{\n    key: "{key}"\n    value {{\n      {value}\n    }}\n  }}\n'


def floats(values: Sequence[float]) -> str:
    listed = " ".join(f"float_val: {value}" for value in values)
    return f"tensor {{ dtype: DT_FLOAT {listed} tensor_shape {{ dim {{ size: {len(values)} }} }} }}"


def convolution(name: str, source: str) -> str:
    strides = attribute("strides", "list { i: 1 i: 16 i: 16 i: 1 }")
    settings = attribute("data_format", 's: "NHWC"') + attribute("padding", 's: "VALID"') + strides
    return node(f"{name}/Conv2D", "Conv2D", [source, f"{name}/weights"], settings) + node(
        name, "BiasAdd", [f"{name}/Conv2D", f"{name}/biases"]
    )


@pytest.fixture
def open_images(tmp_path: Path) -> Path:
    """A frozen graph with OpenCV's description and a label map, as an Open Images detector has them.

    Raw pixels, an input of 64 by 32, 16-pixel cells with one prior of 16 by 16 each; a cell's class 1
    (of background, 1 and 2) is sure by -6 + 12 x red / 255.
    """
    boxes = np.zeros((16, 16, 3, 4), np.float32)
    classes = np.zeros((16, 16, 3, 3), np.float32)
    classes[:, :, 0, 1] = 12 / 255 / 256
    (tmp_path / "frozen_inference_graph.pb").write_bytes(
        constant("boxes/weights", boxes)
        + constant("boxes/biases", np.zeros(4))
        + constant("classes/weights", classes)
        + constant("classes/biases", np.array([-9.0, -6.0, -9.0]))
    )
    shape = "shape { dim { size: 1 } dim { size: 32 } dim { size: 64 } dim { size: 3 } }"
    image = attribute("dtype", "type: DT_FLOAT") + attribute("shape", shape)
    prior = (
        attribute("clip", "b: false")
        + attribute("flip", "b: false")
        + attribute("width", floats([16.0]))
        + attribute("height", floats([16.0]))
        + attribute("variance", floats([0.1, 0.1, 0.2, 0.2]))
    )
    output = (
        attribute("num_classes", "i: 3")
        + attribute("share_location", "b: true")
        + attribute("background_label_id", "i: 0")
        + attribute("nms_threshold", "f: 0.6")
        + attribute("top_k", "i: 100")
        + attribute("keep_top_k", "i: 100")
        + attribute("code_type", 's: "CENTER_SIZE"')
        + attribute("confidence_threshold", "f: 0.01")
    )
    (tmp_path / "graph.pbtxt").write_text(
        node("image_tensor", "Placeholder", attributes=image)
        + convolution("boxes", "image_tensor")
        + convolution("classes", "image_tensor")
        + node("boxes/flat", "Flatten", ["boxes"])
        + node("classes/sigmoid", "Sigmoid", ["classes"])
        + node("classes/flat", "Flatten", ["classes/sigmoid"])
        + node("priors", "PriorBox", ["boxes", "image_tensor"], prior)
        + node("detection_out", "DetectionOutput", ["boxes/flat", "classes/flat", "priors"], output)
    )
    (tmp_path / "oid_label_map.pbtxt").write_text(
        "item {\n  name: \"/m/0ct4f\"\n  id: 1\n  display_name: 'Fire hydrant'\n}\n"
        'item {\n  name: "/m/01yrx"\n  id: 2\n  display_name: "Cat"\n}\n'
    )
    return tmp_path


def test_an_open_images_graph_by_hand(open_images: Path) -> None:
    detector = open_detector(str(open_images))
    (found,) = detect(detector, [red_corner()], PAPER_THRESHOLDS["d500"])
    # 4 by 2 cells over 200 by 100 pixels: the red quarter is two cells of 50 by 50 pixels.
    assert found.labels == ("Fire hydrant",) * 2
    np.testing.assert_allclose(found.scores, [sigmoid(6)] * 2, rtol=1e-4)
    expected = [[100, 0, 150, 50], [150, 0, 200, 50]]
    np.testing.assert_allclose(sorted(found.boxes.tolist()), expected, atol=0.1)


def test_label_maps_and_lists(tmp_path: Path, open_images: Path) -> None:
    assert read_labels(open_images / "oid_label_map.pbtxt") == {1: "Fire hydrant", 2: "Cat"}
    (tmp_path / "labels.txt").write_text("dog\ncat\n")
    assert read_labels(tmp_path / "labels.txt") == {1: "dog", 2: "cat"}
    (tmp_path / "x_label_map.pbtxt").write_text("nothing")
    with pytest.raises(InputError, match="label map"):
        read_labels(tmp_path / "x_label_map.pbtxt")


def test_a_folder_without_labels_says_what_is_missing(open_images: Path) -> None:
    (open_images / "oid_label_map.pbtxt").unlink()
    with pytest.raises(InputError, match=r"labels.txt or a label map"):
        open_detector(str(open_images))
