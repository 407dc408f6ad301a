"""What the text files beside a frozen graph of TensorFlow's detection API say.

OpenCV's description (`.pbtxt`) names the input and its size; a label map (`*label_map*.pbtxt`) gives
the classes their numbers and names, as Open Images and COCO are published with.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError

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
