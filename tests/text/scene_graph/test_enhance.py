from __future__ import annotations

from captious.text.parse import Parse
from captious.text.scene_graph import enhance


def edges(text: str) -> set[str]:
    rows = [token.split("/") for token in text.split()]
    words, tags, heads, labels = zip(*rows, strict=True)
    graph = enhance(Parse(words, tags, words, tuple(map(int, heads)), labels))
    return {f"{label}({head},{dependent})" for label, head, dependent in graph.edges}


def test_prepositions_of_three_words_become_one_label() -> None:
    # As CoreNLP 3.6.0 prints it for "bus in front of house".
    found = edges("bus/NN/0/root in/IN/3/case front/NN/1/nmod of/IN/5/case house/NN/3/nmod")
    assert found == {"root(0,1)", "nmod:in_front_of(1,5)", "case(5,2)", "mwe(2,3)", "mwe(2,4)"}


def test_prepositions_of_two_words_below_and_beside_the_noun() -> None:
    below = edges("dog/NN/0/root next/JJ/1/advmod to/TO/4/case cat/NN/2/nmod")
    beside = edges("dog/NN/0/root next/JJ/4/case to/TO/4/case cat/NN/1/nmod")
    assert below == beside == {"root(0,1)", "nmod:next_to(1,4)", "case(4,2)", "mwe(2,3)"}


def test_by_after_a_passive_is_the_agent() -> None:
    passive = "man/NN/3/nsubjpass is/VBZ/3/auxpass seen/VBN/0/root by/IN/5/case dog/NN/3/nmod"
    active = "man/NN/2/nsubj stands/VBZ/0/root by/IN/4/case dog/NN/2/nmod"
    assert "nmod:agent(3,5)" in edges(passive)
    assert "nmod:by(2,4)" in edges(active)


def test_conjoined_verbs_share_their_subject() -> None:
    found = edges("man/NN/2/nsubj sits/VBZ/0/root and/CC/2/cc eats/VBZ/2/conj")
    assert found == {"nsubj(2,1)", "root(0,2)", "cc(2,3)", "conj:and(2,4)", "nsubj(4,1)"}


def test_chained_conjuncts_hang_from_the_first_too() -> None:
    found = edges("a/NN/0/root and/CC/1/cc b/NN/1/conj and/CC/3/cc c/NN/3/conj")
    assert {"conj:and(1,3)", "conj:and(3,5)", "conj:and(1,5)"} <= found


def test_conjoined_prepositions_copy_the_verb() -> None:
    found = edges(
        "dog/NN/2/nsubj runs/VBZ/0/root over/IN/4/case grass/NN/2/nmod and/CC/4/cc "
        "into/IN/7/case water/NN/4/conj"
    )
    # Word 8 is the copy of "runs".
    assert {"nmod:over(2,4)", "nmod:into(8,7)", "conj:and(2,8)", "nsubj(8,1)"} <= found


def test_empty_parse() -> None:
    assert enhance(Parse((), (), (), (), ())).edges == []
