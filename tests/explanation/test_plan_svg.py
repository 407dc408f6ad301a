from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from captious import Corpus
from captious.explanation import Explanation, explain, in_words, picture
from captious.explanation.drawing import own_style
from captious.metrics.vifidel import Vifidel

pytest.importorskip("ot")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Explanation:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.txt"
    file.write_text("dog 1 0 0\ncat 0 1 0\nbus 0 0 1\npuppy 4 1 0\nr&b 1 1 1\n")
    corpus = Corpus.from_lists(
        ["A puppy <b> and a bus & more."], objects={"0": ["cat", "dog", "r&b", "bus", "bus"]}
    )
    return explain(corpus, Vifidel(vectors=str(file)))[0]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_it_is_a_picture_with_a_name_and_a_description(found: Explanation) -> None:
    root = ElementTree.fromstring(picture(found, "one"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "one-title one-desc"
    title, description = (root.find(f"{SVG}{name}") for name in ("title", "desc"))
    assert title is not None and title.text is not None
    assert title.text.endswith("A puppy <b> and a bus & more.")
    assert description is not None and description.text == in_words(found)


def test_every_object_word_and_flow_is_drawn(found: Explanation) -> None:
    svg = picture(found)
    drawn = texts(svg)
    for word in [*found.sources, *found.targets]:
        assert word.text in drawn
    assert svg.count("<path ") == len(found.flows)
    for flow in found.flows:
        assert f"{flow.part:.3f}" in drawn


def test_what_stands_alone_is_said_in_words_and_dashes(found: Explanation) -> None:
    svg = picture(found)
    assert texts(svg).count("unmatched") == len(found.unmatched) > 0
    assert texts(svg).count("unsupported") == len(found.unsupported)
    assert svg.count('class="box alone"') == len(found.unmatched) + len(found.unsupported)
    dashed = [rule for rule in own_style().split("}") if "rect.alone" in rule]
    assert all("stroke-dasharray" in rule for rule in dashed) and dashed


def test_boxes_and_numbers_lie_side_by_side_within_the_picture(found: Explanation) -> None:
    root = ElementTree.fromstring(picture(found))
    width = float(root.get("width") or 0)
    rows: dict[str, list[tuple[float, float]]] = {}
    for box in root.iter(f"{SVG}rect"):
        if box.get("width") != "100%":
            left = float(box.get("x") or 0)
            rows.setdefault(box.get("y") or "", []).append((left, left + float(box.get("width") or 0)))
    assert len(rows) == 3
    for spans in rows.values():
        spans.sort()
        assert spans[0][0] >= 0 and spans[-1][1] <= width
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_any_caption_makes_a_sound_picture(found: Explanation) -> None:
    odd = "A dog\x00\n\x1b[31m \ud800 & <script>" + " very" * 200
    drawn = picture(replace(found, caption=odd)).encode("utf-8", "replace")
    root = ElementTree.fromstring(drawn)
    assert float(root.get("width") or 0) < 1200
