"""Word features, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from captious.metrics.captious_metric.words import WORD_FEATURES, WordTable, make_table, word_features

# Every word is equally rare, every pair of words unknown: overlaps are plain counts.
PLAIN = WordTable({}, np.zeros(16))


def features(candidate: str, *references: str, table: WordTable = PLAIN) -> dict[str, float]:
    own, *others = (table.say(text.split()) for text in (candidate, *references))
    return dict(zip(WORD_FEATURES, word_features(own, others), strict=True))


def test_shares_of_words_and_pairs() -> None:
    found = features("a red bus drives", "a blue bus drives", "a bus in town")
    assert found["support"] == pytest.approx(3 / 4)  # all but red
    # "bus drives" of the pairs a-red, red-bus, bus-drives: 1 of sqrt(3 * 3); none in the second reference
    assert found["pairs"] == pytest.approx((1 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("candidate", "reference", "kind", "expected"),
    [
        ("a red bus", "a blue bus", "colour", 1.0),
        ("a red bus", "a bus", "colour", 0.5),  # the reference names no colour
        ("a blue bus", "a blue bus", "colour", 0.0),
        ("three dogs", "two dogs", "number", 1.0),
        ("a girl runs", "a man runs", "gender", 1.0),
        ("a boy runs", "a man runs", "gender", 0.0),  # both male
    ],
)
def test_contradictions(candidate: str, reference: str, kind: str, expected: float) -> None:
    assert features(candidate, reference)[kind] == expected


def test_forms_of_a_word_match() -> None:
    assert features("dogs running", "dog runs")["pairs"] == pytest.approx(1)


def test_a_pair_said_twice_counts_once_where_the_reference_says_it_once() -> None:
    # dog-dog twice against once, clipped: (1 * 1) / (2 * 1)
    assert features("dog dog dog", "dog dog")["pairs"] == pytest.approx(0.5)


def test_rare_words_weigh_more() -> None:
    table = make_table([[["a", "dog"]], [["a", "zebra"]], [["a", "dog"]]])
    assert table.rarity["a"] == 0 < table.rarity["dog"] < table.rarity["zebra"] < 1
    assert features("a zebra", "a dog", table=table)["support"] == 0  # the shared "a" weighs nothing


def test_equally_frequent_words_stand_in_the_same_order_in_every_process() -> None:
    words = [f"w{number}x" for number in range(60)]  # a set of so many has another order in every process
    assert list(make_table([[words]], words=40).rarity) == sorted(words)[:40]


def test_frequent_pairs_weigh_less() -> None:
    table = make_table([[["a", "dog", "runs"]] * 7])
    assert table.weight(("a", "dog")) == pytest.approx(1 - 3 / 16)  # log2(1 + 7) = 3
    assert table.weight(("dog", "barks")) == 1


def test_no_words_at_all() -> None:
    assert set(features("", "a dog").values()) == {0.0}
    assert set(features("a dog", "").values()) <= {0.0, 0.5}
