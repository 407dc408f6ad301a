"""The reference implementation's tuples from the reference parser's dependencies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from captious.text.scene_graph import enhance, graph_tuples, read_graph, scene_tuples

Captions = list[Any]


def agreement_from_trees(captions: Captions) -> float:
    equal = sum(set(scene_tuples(caption.parse)) == caption.tuples for caption in captions)
    return equal / len(captions)


def agreement_from_graphs(captions: Captions) -> float:
    equal = 0
    for caption in captions:
        parse = caption.parse
        graph = read_graph(parse.words, parse.tags, parse.lemmas, caption.enhanced)
        equal += set(graph_tuples(graph)) == caption.tuples
    return equal / len(captions)


def test_sample_from_basic_dependencies(golden_sample: Captions) -> None:
    assert len(golden_sample) > 10_000
    assert agreement_from_trees(golden_sample) >= 0.998


def test_sample_from_enhanced_dependencies(golden_sample: Captions) -> None:
    assert agreement_from_graphs(golden_sample) >= 0.998


def test_sample_of_enhanced_edges(golden_sample: Captions) -> None:
    equal = 0
    for caption in golden_sample:
        parse = caption.parse
        theirs = read_graph(parse.words, parse.tags, parse.lemmas, caption.enhanced)
        equal += Counter(enhance(parse).edges) == Counter(theirs.edges)
    assert equal / len(golden_sample) >= 0.997


@pytest.mark.long
def test_every_caption_from_basic_dependencies(golden_captions: Captions) -> None:
    assert len(golden_captions) == 144_434
    assert agreement_from_trees(golden_captions) >= 0.998


@pytest.mark.long
def test_every_caption_from_enhanced_dependencies(golden_captions: Captions) -> None:
    assert agreement_from_graphs(golden_captions) >= 0.998
