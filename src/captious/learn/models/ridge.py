"""Ridge regression on standardised features, its penalty chosen by grouped cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from captious.corpus.columns import FloatArray
from captious.learn.models.base import Fit, Learner, learner
from captious.learn.splits import folds_by_image
from captious.metrics.learned.predict import Linear, Predictor

PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0)
_FOLDS = 5


@learner("ridge")
@dataclass(frozen=True)
class Ridge(Learner):
    """min_w |y - Xw|^2 + penalty |w|^2 (Hoerl and Kennard 1970), features of mean 0, variance 1.

    `penalty=0` chooses from 0.01 to 10,000 by the squared error over folds of whole images.
    """

    summary: ClassVar[str] = "linear regression with a penalty that is chosen by cross-validation"
    limits: ClassVar[dict[str, tuple[float, float]]] = {"penalty": (0, 1e12)}

    penalty: float = 0.0

    def fit(self, given: Fit) -> Predictor:
        """Fit the weights."""
        penalty = self.penalty or self._choose(given)
        return _fitted(given.rows, given.target, penalty)

    def _choose(self, given: Fit) -> float:
        if len(set(given.images)) < 2:
            return 1.0
        folds = folds_by_image(given.images, _FOLDS, given.seed)
        errors = []
        for penalty in PENALTIES:
            error = 0.0
            for fit, judge in folds:
                model = _fitted(given.rows[fit], given.target[fit], penalty)
                error += float(((model.predict(given.rows[judge]) - given.target[judge]) ** 2).sum())
            errors.append(error)
        return PENALTIES[int(np.argmin(errors))]


def _fitted(rows: FloatArray, target: FloatArray, penalty: float) -> Linear:
    from sklearn.linear_model import Ridge as Regression

    mean, scale = standard(rows)
    model = Regression(alpha=penalty).fit((rows - mean) / scale, target)
    return Linear(mean, scale, np.asarray(model.coef_, dtype=np.float64), float(model.intercept_))


def standard(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each column; 1 for a column that does not vary."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    return mean, np.where(scale > 1e-12, scale, 1.0)
