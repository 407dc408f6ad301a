from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats import acc_eq, accuracy_of_counts, count_pairs, pairwise_accuracy, preference_accuracy

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), max_size=30)


def kinds_by_loop(x, y):
    agree = disagree = metric_tie = human_tie = both = 0
    for i, j in combinations(range(len(x)), 2):
        dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        agree += dx * dy > 0
        disagree += dx * dy < 0
        metric_tie += dx == 0 and dy != 0
        human_tie += dx != 0 and dy == 0
        both += dx == 0 and dy == 0
    return (agree, disagree, metric_tie, human_tie, both)


def test_tie_rules_by_hand():
    # metric 1 1 2 3, human 1 2 2 1. Pairs: 01 metric tie, 02 agree, 03 human tie,
    # 12 human tie, 13 disagree, 23 disagree.
    metric, human = [1, 1, 2, 3], [1, 2, 2, 1]
    kinds = count_pairs(metric, human)
    assert tuple(kinds) == (1, 2, 1, 2, 0)
    assert tuple(accuracy_of_counts(kinds, metric_ties="wrong")) == (1 / 4, 4, 2)
    assert tuple(accuracy_of_counts(kinds, metric_ties="half")) == (1.5 / 4, 4, 2)
    assert tuple(acc_eq(metric, human)) == (1 / 6, 6, 0)
    half = pairwise_accuracy(metric, human, metric_ties="half", human_ties="score")
    assert half.value == 1.5 / 6


def test_groups_pool_pairs_or_average_groups():
    # Image a: 3 pairs, 2 right. Image b: 1 pair, wrong. Image c: one caption, no pair.
    metric, human = [1, 2, 3, 5, 4, 9], [1, 3, 2, 1, 2, 9]
    image = ["a", "a", "a", "b", "b", "c"]
    assert pairwise_accuracy(metric, human, groups=image).value == 2 / 4
    by_image = pairwise_accuracy(metric, human, groups=image, average="groups")
    assert by_image.value == pytest.approx((2 / 3 + 0) / 2)
    assert by_image.pairs == 4


@settings(max_examples=40, deadline=None)
@given(rows)
def test_pooled_groups_count_only_pairs_within(case):
    x, y, g = (np.array([row[k] for row in case], dtype=float) for k in range(3))
    expected = np.zeros(5)
    for group in set(g):
        expected += kinds_by_loop(x[g == group], y[g == group])
    right, total = expected[0] + expected[4], expected.sum()
    found = acc_eq(x, y, groups=g)
    assert found.pairs == total
    assert np.isnan(found.value) if total == 0 else found.value == pytest.approx(right / total)


def test_preferences_of_pairs():
    a, b = [0.9, 0.2, 0.5, 0.5, 0.1], [0.1, 0.8, 0.5, 0.5, 0.3]
    preferred = [1, 1, -1, 1, 0]
    # right, wrong, tie, tie, dropped
    assert tuple(preference_accuracy(a, b, preferred, metric_ties="wrong")) == (1 / 4, 4, 1)
    assert preference_accuracy(a, b, preferred).value == 2 / 4
    flips = {preference_accuracy(a, b, preferred, metric_ties="random", seed=s).value for s in range(40)}
    assert flips == {1 / 4, 2 / 4, 3 / 4}
    again = [preference_accuracy(a, b, preferred, metric_ties="random", seed=7) for _ in range(2)]
    assert again[0] == again[1]


def test_preferences_agree_with_all_pairs():
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 9, 40).astype(float), rng.integers(0, 4, 40).astype(float)
    i, j = np.triu_indices(40, 1)
    for rule in ("wrong", "half"):
        direct = preference_accuracy(x[i], x[j], y[i] - y[j], metric_ties=rule)
        assert direct == pairwise_accuracy(x, y, metric_ties=rule)


def test_pascal_pairs_by_shared_words(data):
    groups = json.loads((data / "pascal50s" / "pascal_50s.json").read_text())
    assert {name: len(pairs) for name, pairs in groups.items()} == {
        "HC": 1000,
        "HI": 1000,
        "HM": 1000,
        "MM": 1000,
    }
    for name, pairs in groups.items():
        scores, right = [], 0.0
        for pair in pairs:
            known = {word for text in pair["references"] for word in text.lower().split()}
            shared = [len(known & set(text.lower().split())) for text in pair["captions"]]
            scores.append(shared)
            chosen, other = shared[pair["label"]], shared[1 - pair["label"]]
            right += 1.0 if chosen > other else 0.5 if chosen == other else 0.0
        first, second = np.array(scores).T
        preferred = [1 - 2 * pair["label"] for pair in pairs]
        found = preference_accuracy(first, second, preferred)
        assert found.value == right / 1000
        if name == "HI":  # another image's caption shares few words with the references
            assert found.value > 0.85


def test_bad_rules_are_refused():
    with pytest.raises(StatisticsError, match='metric_ties: unknown "zero"'):
        pairwise_accuracy([1, 1], [1, 2], metric_ties="zero")
    with pytest.raises(StatisticsError, match="needs single pairs, not counts"):
        pairwise_accuracy([1, 1], [1, 2], metric_ties="random")
    with pytest.raises(StatisticsError, match='human_ties: unknown "keep"'):
        pairwise_accuracy([1, 1], [1, 2], human_ties="keep")
    with pytest.raises(StatisticsError, match='average: unknown "images"'):
        pairwise_accuracy([1, 1], [1, 2], average="images")
    with pytest.raises(StatisticsError, match="1 of 2 values are NaN"):
        preference_accuracy([1, np.nan], [1, 2], [1, 1])
