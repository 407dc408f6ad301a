"""One label per item from raters of unequal skill: Dawid-Skene and MACE.

Both are mixture models over nominal categories: they estimate from the ratings alone how reliable each
rater is. They need raters who rated the same items; see `too_little_overlap`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import DEFAULT_SEED, Seed, generator

Ints = NDArray[np.int64]
# With two raters nobody can tell which of them errs; with few items everything fits.
FEWEST_RATERS, FEWEST_ITEMS, MOST_CATEGORIES = 3, 20, 12
LEAST_CHANCE = 1e-10  # below this a count of 0 would rule a category out for ever
HABIT_PRIOR, KNOWS_PRIOR = 10.0, 0.5  # Hovy et al. 2013, 3: Dirichlet(10) and Beta(0.5, 0.5)
NOISE = 0.5  # random starts lie between 1 and 2.5 before they are normalised


class CrowdLabels(NamedTuple):
    """The most likely category of each item, all probabilities, and each rater's skill.

    `skill` is the probability that a rater gives the true category (Dawid-Skene) or does not guess
    (MACE). NaN for items without ratings and raters without items.
    """

    labels: Floats
    probabilities: Floats
    categories: Floats
    skill: Floats


class _Said(NamedTuple):
    """The ratings one by one: whose, of which item, which category."""

    items: Ints
    raters: Ints
    codes: Ints
    shape: tuple[int, int]
    categories: Floats


def too_little_overlap(ratings: ArrayLike) -> str:
    """Return why a rater model cannot be fitted to these ratings; "" if it can.

    It needs at least 20 items with ratings by at least three raters, and 2 to 12 categories.

    >>> too_little_overlap([[1, 2, 2]] * 19)
    '19 items have ratings by at least 3 raters; a rater model needs 20'
    >>> too_little_overlap([[1, 2, 2]] * 20)
    ''
    """
    matrix = as_ratings(ratings)
    present = ~np.isnan(matrix)
    shared = int((present.sum(axis=1) >= FEWEST_RATERS).sum())
    if shared < FEWEST_ITEMS:
        return (
            f"{shared} items have ratings by at least {FEWEST_RATERS} raters; "
            f"a rater model needs {FEWEST_ITEMS}"
        )
    values = len(np.unique(matrix[present]))
    if not 1 < values <= MOST_CATEGORIES:
        return f"the ratings have {values} different values; a rater model needs 2 to {MOST_CATEGORIES}"
    return ""


def dawid_skene(ratings: ArrayLike, *, iterations: int = 100, tolerance: float = 1e-5) -> CrowdLabels:
    """Fit one confusion matrix per rater by expectation-maximisation (Dawid and Skene 1979).

    P(item i is c | ratings) is proportional to p_c prod_j pi_j(c, x_ij), where p_c is the share of
    category c and pi_j(c, x) the probability that rater j says x if c is true. The fit starts from the
    shares of votes and ends when the log-likelihood rises by less than `tolerance`. Skill is
    sum_c p_c pi_j(c, c).

    >>> dawid_skene([[1, 1, 2], [2, 2, 2], [1, 1, 1], [2, 2, 1]]).labels
    array([1., 2., 1., 2.])
    """
    from scipy.special import logsumexp

    said = _ratings_said(ratings)
    n, m = said.shape
    k = len(said.categories)
    votes = np.bincount(said.items * k + said.codes, minlength=n * k).reshape(n, k)
    rated = votes.sum(axis=1) > 0
    posterior = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    before = -np.inf
    for _ in range(iterations):
        priors, confusion = _maximised(said, posterior, rated)
        joint = np.log(priors) + _summed(said, np.log(confusion)[said.raters, said.codes])
        evidence = logsumexp(joint, axis=1, keepdims=True)
        after = float(evidence[rated].sum())
        posterior = np.exp(joint - evidence)
        if after - before < tolerance:
            break
        before = after
    priors, confusion = _maximised(said, posterior, rated)
    skill = np.einsum("c,jcc->j", priors, confusion)
    active = np.bincount(said.raters, minlength=m) > 0
    return _found(said, posterior, rated, np.where(active, skill, np.nan))


def mace(
    ratings: ArrayLike, *, restarts: int = 10, iterations: int = 50, seed: Seed = DEFAULT_SEED
) -> CrowdLabels:
    """Fit MACE by variational Bayes (Hovy et al. 2013): an answer is knowledge or habit.

    Rater j knows the true category with probability theta_j and otherwise guesses from the rater's own
    distribution xi_j; skill is theta_j. Of several random starts, the fit with the best likelihood is
    kept.

    >>> mace([[1, 1, 2], [2, 2, 2], [1, 1, 2], [2, 2, 2]], restarts=2, iterations=10).labels
    array([1., 2., 1., 2.])
    """
    said = _ratings_said(ratings)
    m, k = said.shape[1], len(said.categories)
    rng = generator(seed)
    best = None
    for _ in range(restarts):
        start = [rng.uniform(1, 2 + NOISE, (m, width)) for width in (2, k)]
        found = mace_from(said, *start, iterations=iterations)
        if best is None or found.evidence > best.evidence:
            best = found
    if best is None:
        raise StatisticsError("restarts: give at least 1.")
    rated = np.bincount(said.items, minlength=said.shape[0]) > 0
    active = np.bincount(said.raters, minlength=m) > 0
    return _found(said, best.posterior, rated, np.where(active, best.knows[:, 1], np.nan))


class MaceFit(NamedTuple):
    """One run of MACE: log-likelihood, chances of labels, each rater's chances to guess and to know."""

    evidence: float
    posterior: Floats
    knows: Floats
    habits: Floats


