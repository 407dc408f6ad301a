"""ViLBERT's joint embedding, from a tiny checkpoint in the published layout."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError
from captious.metrics import Batch
from captious.metrics.learned.features import parse_feature


@pytest.fixture
def files(tiny_joint: ModuleType, tmp_path: Path) -> tuple[object, str]:
    oracle = tiny_joint.write_vilbert(tmp_path / "model", 3)
    found = {"7": tiny_joint.regions(1, 4), "8": tiny_joint.regions(2, 6)}
    regions = tiny_joint.write_region_folder(tmp_path / "regions", found)
    return oracle, f"[encoder={tmp_path / 'model'},regions={regions}]"


def test_it_is_the_pooled_states_of_image_and_text(tiny_joint: ModuleType, files: tuple[object, str]) -> None:
    import torch

    oracle, options = files
    captions = list(tiny_joint.CAPTIONS[:2])
    corpus = Corpus.from_lists([*captions, captions[0]], image_ids=["7", "8", "9"])
    joint = parse_feature(f"vilbert.joint{options}")
    assert joint.missing(corpus) == ""  # regions stand in for photographs
    found = joint.columns(Batch(corpus), None)
    for row, seed, count in ((0, 1, 4), (1, 2, 6)):
        image = tiny_joint.region_input(tiny_joint.regions(seed, count))
        with torch.no_grad():
            wanted = oracle(tiny_joint.bert_ids(captions[row]), *image, None)  # type: ignore[operator]
        both = np.concatenate([wanted["image"].numpy(), wanted["text"].numpy()])
        np.testing.assert_allclose(found[row], both, atol=1e-5)
    assert np.isnan(found[2]).all()  # no regions of image 9
    text = parse_feature(f"vilbert.caption{options}").columns(Batch(corpus), None)
    np.testing.assert_array_equal(text, found[:, found.shape[1] // 2 :])


def test_regions_of_other_images_are_refused(files: tuple[object, str]) -> None:
    corpus = Corpus.from_lists(["a dog"], image_ids=["unknown"])
    with pytest.raises(InputError, match="contains no regions for any image"):
        parse_feature(f"vilbert.joint{files[1]}").columns(Batch(corpus), None)


def test_without_regions_it_says_what_to_write(files: tuple[object, str]) -> None:
    options = files[1].partition(",regions")[0] + "]"
    corpus = Corpus.from_lists(["a dog"], image_paths={"0": "dog.jpg"})
    assert "vilbert.joint[regions=PATH]" in parse_feature(f"vilbert.joint{options}").missing(corpus)
