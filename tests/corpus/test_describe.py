from __future__ import annotations

import json

import numpy as np
import pytest

from captious.corpus.describe import Sample, common_sample, describe, load_captions, sampled_captions
from captious.corpus.types import Ragged
from captious.errors import InputError


def _sets(*lists) -> Ragged:
    return Ragged.from_lists(lists)


def _unique_by_hand(captions, order) -> int:
    grams = set()
    for caption in captions:
        words = caption.split()
        grams |= {tuple(words[i : i + order]) for i in range(len(words) - order + 1)}
    return len(grams)


def test_counts_and_lengths() -> None:
    sets = _sets(["a dog runs", "the dog"], ["a cat"])
    found = describe("x", sets, common_sample([sets]), tokeniser="space")
    assert (found.captions, found.images, found.tokens, found.unique_tokens) == (3, 2, 7, 5)
    # Lengths 3, 2, 2: mean 7/3, variance (4/9 + 1/9 + 1/9) / 2 = 1/3.
    assert found.length_mean == pytest.approx(7 / 3)
    assert found.length_sd == pytest.approx(np.sqrt(1 / 3))
    assert found.histogram == {"0-4": 3}


def test_very_long_captions_are_counted_together() -> None:
    sets = _sets(["a dog " * 1_000_000], ["a cat " * 50], ["a cat " * 49 + "runs"])
    found = describe("x", sets, common_sample([sets]), tokeniser="space")
    assert {span: count for span, count in found.histogram.items() if count} == {"95-99": 1, "100-": 2}
    assert found.length_longest == 2_000_000


def test_n_grams_do_not_cross_captions_and_equal_the_plain_count(data) -> None:
    karpathy = load_captions(data / "coco_karpathy" / "reference_captions.json")
    sample = Sample(images=200, captions=3, draws=1, seed=4)
    found = describe("coco", karpathy, sample, tokeniser="space")
    drawn = sampled_captions(karpathy, sample)
    assert len(drawn) == 600
    for order in (1, 2, 3, 4):
        assert found.unique[order - 1].mean == _unique_by_hand(drawn, order)


def test_coco_at_the_papers_sample(data) -> None:
    karpathy = load_captions(data / "coco_karpathy" / "reference_captions.json")
    found = describe("coco", karpathy, common_sample([karpathy]))
    assert found.sample[:2] == (4500, 5)
    # ObjectNet Captions, Table 1, COCO: 49,139, 96,711 and 124,164 distinct 2-, 3- and 4-grams;
    # its images and tokeniser are not told, so we ask for three per cent.
    for value, published in zip(found.unique[1:], (49_139, 96_711, 124_164), strict=True):
        assert value.mean == pytest.approx(published, rel=0.03)
        assert 0 < value.sd < 0.01 * published
    # Its text: captions of COCO have 10 words on average.
    assert round(found.length_mean) == 10


def test_the_seed_repeats_the_sample() -> None:
    sets = _sets(*([f"dog {i}", f"cat {i}"] for i in range(20)))
    asked = Sample(5, 1, 3, 11)
    assert describe("x", sets, asked, "space") == describe("x", sets, asked, "space")
    other = describe("x", sets, asked._replace(seed=12), "space")
    assert sampled_captions(sets, asked) != sampled_captions(sets, other.sample)


def test_one_size_for_all_files() -> None:
    many = _sets(*([f"a {i}", f"b {i}", f"c {i}"] for i in range(9)))
    few = _sets(["a", "b"], ["c", "d"], ["e"])
    assert common_sample([many, few])[:2] == (2, 2)
    assert common_sample([many, few], captions=1)[:2] == (3, 1)


def test_too_large_a_sample() -> None:
    few = _sets(["a", "b"], ["c"])
    with pytest.raises(InputError, match="no image has 3 captions"):
        common_sample([few], captions=3)
    with pytest.raises(InputError, match="only 1 images have 2 captions; 5 were asked for"):
        common_sample([few], images=5, captions=2)


def test_an_empty_caption_counts_as_a_caption_of_no_tokens() -> None:
    sets = _sets(["", "a dog"])
    found = describe("x", sets, common_sample([sets]), tokeniser="space")
    assert (found.captions, found.tokens, found.unique[0].mean) == (2, 2, 2.0)


def test_candidates_are_captions_too(tmp_path) -> None:
    path = tmp_path / "m2.json"
    path.write_text(json.dumps([{"image_id": 1, "caption": "A dog."}]))
    assert load_captions(path).values == ["A dog."]
