from __future__ import annotations

from dataclasses import replace

from reference.agreement import Agreement, compare_parses, parser_agreement
from reference.golden import GoldenParse

from captious.text.parse import Parse
from captious.text.parser import caption_parser

TREE = Parse(
    ("a", "dog", "runs"), ("DT", "NN", "VBZ"), ("a", "dog", "run"), (2, 3, 0), ("det", "nsubj", "root")
)
GOLDEN = GoldenParse("a dog runs", "mine", TREE, [("dog",), ("dog", "run")])


def test_the_same_parse_agrees_in_everything() -> None:
    found = compare_parses(GOLDEN, TREE)
    assert found == Agreement(1, 3, 3, 3, 3, 1, 2, 4, 1)
    assert (found.tags, found.uas, found.las, found.tuple_f1) == (1, 1, 1, 1)


def test_a_wrong_tag_and_a_wrong_relation_are_counted_apart() -> None:
    # "runs" as a noun with "dog" as its compound: one tag and one relation are wrong of three, all
    # heads are right; the tuples are (runs, dog) and (runs) against (dog) and (dog, run).
    other = replace(TREE, tags=("DT", "NN", "NNS"), labels=("det", "compound", "root"))
    found = compare_parses(GOLDEN, replace(other, lemmas=("a", "dog", "run")))
    assert (found.right_tags, found.right_heads, found.right_arcs) == (2, 3, 2)
    assert (found.exact_trees, found.exact_tuples, found.shared_tuples) == (0, 0, 0)


def test_a_wrong_head_is_no_right_arc() -> None:
    found = compare_parses(GOLDEN, replace(TREE, heads=(3, 3, 0)))
    assert (found.right_heads, found.right_arcs) == (2, 2)


def test_our_parser_by_set_and_in_all() -> None:
    other = GOLDEN._replace(source="other", tuples=[])
    found = parser_agreement(caption_parser(), [GOLDEN, GOLDEN, other])
    assert found["all"] == found["mine"].plus(found["other"])
    assert (found["mine"].captions, found["other"].captions) == (2, 1)
    assert found["mine"].las == 1
