from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from captious import Corpus
from captious.corpus.types import Example
from captious.explanation import GraphExplanation, explain, in_words, picture
from captious.explanation.scene import Verdict, explain_graphs

SVG = "{http://www.w3.org/2000/svg}"
LEGEND = 3


def told(candidate, references, caption="a caption") -> GraphExplanation:
    example = Example("7", caption, "m2", ["one"] * len(references), None, None)
    return explain_graphs(candidate, references, example)


@pytest.fixture
def found() -> GraphExplanation:
    corpus = Corpus.from_lists(
        ["A brown dog & a <b> ball on the beach."],
        [["A red ball on a sofa near a television.", "A brown puppy on a couch."]],
    )
    return explain(corpus, "spice")[0]


def root_of(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def groups(root: ElementTree.Element, verdict: Verdict) -> list[ElementTree.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == verdict]


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def test_it_is_a_picture_with_a_name_and_a_description(found: GraphExplanation) -> None:
    root = root_of(picture(found, "one"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "one-title one-desc"
    title, description = (root.find(f"{SVG}{name}") for name in ("title", "desc"))
    assert title is not None and title.text is not None
    assert title.text.endswith("A brown dog & a <b> ball on the beach.")
    assert description is not None and description.text == in_words(found)


def test_every_tuple_of_both_graphs_is_drawn_with_its_verdict(found: GraphExplanation) -> None:
    root = root_of(picture(found))
    statements = [*found.candidate_graph, *found.reference_graph]
    for verdict in Verdict:
        own = [one for one in statements if one.verdict is verdict]
        drawn = groups(root, verdict)
        assert len(drawn) == len(own) + 1  # and the legend
        said = " ".join(text for group in drawn for text in texts(group))
        for one in own:
            assert one.parts[-1][0] in said
    relations = [one for one in statements if one.kind == "relation"]
    assert len(root.findall(f".//{SVG}path[@class='arrow']")) == len(relations) > 0


def test_verdicts_differ_by_sign_and_line_as_well_as_by_colour(found: GraphExplanation) -> None:
    root = root_of(picture(found))
    signs = {}
    for verdict in Verdict:
        paths = [group.find(f"{SVG}path[@class='sign']") for group in groups(root, verdict)]
        shapes = {re.sub(r"^M\d+ \d+", "", path.get("d") or "") for path in paths}
        assert len(shapes) == 1
        signs[verdict] = shapes.pop()
    assert len(set(signs.values())) == 3
    style = root.findtext(f"{SVG}style") or ""
    light = style.split("@media")[0]
    dashes = {
        verdict: re.search(rf"\.{verdict} rect, [^}}]*?stroke-dasharray: ([\d ]+)", light)
        for verdict in Verdict
    }
    assert dashes[Verdict.matched] is None
    assert dashes[Verdict.invented][1] != dashes[Verdict.missed][1]


def test_a_legend_says_what_the_signs_mean(found: GraphExplanation) -> None:
    shown = texts(root_of(picture(found, standalone=False)))[-2 * LEGEND :]
    assert shown == ["matched", "in both", "invented", "only the candidate", "missed", "only the references"]


def test_synonyms_that_were_merged_stand_in_the_box(found: GraphExplanation) -> None:
    assert "= couch" in texts(root_of(picture(found)))


def test_headings_give_counts_precision_and_recall(found: GraphExplanation) -> None:
    shown = texts(root_of(picture(found)))
    counts = found.counts
    assert (
        f"Candidate: {counts.matched} of {len(found.candidate_graph)} tuples matched, "
        f"precision {counts.precision:.3f}"
    ) in shown
    assert any(text.startswith("References, 2 merged: ") for text in shown)


def large() -> GraphExplanation:
    """Thirty objects round a man, with long names and chains."""
    things = [f"very long thing number {n} of the very many" for n in range(30)]
    relations = [("man", thing, f"stand in front of the {n}") for n, thing in enumerate(things)]
    chain = [(a, b, "next to") for a, b in pairwise(things)][::3]
    attributes = [(thing, colour) for thing in things for colour in ("red", "large")]
    return told([("man",)], [[*relations, *chain, *attributes]])


def test_boxes_and_labels_of_a_large_graph_never_overlap() -> None:
    root = root_of(picture(large()))
    width = float(root.get("width") or 0)
    inner = root.findall(f"{SVG}g[@transform]")[1]
    boxes = []
    for group in inner.findall(f"{SVG}g"):
        for rect in group.findall(f"{SVG}rect"):
            x, y, w, h = (float(rect.get(k) or 0) for k in ("x", "y", "width", "height"))
            assert x >= 0 and x + w <= width
            boxes.append((x, y, x + w, y + h))
    assert len(boxes) == 31 + 40 + 60
    for (a, b, c, d), (e, f, g, h) in combinations(boxes, 2):
        apart = c <= e + 1 or g <= a + 1 or d <= f + 1 or h <= b + 1
        inside = (a <= e and b <= f and g <= c and h <= d) or (e <= a and f <= b and c <= g and d <= h)
        assert apart or inside  # attributes are inside the box of their object


def test_long_labels_are_wrapped() -> None:
    drawn = texts(root_of(picture(large())))
    assert max(map(len, drawn[1:-6])) < 100
    assert "very long thing number" in drawn


def test_a_relation_of_an_object_with_itself_is_drawn() -> None:
    root = root_of(picture(told([("dog", "dog", "near")], [[("dog",)]])))
    assert "near" in texts(root)


def test_empty_graphs_are_said_to_be_empty() -> None:
    found = told([], [[]])
    shown = texts(root_of(picture(found)))
    assert "Candidate: no tuples, precision 0.000" in shown
    assert shown.count("nothing") == 2
    assert in_words(found) == "Neither the candidate nor the references have tuples."


def test_any_words_make_a_sound_picture() -> None:
    odd = '\x00<script>\ud800 & "quoted"' + "x" * 500 + "犬" * 50
    found = told([(odd, odd), (odd, "dog", odd)], [[("dog", odd)]], caption=odd * 3)
    root = root_of(picture(found).encode("utf-8", "strict").decode())
    assert float(root.get("width") or 0) < 1500
    assert not list(root.iter("script"))


def test_words_name_every_tuple() -> None:
    found = told([("dog", "ball", "chase"), ("hat",)], [[("dog",), ("sofa", "red")]])
    assert in_words(found) == (
        "Matched: (dog). Invented: (ball), (dog, chase, ball), (hat). Missed: (sofa), (sofa, red)."
    )