def mace_from(said: _Said, knows: Floats, habits: Floats, *, iterations: int) -> MaceFit:
    """Run MACE from a start: weights of guessing and knowing, and of each category as a habit.

    With a = P(guess) xi(x) the chance of a guessed answer x, b = P(know):
    P(c, x_i) = 1/k prod_j (a + b [x = c]). Expected counts of guesses and of knowledge are
    normalised by exp(digamma(count + prior)) / exp(digamma(their sum)).
    """
    from scipy.special import logsumexp

    m, k = said.shape[1], len(said.categories)
    knows = knows / knows.sum(axis=1, keepdims=True)
    habits = habits / habits.sum(axis=1, keepdims=True)
    cell = said.raters * k + said.codes
    rows = np.arange(len(said.items))
    for step in range(iterations + 1):
        guessed = knows[said.raters, 0] * habits[said.raters, said.codes]
        known = knows[said.raters, 1]
        chances = np.repeat(guessed[:, None], k, axis=1)
        chances[rows, said.codes] += known
        joint = _summed(said, np.log(chances)) - np.log(k)
        evidence = logsumexp(joint, axis=1, keepdims=True)
        posterior = np.exp(joint - evidence)
        if step == iterations:
            break
        of_item = posterior[said.items]
        habit = (of_item / chances).sum(axis=1) * guessed
        knowledge = of_item[rows, said.codes] * known / chances[rows, said.codes]
        counts = np.stack([np.bincount(said.raters, one, minlength=m) for one in (habit, knowledge)], axis=1)
        knows = _variational(counts, KNOWS_PRIOR)
        habits = _variational(np.bincount(cell, habit, minlength=m * k).reshape(m, k), HABIT_PRIOR)
    return MaceFit(float(evidence.sum()), posterior, knows, habits)


def _variational(counts: ArrayLike, prior: float) -> Floats:
    from scipy.special import digamma

    with_prior = np.asarray(counts, dtype=np.float64) + prior
    return np.asarray(np.exp(digamma(with_prior) - digamma(with_prior.sum(axis=1, keepdims=True))))


def _maximised(said: _Said, posterior: Floats, rated: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The shares of categories, and P(rater j says x | c is true) as [j, x, c]."""
    m, k = said.shape[1], len(said.categories)
    cell = said.raters * k + said.codes
    counts = np.stack(
        [np.bincount(cell, posterior[said.items, c], minlength=m * k) for c in range(k)], axis=1
    ).reshape(m, k, k)
    counts = np.maximum(counts, LEAST_CHANCE)
    priors = np.maximum(posterior[rated].mean(axis=0), LEAST_CHANCE)
    return priors, counts / counts.sum(axis=1, keepdims=True)


def _summed(said: _Said, terms: Floats) -> Floats:
    """Terms of single ratings, by category, added up for each item."""
    n = said.shape[0]
    return np.stack([np.bincount(said.items, column, minlength=n) for column in terms.T], axis=1)


def _ratings_said(ratings: ArrayLike) -> _Said:
    matrix = as_ratings(ratings)
    items, raters = np.nonzero(~np.isnan(matrix))
    if not len(items):
        raise StatisticsError("ratings: none given. Give at least one rating.")
    categories, codes = np.unique(matrix[items, raters], return_inverse=True)
    return _Said(items, raters, codes.ravel(), (matrix.shape[0], matrix.shape[1]), categories)


def _found(said: _Said, posterior: Floats, rated: NDArray[np.bool_], skill: Floats) -> CrowdLabels:
    probabilities = np.where(rated[:, None], posterior, np.nan)
    labels = np.where(rated, said.categories[posterior.argmax(axis=1)], np.nan)
    return CrowdLabels(labels, probabilities, said.categories, skill)
