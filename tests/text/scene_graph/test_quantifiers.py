from __future__ import annotations

from captious.text.scene_graph import graph_tuples, read_graph


def tuples(words: str, tags: str, lemmas: str, dependencies: str) -> set[tuple[str, ...]]:
    graph = read_graph(words.split(), tags.split(), lemmas.split(), dependencies)
    return set(graph_tuples(graph))


def test_a_couple_of_dogs_are_dogs() -> None:
    # What the reference gives for captions of this form: the attribute is the article.
    found = tuples(
        "a couple of dogs run",
        "DT NN IN NNS VBP",
        "a couple of dog run",
        "root(0,5) nsubj(5,2) det(2,1) case(4,3) nmod:of(2,4)",
    )
    assert found == {("dog", "run"), ("dog", "a"), ("dog",), ("couple",)}


def test_without_an_article_a_couple_is_an_object() -> None:
    found = tuples("couple of dogs", "NN IN NNS", "couple of dog", "root(0,1) case(3,2) nmod:of(1,3)")
    assert found == {("couple", "dog", "of"), ("couple",), ("dog",)}


def test_lots_after_a_preposition_takes_it_as_its_mark() -> None:
    found = tuples(
        "room with lots of chairs",
        "NN IN NNS IN NNS",
        "room with lot of chair",
        "root(0,1) case(3,2) nmod:with(1,3) case(5,4) nmod:of(3,5)",
    )
    assert found == {("room", "chair", "with"), ("chair", "with"), ("room",), ("chair",), ("lot",)}


def test_one_of_many_is_no_quantifier() -> None:
    found = tuples(
        "one of many bikes", "CD IN JJ NNS", "one of many bike", "root(0,1) case(4,2) amod(4,3) nmod:of(1,4)"
    )
    assert found == {("bike", "many"), ("bike",)}
