from __future__ import annotations

import pytest

from captious.errors import InputError
from captious.text.scene_graph import Edge, read_graph


def test_labels_with_colons_and_apostrophes_are_read() -> None:
    graph = read_graph(["a", "b"], ["NN", "NN"], ["a", "b"], "root(0,1) nmod:'s(1,2)")
    assert graph.edges == [Edge("root", 0, 1), Edge("nmod:'s", 1, 2)]


def test_a_copy_stands_after_the_words() -> None:
    graph = read_graph(["a", "b"], ["NN", "NN"], ["A", "b"], "root(0,1) conj:and(1,1'1)")
    assert graph.edges[1] == Edge("conj:and", 1, 3)
    assert (graph.words[2], graph.lemmas[2]) == ("a", "a")


def test_a_word_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="word 5, but the sentence has 1 words"):
        read_graph(["a"], ["NN"], ["a"], "root(0,5)")
