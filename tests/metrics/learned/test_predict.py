"""Plain arrays predict what the library that fitted them predicts, and nonsense is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from captious.learn.models import Fit, GradientBoosting, HistogramBoosting, Learner
from captious.metrics.learned.predict import LEAF, Mean, Network, Trees, build_predictor, mean_of


def rows(seed: int = 0, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, np.sin(x[:, 0]) + x[:, 1] * (x[:, 2] > 0)


def given(x: np.ndarray, y: np.ndarray) -> Fit:
    images = [str(i) for i in range(len(y))]
    return Fit(x, y, images, np.array([1, 1, 0]), seed=3)


def test_gradient_boosting_predicts_as_scikit_learn_does() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    x, y = rows()
    new = rows(1)[0]
    theirs = ensemble.GradientBoostingRegressor(n_estimators=40, random_state=3).fit(x, y).predict(new)
    ours = GradientBoosting(trees=40).fit(given(x, y)).predict(new)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_histogram_boosting_predicts_as_scikit_learn_does_with_missing_values() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    x, y = rows()
    x[::7, 1] = np.nan
    new = rows(1)[0]
    new[::5, 1] = np.nan
    model = ensemble.HistGradientBoostingRegressor(max_iter=30, early_stopping=False, random_state=3)
    ours = HistogramBoosting(trees=30).fit(given(x, y)).predict(new)
    np.testing.assert_allclose(ours, model.fit(x, y).predict(new), rtol=1e-12)


def test_a_monotone_model_never_falls_with_a_better_feature() -> None:
    pytest.importorskip("sklearn")
    x, y = rows()
    fitted = HistogramBoosting(trees=30, monotone=True).fit(given(x, y - 2 * np.abs(x[:, 0])))
    line = np.zeros((50, 3))
    line[:, 0] = np.linspace(-3, 3, 50)
    assert (np.diff(fitted.predict(line)) >= -1e-12).all()


@pytest.mark.parametrize("learner", [GradientBoosting(trees=5), HistogramBoosting(trees=5)])
def test_what_is_stored_is_what_was_fitted(learner: Learner) -> None:
    pytest.importorskip("sklearn")
    x, y = rows()
    fitted = learner.fit(given(x, y))
    again = build_predictor(fitted.kind, fitted.arrays())
    np.testing.assert_array_equal(again.predict(x), fitted.predict(x))


def tree() -> Trees:
    """x0 <= 0.5 gives 1, else 2."""
    return Trees(
        columns=1,
        base=10.0,
        roots=np.array([0]),
        feature=np.array([0, LEAF, LEAF]),
        threshold=np.array([0.5, 0, 0]),
        left=np.array([1, LEAF, LEAF]),
        right=np.array([2, LEAF, LEAF]),
        value=np.array([0.0, 1.0, 2.0]),
        missing_left=np.zeros(3, dtype=bool),
    )


def test_a_tree_by_hand() -> None:
    assert tree().predict(np.array([[0.5], [0.6], [np.nan]])).tolist() == [11.0, 12.0, 12.0]


@pytest.mark.parametrize(
    "change",
    [
        {"left": np.array([0, LEAF, LEAF])},  # a walk without an end
        {"right": np.array([7, LEAF, LEAF])},
        {"feature": np.array([4, LEAF, LEAF])},
        {"roots": np.array([9])},
        {"value": np.array([0.0, 1.0])},
        {"value": np.array([0.0, np.nan, 1.0])},
    ],
)
def test_trees_that_point_nowhere_are_refused(change: dict[str, np.ndarray]) -> None:
    arrays = replace(tree(), **change).arrays()  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="do not fit"):
        build_predictor("trees", arrays)


def test_layers_that_do_not_fit_are_refused() -> None:
    net = Network(np.zeros(2), np.ones(2), (np.ones((3, 1)),), (np.zeros(1),))
    with pytest.raises(ValueError, match="do not fit"):
        build_predictor("network", net.arrays())


def test_several_predictors_are_their_mean() -> None:
    other = replace(tree(), base=20.0)
    joined = mean_of([tree(), other])
    assert isinstance(joined, Mean)
    again = build_predictor("mean", joined.arrays())
    assert again.predict(np.array([[0.0]])).tolist() == [16.0]  # (11 + 21) / 2
