from __future__ import annotations

from pathlib import Path

import pytest
from reference.captions import SOURCES, flickr8k_expert_images, images_of_captions
from reference.division import Division, is_kept_image


@pytest.fixture(scope="module")
def strict(data: Path) -> Division:
    return Division(data, benchmarks_held_out=True)


def test_a_tenth_of_the_images_is_kept() -> None:
    kept = sum(is_kept_image(f"coco/{number}") for number in range(10_000))
    assert kept == pytest.approx(1000, abs=100)


def test_coco_images_have_one_name_in_all_files(data: Path) -> None:
    of_thumb = {image for own in images_of_captions(data, "thumb").values() for image in own}
    of_split = {image for own in images_of_captions(data, "karpathy").values() for image in own}
    assert len(of_thumb) == 500 and of_thumb <= of_split


def test_no_caption_of_the_benchmarks_is_left_to_learn_from(data: Path, strict: Division) -> None:
    for source in ("thumb", "karpathy", "capeval1k"):
        parts = {strict.part(caption) for caption in images_of_captions(data, source)}
        assert parts == {"kept"}, source
    judged = flickr8k_expert_images(data)
    for caption, images in images_of_captions(data, "flickr8k").items():
        if images & judged:
            assert strict.part(caption) == "kept", caption


def test_no_kept_image_has_a_caption_in_training(data: Path, strict: Division) -> None:
    for source in SOURCES:
        for caption, images in images_of_captions(data, source).items():
            if any(map(is_kept_image, images)):
                assert strict.part(caption) == "kept", caption


def test_a_caption_of_no_known_image_is_in_neither_part(strict: Division) -> None:
    assert strict.part("a caption that nobody wrote of a purple heffalump") == "neither"
