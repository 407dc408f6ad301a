from __future__ import annotations

from importlib.util import find_spec

import pytest

from captious.text.scene_graph import scene_tuples
from captious.text.spacy_parser import PIPELINES, parse_many, stanford_tree


def test_a_preposition_hangs_from_its_noun() -> None:
    heads, labels = stanford_tree(["cat", "on", "mat"], [0, 1, 2], ["ROOT", "prep", "pobj"])
    assert (heads, labels) == ([0, 3, 1], ["root", "case", "nmod"])


def test_be_hangs_from_what_is_said() -> None:
    heads, labels = stanford_tree(["sky", "is", "blue"], [2, 0, 2], ["nsubj", "ROOT", "acomp"])
    assert (heads, labels) == ([3, 3, 0], ["nsubj", "cop", "root"])


def test_there_is_keeps_its_verb() -> None:
    heads, labels = stanford_tree(["there", "is", "dog"], [2, 0, 2], ["expl", "ROOT", "attr"])
    assert (heads, labels) == ([2, 0, 2], ["expl", "root", "nsubj"])


def test_spacy_parses_to_a_scene() -> None:
    if find_spec("spacy") is None or not any(find_spec(name) for name in PIPELINES):
        pytest.skip("spaCy or its English pipeline is not installed")
    empty, parse = parse_many([[], ["a", "black", "cat", "sits", "on", "a", "red", "mat"]])
    assert len(empty) == 0
    assert set(scene_tuples(parse)) == {
        ("cat", "mat", "sit on"),
        ("cat", "black"),
        ("mat", "red"),
        ("cat",),
        ("mat",),
    }
