from __future__ import annotations

import math

import numpy as np
import pytest

from captious.stats.poisson import poisson_sums, poisson_weights, text_hashes


def test_weights_are_poisson_with_mean_one_and_independent() -> None:
    weights = poisson_weights(text_hashes([str(i) for i in range(4000)])[:, 0], 250, seed=7)
    n = weights.size
    for k in range(6):
        share = math.exp(-1) / math.factorial(k)
        # Four standard errors of a share of n draws.
        assert np.mean(weights == k) == pytest.approx(share, abs=4 * math.sqrt(share / n) + 5e-5)
    # Neighbouring resamples of one image, and neighbouring images in one resample, are uncorrelated:
    # a correlation of n independent pairs has a standard error of 1 / sqrt(n).
    for a, b in ((weights[:, :-1], weights[:, 1:]), (weights[:-1], weights[1:])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4 / math.sqrt(n)


def test_parts_add_up_to_the_whole_in_any_order() -> None:
    hashes = text_hashes([f"image {i}" for i in range(50)])[:, 0]
    counts = np.arange(100.0).reshape(50, 2)  # whole numbers: sums are exact
    whole = poisson_sums(hashes, counts, 30, seed=1)
    some = poisson_sums(hashes[:0], counts[:0], 30, seed=1)
    rest = sum(poisson_sums(hashes[i : i + 1], counts[i : i + 1], 30, seed=1) for i in range(50))
    assert np.array_equal(whole, rest) and not some.any()


def test_an_image_has_one_weight_wherever_it_stands_and_another_by_another_seed() -> None:
    hashes = text_hashes(["a", "b", "a"])[:, 0]
    weights = poisson_weights(hashes, 40, seed=1)
    assert np.array_equal(weights[0], weights[2]) and not np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights, poisson_weights(hashes, 40, seed=2))
