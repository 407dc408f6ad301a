"""VSE++ on a tiny checkpoint in the published layout, item by item against the paper's formula."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import InputError, MissingDependencyError

pytest.importorskip("nltk")
CLOSE = 1e-5


def values(corpus: captious.Corpus, name: str) -> np.ndarray:
    return captious.score(corpus, [name])[name].values


def published_pixels(path: Path) -> Any:
    """Resize the shorter side to 256, crop the centre, normalise: torchvision's steps, by hand."""
    import torch
    from PIL import Image

    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    size = (256, int(256 * height / width)) if width <= height else (int(256 * width / height), 256)
    picture = picture.resize(size, Image.Resampling.BILINEAR)
    left, top = round((size[0] - 224) / 2), round((size[1] - 224) / 2)
    pixels = np.asarray(picture.crop((left, top, left + 224, top + 224)), dtype=np.float32) / 255
    pixels = (pixels - np.float32([0.485, 0.456, 0.406])) / np.float32([0.229, 0.224, 0.225])
    return torch.from_numpy(pixels.transpose(2, 0, 1).copy())


@pytest.mark.parametrize("kind", ["resnet", "vgg"])
def test_every_item_is_the_cosine_of_the_paper(tiny_joint, scene, kind: str) -> None:
    oracle = tiny_joint.write_vse(scene.folder / "vse" / "model_best.pth.tar", 2, kind=kind)
    found = values(scene.corpus, f"vsepp[model={scene.folder / 'vse' / 'model_best.pth.tar'}]")
    numbers = {word: number for number, word in enumerate(tiny_joint.VSE_WORDS)}
    cut = {
        "A dog runs on the beach.": "a dog runs on the beach .",
        "Two cats sleeping on a red sofa": "two cats <unk> on a red sofa",
        "A surfboard, by the blue beach!": "a <unk> , <unk> the <unk> beach <unk>",
        "dog": "dog",
        "the men": "the <unk>",
    }
    for row in range(len(scene.corpus)):
        example = scene.corpus.example(row)
        image = oracle.image(published_pixels(scene.images[example.image_id])).double()
        ids = [1, *(numbers[word] for word in cut[example.caption].split()), 2]
        text = oracle.text(ids).double()
        expected = float(image @ text / (image.norm() * text.norm()))
        assert found[row] == pytest.approx(expected, abs=CLOSE)
    assert len(np.unique(found.round(6))) == len(found)


def test_the_vocabulary_may_be_named(tiny_joint, scene) -> None:
    path = scene.folder / "vse" / "model_best.pth.tar"
    tiny_joint.write_vse(path, 2)
    expected = values(scene.corpus, f"vsepp[model={path}]")
    (path.parent / "coco_vocab.pkl").rename(scene.folder / "words.pkl")
    found = values(scene.corpus, f"vsepp[model={path},vocab={scene.folder / 'words.pkl'}]")
    np.testing.assert_array_equal(found, expected)


def test_another_vocabulary_is_another_score(tiny_joint, scene) -> None:
    """Two words that swap their numbers: what was remembered of the first vocabulary is not used."""
    path = scene.folder / "vse" / "model_best.pth.tar"
    tiny_joint.write_vse(path, 2)
    name = f"vsepp[model={path}]"
    first = captious.score(scene.corpus, [name])[name]
    words = ["cats" if word == "dog" else "dog" if word == "cats" else word for word in tiny_joint.VSE_WORDS]
    (path.parent / "coco_vocab.pkl").write_bytes(tiny_joint.pickled_vocabulary(words))
    second = captious.score(scene.corpus, [name])[name]
    assert first.values[3] != second.values[3]  # "dog"
    assert first.values[5] == second.values[5]  # "the men"
    assert first.signature != second.signature


def test_weights_in_the_cache_are_found_by_their_name(tiny_joint, scene) -> None:
    tiny_joint.write_vse(
        scene.folder / "cache" / "weights" / "vsepp-coco-resnet152" / "model_best.pth.tar", 2
    )
    scores = captious.score(scene.corpus, ["vsepp"])["vsepp"]
    assert scores.signature.startswith("vsepp|enc:VSE++/coco-resnet152@")
    assert "|trunc:0|device:cpu|dtype:float32|" in scores.signature


def test_broken_images_are_listed_and_the_others_scored(tiny_joint, scene) -> None:
    tiny_joint.write_vse(scene.folder / "vse" / "m.pth.tar", 2)
    scene.images["17"].write_bytes(b"no image")
    name = f"vsepp[model={scene.folder / 'vse' / 'm.pth.tar'}]"
    scores = captious.score(scene.corpus, [name])[name]
    assert np.isnan(scores.values).tolist() == [False, False, True, True, True, False]
    assert list(scores.unscored) == ["17"]


def test_failures_are_one_line_each(tiny_joint, scene) -> None:
    with pytest.raises(
        MissingDependencyError, match=r"VSE.*are not installed.*faghri/vsepp.*vsepp-coco-resnet152"
    ):
        values(scene.corpus, "vsepp")
    with pytest.raises(InputError, match="no such file or folder of weights"):
        values(scene.corpus, "vsepp[model=/nowhere/m.pth.tar]")
    tiny_joint.write_vse(scene.folder / "vse" / "m.pth.tar", 2)
    with pytest.raises(InputError, match=r"nowhere\.pkl: cannot be read"):
        values(scene.corpus, f"vsepp[model={scene.folder / 'vse' / 'm.pth.tar'},vocab=/x/nowhere.pkl]")
    with pytest.raises(InputError, match=r"is not a file\. Give the checkpoint"):
        values(scene.corpus, f"vsepp[model={scene.folder / 'vse'},vocab=v.json]")
