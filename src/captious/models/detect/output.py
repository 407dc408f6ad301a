"""Detections as a file: COCO instances with scores, which every reader of objects takes."""

from __future__ import annotations

import colorsys
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious._version import __version__
from captious.corpus.objects import SOURCE_MARK
from captious.errors import InputError
from captious.files import atomically
from captious.models.detect.detector import Detections
from captious.models.images import load_image


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


AT_MOST = 48  # photographs; more are no longer looked at
WIDTH, HEIGHT, TITLE = 320, 240, 20
MARGIN = 8
TEXT_SIZE = 12
LINE = TEXT_SIZE + 3
INK = "#1a1a1a"
Rectangle = tuple[float, float, float, float]


def contact_sheet(
    files: Mapping[str, Path], found: Mapping[str, Detections], path: Path, at_most: int = AT_MOST
) -> int:
    """Draw boxes, labels and scores on small copies and save them as one picture.

    Where there are more than `at_most` photographs, the sheet shows as many at equal distances in
    their order. Returns how many it shows.
    """
    from PIL import Image, ImageDraw, ImageFont

    shown = spread([image for image in files if image in found], at_most)
    columns = max(1, min(6, math.ceil(math.sqrt(len(shown)))))
    rows = max(1, math.ceil(len(shown) / columns))
    cell = (WIDTH + MARGIN, HEIGHT + TITLE + MARGIN)
    sheet = Image.new("RGB", (columns * cell[0] + MARGIN, rows * cell[1] + MARGIN), "white")
    font = ImageFont.load_default(TEXT_SIZE)
    for number, image in enumerate(shown):
        left = MARGIN + number % columns * cell[0]
        top = MARGIN + number // columns * cell[1]
        picture = _drawn(files[image], found[image], font)
        sheet.paste(picture, (left + (WIDTH - picture.width) // 2, top + TITLE))
        title = _fitted(image, font)
        ImageDraw.Draw(sheet).text((left, top + 2), title, fill=INK, font=font)
    try:
        sheet.save(path, quality=88)
    except (ValueError, KeyError):
        raise InputError(f"{path}: the sheet cannot be saved in this format. Name it .jpg or .png.") from None
    return len(shown)


def spread(images: Sequence[str], at_most: int) -> list[str]:
    """At most so many, at equal distances.

    >>> spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(images) <= at_most:
        return list(images)
    step = (len(images) - 1) / max(1, at_most - 1)
    return [images[round(i * step)] for i in range(at_most)]


def colour(label: str) -> tuple[int, int, int]:
    """A strong colour that is the same for a label on every sheet.

    >>> colour("dog") == colour("dog") != colour("cat")
    True
    """
    hue = zlib.crc32(label.encode()) / 2**32
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.85, 0.75)
    return round(red * 255), round(green * 255), round(blue * 255)


def _drawn(path: Path, found: Detections, font: Any) -> Any:
    from PIL import Image, ImageDraw

    picture = Image.fromarray(load_image(path))
    picture.thumbnail((WIDTH, HEIGHT))
    draw = ImageDraw.Draw(picture)
    scale = np.array([picture.width / found.width, picture.height / found.height] * 2)
    boxes = found.boxes * scale
    boxes[:, 2:] = np.maximum(boxes[:, :2], boxes[:, 2:] - 1)
    for label, box in reversed(list(zip(found.labels, boxes.tolist(), strict=True))):
        draw.rectangle(box, outline=colour(label), width=2)
    taken: list[Rectangle] = []
    for label, box, score in zip(found.labels, boxes.tolist(), found.scores, strict=True):
        text, shade = f"{label} {score:.2f}", colour(label)
        place = free_place(box, font.getlength(text) + 4, picture.size, taken)
        taken.append(place)
        draw.rectangle(place, fill=shade)
        draw.text((place[0] + 2, place[1] + 1), text, fill=_ink_on(shade), font=font)
    return picture


def free_place(
    box: Sequence[float], width: float, size: tuple[int, int], taken: Sequence[Rectangle]
) -> Rectangle:
    """Where a label goes: above its box, else lower down, where no other label is.

    >>> free_place((10, 40, 90, 90), 50, (320, 240), [(0, 20, 70, 35)])
    (10, 40, 60, 55)
    """
    left = min(max(0.0, box[0]), max(0.0, size[0] - width))
    first = max(0.0, box[1] - LINE)
    rows = [first + LINE * step for step in range(max(1, int((size[1] - first) // LINE)))]
    rows = [box[1] if first == 0 else first, *rows]
    for top in rows:
        place = (left, top, left + width, top + LINE)
        if not any(_meet(place, other) for other in taken):
            return place
    return (left, rows[0], left + width, rows[0] + LINE)


def _meet(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ink_on(shade: tuple[int, int, int]) -> str:
    red, green, blue = shade
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 128 else "black"


def _fitted(text: str, font: Any) -> str:
    while font.getlength(text) > WIDTH and len(text) > 4:
        text = text[: len(text) // 2 - 1] + "…" + text[len(text) // 2 + 1 :]
    return text
