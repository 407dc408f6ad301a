"""The shipped weights against golden parses of captions kept from their training."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

TRAINING = Path(__file__).resolve().parents[3] / "training" / "caption_parser"
MODULES = ("evaluate", "golden_trees", "images")


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    if not TRAINING.is_dir():
        pytest.skip("the training scripts are not here")
    monkeypatch.syspath_prepend(str(TRAINING))
    yield import_module("evaluate")
    for name in MODULES:
        sys.modules.pop(name, None)


def test_no_held_out_image_has_a_caption_in_training(
    evaluate: ModuleType, data: Path, golden: Path
) -> None:
    golden_trees, images = sys.modules["golden_trees"], sys.modules["images"]
    trees = [tree for tree in golden_trees.read_trees(golden) if tree.source == "vicr"]
    split = golden_trees.split_by_image(trees, data, benchmarks_held_out=False)
    of_caption = images.images_of_captions(data, "vicr")
    assert len(split.training) + len(split.held_out) == len(trees)
    assert split.held_out
    assert not any(
        images.is_held_out(image) for tree in split.training for image in of_caption[tree.caption]
    )


@pytest.mark.long
def test_agrees_with_golden_parses_of_held_out_images(
    evaluate: ModuleType, data: Path, golden: Path
) -> None:
    golden_trees = sys.modules["golden_trees"]
    split = golden_trees.split_by_image(
        list(golden_trees.read_trees(golden)), data, benchmarks_held_out=False
    )
    table = evaluate.evaluate(evaluate.shipped_model(), split)
    assert table["all"]["tags"] >= 0.98
    assert table["all"]["LAS"] >= 0.935
