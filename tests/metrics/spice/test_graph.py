from __future__ import annotations

from captious.metrics.spice import SceneGraph


def words(graph: SceneGraph) -> list[list[list[str]]]:
    return [[concept.words for concept in parts] for parts in graph.tuples()]


def test_an_object_named_in_a_relation_is_an_object() -> None:
    graph = SceneGraph.of([[("cat", "mat", "on")]])
    assert words(graph) == [[["cat"]], [["mat"]], [["cat"], ["mat"], ["on"]]]


def test_synonyms_are_one_object_and_chains_join() -> None:
    # baby shares a synset with infant and another with child, which do not share one.
    graph = SceneGraph.of([[("infant",)], [("baby",)], [("child",)]])
    assert words(graph) == [[["infant", "baby", "child"]]]


def test_a_word_joins_the_concept_it_shares_most_with() -> None:
    # bike: with motorcycle one synset of four in all, with bicycle two of three.
    graph = SceneGraph.of([[("motorcycle",), ("bicycle",), ("bike",)]])
    assert words(graph) == [[["motorcycle"]], [["bicycle", "bike"]]]


def test_attributes_are_told_apart_by_object() -> None:
    graph = SceneGraph.of([[("cat", "big"), ("dog", "large"), ("cat", "large")]])
    assert words(graph) == [[["cat"]], [["cat"], ["big", "large"]], [["dog"]], [["dog"], ["large"]]]


def test_being_next_to_is_next_to() -> None:
    assert len(SceneGraph.of([[("a", "b", "be next to"), ("a", "b", "next to")]])) == 3


def test_an_empty_graph() -> None:
    assert len(SceneGraph.of([])) == 0 and SceneGraph.of([[]]).tuples() == []
