"""Photographs become the tensors that the published pipelines make."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.recipe import Recipe
from captious.models.images import load_image


def test_a_photograph_becomes_clips_own_tensor(golden: Path) -> None:
    expected = np.load(golden / "clip" / "expected_preprocessed_image.npy")[0]
    got = Recipe().pixels(load_image(golden / "clip" / "franz-kafka.jpg"))
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() <= 1e-6


@pytest.mark.parametrize("shape", [(60, 80), (81, 57), (32, 32), (33, 90), (20, 25), (400, 35)])
def test_transformers_own_processor_gives_the_same(tiny: ModuleType, shape: tuple[int, int]) -> None:
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    photograph = np.random.default_rng(7).integers(0, 256, (*shape, 3), dtype=np.uint8)
    processor = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    expected = np.asarray(processor(photograph, return_tensors="np")["pixel_values"][0])
    got = Recipe(size=32, crop=32, centre="floor").pixels(photograph)
    assert np.abs(got - expected).max() < 1e-6


def test_siglips_own_processor_gives_the_same(tiny: ModuleType) -> None:
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    photograph = np.random.default_rng(8).integers(0, 256, (50, 70, 3), dtype=np.uint8)
    processor = SiglipImageProcessorPil(size={"height": 24, "width": 24})
    expected = np.asarray(processor(photograph, return_tensors="np")["pixel_values"][0])
    recipe = Recipe.of(processor.to_dict(), "preprocessor_config.json")
    assert recipe.crop is None
    assert np.abs(recipe.pixels(photograph) - expected).max() < 1e-6


def test_the_crop_begins_where_openais_does_and_transformers_one_pixel_before() -> None:
    # 32 x 35: three columns are left over. torchvision begins at round(1.5) = 2, transformers at 1.
    photograph = np.zeros((32, 35, 3), dtype=np.uint8)
    photograph[:, :, 0] = np.arange(35)
    openai, other = (Recipe(size=32, crop=32, centre=rule).resized(photograph) for rule in ("round", "floor"))
    assert (openai[0, 0, 0], other[0, 0, 0]) == (2, 1)


def test_a_configuration_without_its_facts_is_refused() -> None:
    with pytest.raises(InputError, match=r"here.json: has no known 'image_mean'"):
        Recipe.of({"size": {"shortest_edge": 224}}, "here.json")
