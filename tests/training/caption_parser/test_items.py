from __future__ import annotations

import pytest
from reference.golden import read_items
from reference.items import SETS, Captions, counts_from_tuples

from captious.corpus import Corpus
from captious.metrics.spice import Counts

CORPUS = Corpus.from_lists(
    ["A red bus.", "A dog.", "A bus!"], [["a bus on a street", "the bus"], ["the bus"], ["the bus"]]
)
TUPLES = {
    "a red bus": [("bus", "red")],
    "a bus": [("bus",)],
    "the bus": [("bus",)],
    "a bus on a street": [("bus", "street", "on")],
}


def test_counts_by_hand() -> None:
    # The first: bus and bus-red of which bus matches; bus, street and bus-on-street are wanted.
    # The dog has no tuples here, so that its example has no counts.
    found = counts_from_tuples(Captions.of(CORPUS), TUPLES)
    assert found == {0: Counts(1, 1, 2), 2: Counts(1, 0, 0)}


def test_an_example_counts_only_if_all_its_captions_do() -> None:
    found = Captions.of(CORPUS).holds_for_all(lambda tokens: tokens != "a bus on a street")
    assert found.tolist() == [False, True, True]


@pytest.mark.parametrize("name", SETS)
def test_examples_have_the_ids_of_the_golden_items(name, data, golden) -> None:
    items = SETS[name](data)
    assert set(items.keys) == read_items(golden, name).keys()
    assert len(items.keys) == len(set(items.keys)) == len(items.corpus)
