from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.metrics.spice import Counts, explain_tuples, score_tuples

# No two of these share a synset, so that merging is the same in every order.
PLAIN = ["zebra", "kettle", "violin", "pizza", "glacier"]
# These do, in chains: the first and last of baby's synonyms share none.
ALIKE = ["infant", "baby", "child", "tv", "television", "bike", "bicycle", "motorcycle"]


def tuples_of(words: list[str]) -> st.SearchStrategy[list[tuple[str, ...]]]:
    word = st.sampled_from(words)
    relation = st.sampled_from(["on", "near", "eat"])
    one = st.one_of(st.tuples(word), st.tuples(word, word), st.tuples(word, word, relation))
    return st.lists(one, max_size=6)


def test_counts_by_hand() -> None:
    # Candidate graph: cat, mat, cat-on-mat, cat-black. References: cat, mat, dog, cat-on-mat.
    candidate = [("cat", "mat", "on"), ("cat", "black")]
    counts = score_tuples(candidate, [[("cat", "mat", "on")], [("dog",), ("cat",)]])
    assert counts == Counts(matched=3, invented=1, missed=1)
    assert (counts.precision, counts.recall, counts.f) == (0.75, 0.75, 0.75)


def test_a_relation_needs_all_three_parts() -> None:
    assert score_tuples([("cat", "mat", "on")], [[("cat", "mat", "under")]]).matched == 2
    assert score_tuples([("mat", "cat", "on")], [[("cat", "mat", "on")]]).matched == 2


@pytest.mark.parametrize(
    ("candidate", "references"), [([], [[]]), ([("cat",)], [[]]), ([], [[("cat",)]]), ([], [])]
)
def test_where_there_are_no_tuples_the_score_is_zero(
    candidate: list[tuple[str, ...]], references: list[list[tuple[str, ...]]]
) -> None:
    counts = score_tuples(candidate, references)
    assert (counts.f, counts.precision * counts.recall) == (0.0, 0.0)


@given(tuples_of(PLAIN + ALIKE))
def test_a_caption_is_all_of_itself(caption: list[tuple[str, ...]]) -> None:
    counts = score_tuples(caption, [caption])
    assert (counts.invented, counts.missed) == (0, 0)
    assert counts.f == (1.0 if caption else 0.0)


@given(tuples_of(PLAIN + ALIKE), st.lists(tuples_of(PLAIN + ALIKE), min_size=1), st.data())
def test_adding_a_true_tuple_never_lowers_recall(
    candidate: list[tuple[str, ...]], references: list[list[tuple[str, ...]]], data: st.DataObject
) -> None:
    true = [parts for reference in references for parts in reference]
    if true:
        more = [*candidate, data.draw(st.sampled_from(true))]
        assert score_tuples(more, references).recall >= score_tuples(candidate, references).recall


@given(tuples_of(PLAIN), st.lists(tuples_of(PLAIN), min_size=1), st.randoms())
def test_the_order_of_references_does_not_matter(
    candidate: list[tuple[str, ...]], references: list[list[tuple[str, ...]]], random: Random
) -> None:
    shuffled = random.sample(references, len(references))
    assert score_tuples(candidate, shuffled) == score_tuples(candidate, references)


@given(tuples_of(PLAIN + ALIKE), st.lists(tuples_of(PLAIN + ALIKE)))
def test_scores_stay_in_range_and_explanations_agree(
    candidate: list[tuple[str, ...]], references: list[list[tuple[str, ...]]]
) -> None:
    counts = score_tuples(candidate, references)
    told = explain_tuples(candidate, references)
    assert 0 <= counts.f <= 1 and told.counts == counts
    assert (len(told.matched), len(told.invented)) == (counts.matched, counts.invented)


def test_an_explanation_shows_synonyms_and_categories() -> None:
    told = explain_tuples([("tv", "red"), ("cat", "two")], [[("television", "red"), ("cat", "big")]])
    assert told.matched == [
        ((("tv",),), (("television",),)),
        ((("tv",), ("red",)), (("television",), ("red",))),
        ((("cat",),), (("cat",),)),
    ]
    assert told.invented == [(("cat",), ("two",))]
    assert told.missed == [(("cat",), ("big",))]
    assert told.categories == {
        "object": Counts(2, 0, 0),
        "relation": Counts(0, 0, 0),
        "attribute": Counts(1, 1, 1),
        "colour": Counts(1, 0, 0),
        "count": Counts(0, 1, 0),
        "size": Counts(0, 0, 1),
    }
