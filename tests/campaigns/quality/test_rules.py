"""Each rule sees what it should and nothing else, and says so in one sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.campaigns.quality.rules import (
    at_least,
    attention_rule,
    consensus_rule,
    copied_rule,
    correlation,
    gold_rule,
    longest_run,
    one_value_rule,
    run_rule,
    time_rule,
    upper_bound,
)


def test_one_failed_check_is_enough():
    assert attention_rule([], 5) is None
    found = attention_rule(["c1"], 0)
    assert found is not None
    assert found.explanation == ("Preferred the caption of another image in 1 of 1 attention check.")
    assert found.evidence == {"failed": 1, "checks": 1, "items": ["c1"]}


def test_too_fast_answers_are_counted_against_the_minimum():
    # 2 of 10 under 2 s is 20%, above the tenth that is let pass; the median of the ten is 8.5.
    seconds = [0.5, 1.9, 5, 6, 8, 9, 10, 11, 12, 13]
    found = time_rule(seconds, 2.0)
    assert found is not None
    assert found.explanation == ("2 of 10 answers (20%) took less than 2 seconds; the median is 8.5 seconds.")
    assert time_rule(seconds[1:], 1.5) is None
    assert time_rule([0.1] * 4, 2.0) is None  # four answers show nothing yet
    assert time_rule([0.1] * 10, 0.0) is None  # no minimum, no rule


def test_exactly_a_tenth_too_fast_is_let_pass():
    assert time_rule([1.0] + [9.0] * 9, 2.0) is None
    assert time_rule([1.0] * 2 + [9.0] * 17, 2.0) is not None  # 2 of 19 is 10.5%


@given(st.lists(st.integers(0, 2), max_size=30))
def test_the_longest_run_is_there_and_no_longer_one_is(answers):
    value, run = longest_run(answers)
    text = "".join(map(str, answers))
    if not answers:
        assert (value, run) == (None, 0)
    else:
        assert str(value) * run in text
        assert not any(str(other) * (run + 1) in text for other in (0, 1, 2))


def test_a_run_counts_only_where_others_would_not_have_given_it():
    answers = [3, 1] + [5] * 12
    assert run_rule(answers, 13) is None  # twelve is not thirteen
    # Others give it 40% of the time: chance at most 3 * 0.4^12 = 5.0e-5, below 1 in 1000.
    found = run_rule(answers, 12, {5: 0.4, 3: 0.6})
    assert found is not None
    assert found.evidence["chance"] == pytest.approx(3 * 0.4**12)
    # Nearly every caption deserves it: 3 * 0.9^12 = 0.85.
    assert run_rule(answers, 12, {5: 0.9}) is None
    alone = run_rule(answers, 12)
    assert alone is not None
    assert "No other rater" in alone.explanation


def test_one_value_is_held_against_what_others_say_of_the_same_captions():
    # 19 of 20 the same; others give it half of the time. P(X >= 19) with n=20, p=1/2 is
    # (20 + 1) / 2^20 = 2.0e-5.
    others = [{"x": 1, "y": 1}] * 20
    found = one_value_rule(["x"] * 19 + ["y"], others)
    assert found is not None
    assert found.evidence["chance"] == pytest.approx(21 / 2**20)
    assert one_value_rule(["x"] * 17 + ["y"] * 3, others) is None  # 85% is not nearly all
    assert one_value_rule(["x"] * 20, [{"x": 19, "y": 1}] * 20) is None  # 0.95^20 = 0.36
    assert one_value_rule(["x"] * 19, others[:19]) is None  # too few
    assert one_value_rule(["x"] * 20, [{}] * 20) is None  # nobody to compare with


@given(st.integers(0, 12), st.integers(1, 12), st.floats(0.01, 0.99))
def test_the_chance_is_the_binomial_tail(times, n, share):
    by_hand = sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(times, n + 1))
    assert at_least(times, n, share) == pytest.approx(by_hand, abs=1e-12)


def test_gold_needs_seven_of_ten_right():
    assert gold_rule({"a": False, "b": False}) is None  # two show nothing yet
    assert gold_rule({str(k): k < 7 for k in range(10)}) is None
    found = gold_rule({str(k): k < 6 for k in range(10)})
    assert found is not None
    assert found.explanation.startswith("Answered 6 of 10 items with known answers")
    assert found.evidence["wrong"] == ["6", "7", "8", "9"]


def test_the_upper_bound_is_fishers():
    # z = atanh(0.5) = 0.5493, standard error 1 / sqrt(100) = 0.1; tanh(0.5493 + 0.196) = 0.6323
    assert upper_bound(0.5, 103) == pytest.approx(0.6323, abs=1e-4)
    assert math.isnan(upper_bound(math.nan, 103))


def test_consensus_asks_for_the_floor_or_half_of_the_better():
    assert consensus_rule(0.5, 100, floor=0.4) is None
    assert consensus_rule(0.1, 19, floor=0.9) is None  # too few answers in common
    assert consensus_rule(math.nan, 100, floor=0.4) is None
    # r = 0: upper end tanh(1.96 / sqrt(97)) = 0.196, below 0.4 and below half of 0.6
    assert consensus_rule(0.0, 100, floor=0.4) is not None
    automatic = consensus_rule(0.0, 100, floor=None, better=0.6)
    assert automatic is not None
    assert "half of what the better raters reach here (0.60)" in automatic.explanation
    assert consensus_rule(0.0, 100, floor=None, better=0.3) is None  # 0.196 reaches 0.15
    assert consensus_rule(0.0, 100, floor=None) is None


def test_correlation_of_a_constant_is_undefined():
    assert math.isnan(correlation(np.ones(5), np.arange(5.0)))
    assert correlation(np.arange(5.0), np.arange(5.0) * 2) == pytest.approx(1.0)


def test_two_raters_with_the_same_answers_are_found():
    # 0.7^40 = 6e-7, for any of 3 pairs 2e-6.
    found = copied_rule({"r2": (40, 40), "r3": (28, 40)}, 0.7, 3)
    assert found is not None
    assert found.explanation == (
        "Gave the same answer as r2 to 40 of 40 captions; two raters here usually agree on 70%."
    )


def test_good_raters_who_agree_are_not():
    # 0.8^20 = 0.012 is no proof; 36 of 40 is agreement, not a copy; 19 captions are too few.
    assert copied_rule({"r2": (20, 20)}, 0.8, 1) is None
    assert copied_rule({"r2": (36, 40)}, 0.2, 1) is None
    assert copied_rule({"r2": (19, 19)}, 0.1, 1) is None
    assert copied_rule({}, math.nan, 0) is None
