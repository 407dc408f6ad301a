from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats.resample import generator
from captious.stats.significance import (
    approximate_randomisation,
    centred_p_value,
    paired_bootstrap,
    randomisation_p_value,
    swap_masks,
    swap_sums,
    win_tie_loss,
)


def mean_of(sums):
    return sums[..., 0] / sums[..., 1]


def with_counts(values):
    return np.column_stack([values, np.ones(len(values))])


@pytest.fixture(scope="module")
def thumb_bleu(data):
    """sacreBLEU's sufficient statistics of two close systems, and its score of their sums."""
    sacrebleu = pytest.importorskip("sacrebleu")
    folder = data / "thumb"
    references = {
        row["seg_id"]: row["refs"]
        for row in map(json.loads, (folder / "mscoco_references.jsonl").read_text().splitlines())
    }
    captions: dict[str, dict[str, str]] = {}
    for row in map(json.loads, (folder / "mscoco_THumB-1.0.jsonl").read_text().splitlines()):
        captions.setdefault(row["SYS"], {})[row["seg_id"]] = row["hyp"]
    streams = [list(column) for column in zip(*references.values(), strict=True)]
    metric = sacrebleu.BLEU(references=streams)
    systems = {
        name: [captions[name][image] for image in references] for name in ("VinVL-large", "VinVL-base")
    }
    statistics = {
        name: np.array(metric._extract_corpus_statistics(texts, None), dtype=float)
        for name, texts in systems.items()
    }

    def score(sums):
        flat = sums.reshape(-1, sums.shape[-1])
        scores = [metric._compute_score_from_stats(row.tolist()).score for row in flat]
        return np.array(scores).reshape(sums.shape[:-1])

    return metric, systems, statistics, score


@pytest.mark.parametrize("test_type", ["bs", "ar"])
def test_p_value_agrees_with_sacrebleu(thumb_bleu, test_type):
    from sacrebleu.significance import PairedTest

    metric, systems, statistics, score = thumb_bleu
    draws = 2000
    theirs = PairedTest(
        list(systems.items()), {"BLEU": metric}, references=None, test_type=test_type, n_samples=draws
    )()[1]["BLEU"][1]
    a, b = statistics["VinVL-base"], statistics["VinVL-large"]
    if test_type == "bs":
        ours = paired_bootstrap(a, b, score, draws, seed=1, tail="sacrebleu")
    else:
        ours = approximate_randomisation(a, b, score, draws, seed=1)
    assert ours.score_a == pytest.approx(theirs.score, abs=1e-9)
    # Two Monte Carlo p-values of 2,000 draws each: 4 standard errors of their difference.
    error = 4 * np.sqrt(2 * theirs.p_value * (1 - theirs.p_value) / draws)
    assert 0.01 < theirs.p_value < 0.9
    assert ours.p_value == pytest.approx(theirs.p_value, abs=error)


def test_sacrebleu_tail_is_about_half_of_the_two_sided(thumb_bleu):
    _, _, statistics, score = thumb_bleu
    a, b = statistics["VinVL-base"], statistics["VinVL-large"]
    both = paired_bootstrap(a, b, score, 2000, seed=1)
    one = paired_bootstrap(a, b, score, 2000, seed=1, tail="sacrebleu")
    assert one.p_value < both.p_value
    assert (one.difference, one.low, one.high) == (both.difference, both.low, both.high)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_randomisation_approaches_all_swaps(gains):
    a = np.zeros(len(gains))
    b = np.array(gains, dtype=float)
    observed = abs(b.sum())
    swaps = [abs(np.dot(signs, b)) for signs in product([-1, 1], repeat=len(gains))]
    exact = np.mean([value >= observed - 1e-12 for value in swaps])
    test = approximate_randomisation(a, b, lambda sums: sums[..., 0], trials=4000, seed=2)
    assert test.p_value == pytest.approx(exact, abs=0.04)


def test_randomisation_agrees_with_the_exact_sign_test():
    # 12 images, a wins 10 and loses 2 by the same amount. Two-sided sign test:
    # 2 * (C(12,0) + C(12,1) + C(12,2)) / 2^12 = 158 / 4096.
    a = np.array([1.0] * 10 + [0.0] * 2)
    test = approximate_randomisation(with_counts(a), with_counts(1 - a), mean_of, trials=40_000, seed=1)
    assert test.p_value == pytest.approx(158 / 4096, abs=0.004)


