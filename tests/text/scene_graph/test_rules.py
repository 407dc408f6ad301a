from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.parse import Parse
from captious.text.scene_graph import graph_tuples, read_graph, scene_tuples
from captious.text.scene_graph.rules import antecedents


def parsed(text: str) -> Parse:
    """Parse written as `word/TAG/lemma/head/label ...`."""
    rows = [token.split("/") for token in text.split()]
    words, tags, lemmas, heads, labels = zip(*rows, strict=True)
    return Parse(words, tags, lemmas, tuple(map(int, heads)), labels)


def test_a_verb_relates_its_subject_to_object_and_prepositional_phrase() -> None:
    parse = parsed(
        "man/NN/man/2/nsubj rides/VBZ/ride/0/root horse/NN/horse/2/dobj on/IN/on/5/case beach/NN/beach/2/nmod"
    )
    assert set(scene_tuples(parse)) == {
        ("man", "horse", "ride"),
        ("man", "beach", "ride on"),
        ("man",),
        ("horse",),
        ("beach",),
    }


def test_a_verb_alone_is_an_attribute_of_its_subject() -> None:
    assert ("dog", "run") in scene_tuples(parsed("dog/NN/dog/2/nsubj runs/VBZ/run/0/root"))


def test_particles_belong_to_the_verb() -> None:
    parse = parsed("dog/NN/dog/2/nsubj jumps/VBZ/jump/0/root off/RP/off/2/compound:prt wall/NN/wall/2/dobj")
    assert ("dog", "wall", "jump off") in scene_tuples(parse)


def test_a_copula_with_a_preposition_is_that_preposition() -> None:
    parse = parsed("cat/NN/cat/4/nsubj is/VBZ/be/4/cop on/IN/on/4/case mat/NN/mat/0/root")
    assert set(scene_tuples(parse)) == {("cat", "mat", "on"), ("cat",), ("mat",)}


def test_a_predicate_adjective_is_an_attribute() -> None:
    parse = parsed("sky/NN/sky/3/nsubj is/VBZ/be/3/cop blue/JJ/blue/0/root")
    assert set(scene_tuples(parse)) == {("sky", "blue"), ("sky",)}


def test_the_agent_of_a_passive_is_its_subject() -> None:
    parse = parsed(
        "child/NN/child/3/nsubjpass is/VBZ/be/3/auxpass held/VBN/hold/0/root "
        "by/IN/by/5/case man/NN/man/3/nmod"
    )
    assert ("man", "child", "hold") in scene_tuples(parse)


def test_a_participle_takes_the_noun_it_modifies_as_subject() -> None:
    parse = parsed("man/NN/man/0/root wearing/VBG/wear/1/acl hat/NN/hat/2/dobj")
    assert ("man", "hat", "wear") in scene_tuples(parse)


def test_possessives_and_their_pronouns_are_had() -> None:
    parse = parsed("dog/NN/dog/2/nsubj wags/VBZ/wag/0/root its/PRP$/its/4/nmod:poss tail/NN/tail/2/dobj")
    assert ("dog", "tail", "have") in scene_tuples(parse)


def test_parts_of_a_compound_are_no_objects_of_their_own() -> None:
    parse = parsed("stop/NN/stop/2/compound sign/NN/sign/0/root")
    assert scene_tuples(parse) == [("sign", "stop")]


@pytest.mark.parametrize(("noun", "attribute"), [("dogs/NNS/dog", [("dog", "two")]), ("sheep/NN/sheep", [])])
def test_numbers_count_plural_nouns_only(noun: str, attribute: list[tuple[str, str]]) -> None:
    tuples = scene_tuples(parsed(f"two/CD/two/2/nummod {noun}/0/root"))
    assert [parts for parts in tuples if len(parts) == 2] == attribute


