"""What the encoder may see: none of the benchmarks' images."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from captious.errors import InputError
from captious.learn.captious_metric.sources import groups_of, read_sources


def own(image: str, caption: str) -> dict[str, object]:
    return {"image": image, "source_image": image, "caption": caption, "rating": 5.0, "pair": "original"}


def other(image: str, source: str, caption: str) -> dict[str, object]:
    return {"image": image, "source_image": source, "caption": caption, "rating": 2.0, "pair": "similar"}


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join(json.dumps(row) for row in rows).encode()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    captions = {"1": ["A dog.", "A hound."], "2": ["A cat.", "A kitten."], "3": ["A bus.", "A coach."]}
    rows = [own(image, text) for image, texts in captions.items() for text in texts]
    rows += [other("1", "2", "A cat."), other("1", "3", "A bus."), other("3", "1", "A dog.")]
    write(tmp_path / "cxc" / "caption_image.jsonl.gz", rows)
    pairs = [("1", "2"), ("1", "3")]
    write(
        tmp_path / "cxc" / "caption_caption.jsonl.gz",
        [
            {"image": a, "other_image": b, "caption": captions[a][0], "other": captions[b][0], "rating": 1.0}
            for a, b in pairs
        ],
    )
    return tmp_path


def test_held_images_are_left_out_also_as_sources(folder: Path) -> None:
    found = read_sources(folder, ["COCO_val2014_000000000002.jpg"], [])
    assert [group.image for group in found.graded] == ["1", "3"]
    assert found.graded[0].others == (("A bus.", 2.0),)  # image 2's caption is gone
    assert [pair.second for pair in found.pairs] == ["A bus."]
    assert "1 of 3 images" in found.notes[0]


def test_images_without_ids_are_known_by_two_captions(folder: Path) -> None:
    hidden = [["a coach", "A BUS .", "something else"], ["a cat", "another"]]
    found = read_sources(folder, [], hidden)
    assert [group.image for group in found.graded] == ["1", "2"]  # one shared caption may be chance


def test_flickr8k_images_that_experts_judged_are_left_out(folder: Path) -> None:
    (folder / "flickr8k").mkdir()
    tokens = [f"{image}.jpg#{k}\ttext {image} {k}" for image in "abc" for k in (0, 1)]
    (folder / "flickr8k" / "Flickr8k.token.txt").write_text("\n".join(tokens))
    # a was judged, b's caption was a candidate for it
    (folder / "flickr8k" / "ExpertAnnotations.txt").write_text("a.jpg\tb.jpg#1\t1\t1\t1\n")
    assert [group.image for group in read_sources(folder, [], []).plain] == ["c.jpg"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"caption_image\.jsonl\.gz: there is no such file"):
        read_sources(tmp_path, [], [])


def test_an_image_with_one_caption_is_no_group() -> None:
    assert groups_of({"1": ["a dog", "a dog"]}) == ()
