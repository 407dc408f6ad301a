"""The Poisson bootstrap: resamples in one pass, whose weights come from a hash of each cluster's name.

A cluster is drawn Binomial(n, 1/n) times in a resample of n; for large n that is Poisson(1), and the
draws of different clusters are then independent (Hanley & MacGibbon 2006; Chamandy et al. 2012, section
3). Nothing needs to be known of the other clusters: the weight of cluster c in resample r is a function
of (name of c, seed, r). So parts of the data can be weighed anywhere and in any order, sums of parts
add up to the sums of the whole, and rows of one image get one weight wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from captious.stats.resample import Floats, finite_matrix, require_draws

NAME = "Poisson bootstrap over images"
Hashes = NDArray[np.uint64]

# Of 65,536 equally likely numbers, how many stand for a weight of 0, 1, … 8. Each share is that of
# Poisson(1), e^-1 / k!, to 5e-5; the mean is exactly 1 and the variance 1.0002.
_SLOTS = (24109, 24112, 12052, 4018, 1005, 201, 33, 5, 1)
_WEIGHTS = np.repeat(np.arange(len(_SLOTS), dtype=np.float64), _SLOTS)
_A_DRAW = 4  # weights from one number of 64 bits
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_CELLS = 1 << 21  # weights at once: few enough for the processor's cache


def text_hashes(texts: Sequence[str]) -> Hashes:
    """128 bits of each text, two numbers per row: the same on every machine and in every run.

    >>> text_hashes(["391895", "522418", "391895"])[:, 0] % 1000
    array([933, 328, 933], dtype=uint64)
    """
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2).astype(np.uint64)


def poisson_weights(hashes: Hashes, resamples: int, seed: int) -> Floats:
    """How often each cluster is drawn in each resample: `(clusters, resamples)`.

    `hashes` is one 64-bit number per cluster; further bits come from the SplitMix64 sequence that
    it and the seed start (Steele et al. 2014).

    >>> weights = poisson_weights(text_hashes(["391895", "522418"])[:, 0], 5, seed=1)
    >>> weights.shape, bool(weights.max() < 9)
    ((2, 5), True)
    """
    steps = np.arange(1, -(-resamples // _A_DRAW) + 1, dtype=np.uint64) * _GOLDEN
    start = _mixed(hashes ^ _mixed(np.array([seed], dtype=np.uint64) + _GOLDEN))
    bits = _mixed(start[:, None] + steps[None, :])
    weights: Floats = _WEIGHTS[bits.astype("<u8", copy=False).view("<u2")[:, :resamples]]
    return weights


def poisson_sums(hashes: Hashes, statistics: ArrayLike, resamples: int, seed: int) -> Floats:
    """Summed statistics of each resample: `(resamples, k)` of rows `(n, k)`; rows with one hash go together.

    >>> sums = poisson_sums(text_hashes(["1", "2", "3"])[:, 0], [[1.0, 2.0]] * 3, 4, seed=1)
    >>> bool((sums[:, 1] == 2 * sums[:, 0]).all())
    True
    """
    require_draws(resamples, "resamples")
    matrix = finite_matrix(statistics)
    found = np.zeros((resamples, matrix.shape[1]))
    rows = max(1, _CELLS // resamples)
    with threadpool_limits(1, user_api="blas"):  # with more, the last bits depend on how many there are
        for start in range(0, len(matrix), rows):
            part = slice(start, start + rows)
            found += poisson_weights(hashes[part], resamples, seed).T @ matrix[part]
    return found


def _mixed(numbers: Hashes) -> Hashes:
    """The finaliser of SplitMix64: every bit of a number depends on every bit of the one before."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