def test_conjuncts_share_their_preposition_and_their_adjectives_noun() -> None:
    parse = parsed(
        "room/NN/room/0/root with/IN/with/3/case bed/NN/bed/1/nmod and/CC/and/3/cc "
        "red/JJ/red/8/amod and/CC/and/5/cc blue/JJ/blue/5/conj chair/NN/chair/3/conj"
    )
    assert {("room", "bed", "with"), ("room", "chair", "with"), ("chair", "red"), ("chair", "blue")} <= set(
        scene_tuples(parse)
    )


def test_a_caption_without_words_or_nouns_has_no_tuples() -> None:
    assert scene_tuples(Parse((), (), (), (), ())) == []
    assert scene_tuples(parsed("very/RB/very/2/advmod far/RB/far/0/root")) == []


def test_graphs_of_other_parsers_are_read_with_their_copies() -> None:
    # "leaps over cars and into air": the reference parser copies the verb.
    graph = read_graph(
        ["dog", "leaps", "over", "cars", "and", "into", "air"],
        ["NN", "VBZ", "IN", "NNS", "CC", "IN", "NN"],
        ["dog", "leap", "over", "car", "and", "into", "air"],
        "root(0,2) nsubj(2,1) nsubj(2'1,1) case(4,3) nmod:over(2,4) cc(2,5) conj:and(2,2'1) "
        "case(7,6) nmod:into(2'1,7)",
    )
    assert set(graph_tuples(graph)) >= {("dog", "car", "leap over"), ("dog", "air", "leap into")}


def test_each_tuple_comes_once() -> None:
    parse = parsed("dog/NN/dog/0/root and/CC/and/1/cc dog/NN/dog/1/conj")
    assert scene_tuples(parse) == [("dog",)]


_WORDS = ["a", "couple", "of", "lots", "one", "next", "to", "in", "front", "man", "its", "and", "by"]
_TAGS = ["NN", "NNS", "VBZ", "VBN", "JJ", "IN", "PRP", "PRP$", "DT", "CC", ""]
_LABELS = [
    "nmod",
    "case",
    "nsubj",
    "nsubjpass",
    "conj",
    "cc",
    "amod",
    "compound",
    "dobj",
    "acl",
    "auxpass",
    "cop",
    "mark",
    "nmod:poss",
    "nummod",
    "mwe",
    "advmod",
    "det",
]


@given(st.integers(0, 9), st.randoms())
def test_any_tree_has_tuples_of_one_to_three_words(size: int, random: Random) -> None:
    words, tags, labels = (tuple(random.choices(choices, k=size)) for choices in (_WORDS, _TAGS, _LABELS))
    order = random.sample(range(1, size + 1), size)
    heads = [0] * size
    for place, word in enumerate(order):
        heads[word - 1] = random.choice(order[:place]) if place else 0
    tuples = scene_tuples(Parse(words, tags, words, tuple(heads), labels))
    assert len(tuples) == len(set(tuples))
    assert all(1 <= len(parts) <= 3 for parts in tuples)


def test_a_singular_pronoun_skips_plural_nouns() -> None:
    # boys(1) look(2) at camera(3) as one sticks out his(4) tongue(5)
    words, tags = ["boys", "look", "camera", "his", "tongue"], ["NNS", "VBP", "NN", "PRP$", "NN"]
    assert antecedents(words, tags, [[2], [], [1, 3, 5], [], [], [4]]) == {4: 3}


def test_a_plural_pronoun_takes_any_noun() -> None:
    words, tags = ["person", "walks", "their", "dog"], ["NN", "VBZ", "PRP$", "NN"]
    assert antecedents(words, tags, [[2], [], [1, 4], [], [3]]) == {3: 1}


def test_a_noun_after_the_pronoun_is_not_meant() -> None:
    # The root is searched first, and "desk" stands after "it".
    words, tags = ["laptop", "it", "desk"], ["NN", "PRP", "NN"]
    assert antecedents(words, tags, [[3], [2], [], [1]]) == {}


def test_cycles_end() -> None:
    assert antecedents(["it", "is"], ["PRP", "VBZ"], [[2], [2], [1]]) == {}
