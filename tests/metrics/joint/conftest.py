"""Photographs, region features and a corpus over them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import captious

CAPTIONS = [
    "A dog runs on the beach.",
    "Two cats sleeping on a red sofa",
    "A surfboard, by the blue beach!",
    "dog",
    "A dog runs on the beach.",
    "the men",
]
IMAGES = ["3", "3", "17", "17", "17", "COCO_val2014_000000000042.jpg"]
REFERENCES = {
    "3": ["A dog by the beach", "dogs runs"],
    "17": ["The cat sleeps.", "A red surfboard", "a cat"],
    "COCO_val2014_000000000042.jpg": ["Two men on a sofa"],
}


class Scene(NamedTuple):
    """Where things are, and what they hold."""

    folder: Path
    corpus: captious.Corpus
    regions: dict[str, dict[str, Any]]
    images: dict[str, Path]


@pytest.fixture
def scene(tiny_joint: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    from PIL import Image

    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)
    make = np.random.default_rng(4)
    images = {}
    for name, size in zip(REFERENCES, ((150, 90), (80, 200), (400, 360)), strict=True):
        images[name] = tmp_path / "images" / f"{Path(name).stem}.png"
        images[name].parent.mkdir(exist_ok=True)
        coarse = make.integers(0, 256, (4, 5, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize(size, Image.Resampling.BILINEAR).save(images[name])
    regions = {Path(name).stem: tiny_joint.regions(n, 3 + n) for n, name in enumerate(REFERENCES)}
    tiny_joint.write_region_folder(tmp_path / "regions", regions)
    corpus = captious.Corpus.from_lists(
        CAPTIONS,
        [REFERENCES[image] for image in IMAGES],
        image_ids=IMAGES,
        image_paths={name: str(path) for name, path in images.items()},
    )
    return Scene(tmp_path, corpus, regions, images)
