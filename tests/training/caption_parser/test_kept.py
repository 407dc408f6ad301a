"""Every kept caption as a candidate, scored from two sides."""

from __future__ import annotations

import pytest
from reference.golden import GoldenParse
from reference.kept import item_scores, kept_agreement, kept_items

from captious.text.parser import caption_parser
from captious.text.scene_graph import scene_tuples


class OneImage:
    """A division in which all captions are of one kept image."""

    def kept_images(self, caption: str) -> list[str]:
        return ["1"]


def test_references_are_the_first_five_others_of_the_first_image() -> None:
    captions = [f"caption {number}" for number in range(8)]
    images = {caption: ["1", "2"] for caption in captions} | {"caption 0": ["2", "9"]}
    items = {item.caption: item.references for item in kept_items(captions, images)}
    assert items["caption 1"] == captions[2:7]  # caption 0 is not of image 1
    assert items["caption 0"] == captions[1:6]
    assert len(items) == 8


def test_a_score_by_hand() -> None:
    tuples = {"a": [("dog",), ("dog", "red")], "b": [("dog",)], "c": [("cat",)]}
    # candidate 2 tuples, references dog and cat, one shared: P = 1/2, R = 1/2
    assert item_scores(kept_items(["a", "b", "c"], {key: ["1"] for key in "abc"}), tuples)[0] == 0.5


def test_the_parses_of_the_parser_itself_correlate_perfectly() -> None:
    texts = ["a red dog runs", "a dog and two cats", "a man rides a horse", "a dog on a beach"]
    parses = caption_parser().parse_many([text.split() for text in texts])
    kept = [
        GoldenParse(text, "mine", parse, scene_tuples(parse))
        for text, parse in zip(texts, parses, strict=True)
    ]
    n, r = kept_agreement(caption_parser(), kept, OneImage())  # type: ignore[arg-type]
    assert (n, r) == (4, pytest.approx(1.0))
