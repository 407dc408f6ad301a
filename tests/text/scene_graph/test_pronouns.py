from __future__ import annotations

from captious.text.scene_graph.pronouns import antecedents


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