def test_bootstrap_of_means_agrees_with_the_normal_test():
    rng = np.random.default_rng(11)
    difference = rng.normal(size=400)
    difference += 0.08 - difference.mean()  # 1.6 standard errors
    base = rng.normal(size=400)
    test = paired_bootstrap(
        with_counts(base + difference), with_counts(base), mean_of, resamples=10_000, seed=3
    )
    from scipy.stats import norm

    z = difference.mean() / (difference.std() / np.sqrt(400))
    expected = 2 * norm.sf(abs(z))
    assert 0.05 < expected < 0.2
    assert test.p_value == pytest.approx(expected, abs=0.015)
    assert test.difference == pytest.approx(difference.mean())
    assert test.low < test.difference < test.high


def test_null_p_values_are_uniform_enough():
    rng = np.random.default_rng(0)
    p_bootstrap, p_swap = [], []
    for seed in range(300):
        a, b = rng.normal(size=(2, 60))
        a, b = with_counts(a), with_counts(b)
        p_bootstrap.append(paired_bootstrap(a, b, mean_of, 200, seed).p_value)
        p_swap.append(approximate_randomisation(a, b, mean_of, 200, seed).p_value)
    for p in (np.array(p_bootstrap), np.array(p_swap)):
        # binomial(300, 0.1) / 300 has standard error 0.017
        assert np.mean(p <= 0.1) == pytest.approx(0.1, abs=0.055)
        assert p.mean() == pytest.approx(0.5, abs=0.07)


def test_a_system_against_itself_is_never_significant():
    values = with_counts(np.random.default_rng(1).normal(size=30))
    assert paired_bootstrap(values, values, mean_of, 100).p_value == 1.0
    assert approximate_randomisation(values, values, mean_of, 100).p_value == 1.0


def test_swapping_the_systems_changes_only_the_sign():
    a, b = (with_counts(v) for v in np.random.default_rng(4).normal(size=(2, 50)))
    one, other = paired_bootstrap(a, b, mean_of, 500, 1), paired_bootstrap(b, a, mean_of, 500, 1)
    assert one.difference == -other.difference
    assert one.p_value == other.p_value
    assert one.low == pytest.approx(-other.high)


def test_swaps_do_not_depend_on_how_trials_are_split():
    rng = generator(5)
    split = np.concatenate([swap_masks(19, 3, rng), swap_masks(19, 4, rng)])
    assert (split == swap_masks(19, 7, generator(5))).all()
    assert swap_masks(50, 4000, generator(1)).mean() == pytest.approx(0.5, abs=0.01)


def test_swap_sums_are_sums_over_the_swapped_rows():
    gain = np.arange(12.0).reshape(6, 2)
    masks = swap_masks(6, 9, generator(2)).astype(bool)
    expected = [gain[mask].sum(axis=0) for mask in masks]
    assert (swap_sums(gain, 9, seed=2) == expected).all()


def test_p_values_of_undefined_differences():
    assert np.isnan(centred_p_value([0.1], float("nan")))
    assert np.isnan(randomisation_p_value([0.1], float("nan")))
    assert centred_p_value([1.0, np.nan, 1.0, 1.0], 1.0) == 0.25  # three draws count


def test_win_tie_loss_counts_and_ties_within_rounding():
    assert win_tie_loss([0.1 + 0.2, 1, 0, 5], [0.3, 0, 1, 4]) == (2, 1, 1)


def test_bad_input_is_refused():
    with pytest.raises(StatisticsError, match="Give both systems the same images"):
        paired_bootstrap([1.0, 2.0], [1.0], mean_of)
    with pytest.raises(StatisticsError, match="at least one image"):
        approximate_randomisation(np.zeros((0, 2)), np.zeros((0, 2)), mean_of)
    with pytest.raises(StatisticsError, match="stats_b: 1 of 2 rows contain NaN"):
        paired_bootstrap([1.0, 2.0], [1.0, np.nan], mean_of)
    with pytest.raises(StatisticsError, match='tail: unknown "left"'):
        centred_p_value([1.0], 1.0, tail="left")
