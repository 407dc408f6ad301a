"""Ridge regression by its normal equations, and a penalty that is chosen on whole images."""

from __future__ import annotations

import numpy as np
import pytest

from captious.errors import InputError, UnknownNameError
from captious.learn.models import Fit, Ridge, known_learners, parse_learner


def given(x: np.ndarray, y: np.ndarray, images: list[str]) -> Fit:
    return Fit(x, y, images, np.ones(x.shape[1], dtype=np.int64), seed=2)


def test_it_solves_the_normal_equations() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    x = rng.normal(3, 2, size=(40, 2))
    y = x @ [1.0, -2.0] + rng.normal(size=40)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    weights = np.linalg.solve(z.T @ z + 7.0 * np.eye(2), z.T @ (y - y.mean()))
    fitted = Ridge(penalty=7.0).fit(given(x, y, [str(i) for i in range(40)]))
    np.testing.assert_allclose(fitted.predict(x), z @ weights + y.mean(), rtol=1e-9)


def test_noise_gets_a_large_penalty_and_signal_a_small_one() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 20))
    images = [str(i // 3) for i in range(60)]
    noise = Ridge()._choose(given(x, rng.normal(size=60), images))
    signal = Ridge()._choose(given(x, x @ rng.normal(size=20), images))
    assert noise >= 100 * signal


def test_a_constant_column_does_no_harm() -> None:
    pytest.importorskip("sklearn")
    x = np.stack([np.arange(10.0), np.ones(10)], axis=1)
    fitted = Ridge(penalty=1e-9).fit(given(x, np.arange(10.0), [str(i) for i in range(10)]))
    np.testing.assert_allclose(fitted.predict(x), np.arange(10.0), atol=1e-6)


def test_models_by_name_with_options() -> None:
    assert list(known_learners()) == ["gbr", "hist", "mlp", "ridge"]
    assert parse_learner("hist[monotone=yes,trees=7]").described().startswith("hist[trees=7,")
    with pytest.raises(UnknownNameError, match="gbr"):
        parse_learner("gbrt")
    with pytest.raises(InputError):
        parse_learner("gbr[")
