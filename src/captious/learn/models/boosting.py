"""Boosted regression trees, fitted by scikit-learn and kept as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from captious.learn.models.base import Fit, Learner, learner
from captious.metrics.learned.predict import LEAF, Predictor, join_trees


@learner("gbr")
@dataclass(frozen=True)
class GradientBoosting(Learner):
    """Gradient boosting of regression trees with squared loss (Friedman 2001).

    The defaults are scikit-learn's; VCRScore (3.3) names no others.
    """

    summary: ClassVar[str] = "gradient boosting of small trees (Friedman 2001), VCRScore's regressor"
    limits: ClassVar[dict[str, tuple[float, float]]] = {
        "trees": (1, 100_000),
        "depth": (1, 100),
        "rate": (1e-6, 10),
        "subsample": (0.01, 1),
        "leaf": (1, 1_000_000),
    }

    trees: int = 100
    depth: int = 3
    rate: float = 0.1
    subsample: float = 1.0
    leaf: int = 1

    def fit(self, given: Fit) -> Predictor:
        """Fit the trees and take them out of scikit-learn's objects."""
        from sklearn.ensemble import GradientBoostingRegressor

        model = GradientBoostingRegressor(
            n_estimators=self.trees,
            max_depth=self.depth,
            learning_rate=self.rate,
            subsample=self.subsample,
            min_samples_leaf=self.leaf,
            random_state=given.seed,
        ).fit(given.rows, given.target)
        parts = []
        for (one,) in model.estimators_:
            tree = one.tree_
            inner = tree.children_left != LEAF
            parts.append(
                {
                    "feature": np.where(inner, tree.feature, LEAF),
                    "threshold": np.where(inner, tree.threshold, 0.0),
                    "left": tree.children_left,
                    "right": tree.children_right,
                    "value": self.rate * tree.value[:, 0, 0],
                    "missing_left": np.zeros(len(inner), dtype=bool),
                }
            )
        return join_trees(parts, float(model.init_.constant_.ravel()[0]), given.rows.shape[1], single=True)


@learner("hist")
@dataclass(frozen=True)
class HistogramBoosting(Learner):
    """Histogram-based boosting (Ke et al. 2017), which may be told to be monotone.

    With `monotone=yes` a better value of a feature never lowers the rating.
    """

    summary: ClassVar[str] = "histogram-based boosting; fast on many rows; monotone=yes"
    limits: ClassVar[dict[str, tuple[float, float]]] = {
        "trees": (1, 100_000),
        "leaves": (2, 65_536),
        "rate": (1e-6, 10),
        "leaf": (1, 1_000_000),
        "penalty": (0, 1e9),
    }

    trees: int = 100
    leaves: int = 31
    rate: float = 0.1
    leaf: int = 20
    penalty: float = 0.0
    monotone: bool = False

    def fit(self, given: Fit) -> Predictor:
        """Fit the trees and take them out of scikit-learn's objects."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        model = HistGradientBoostingRegressor(
            max_iter=self.trees,
            max_leaf_nodes=self.leaves,
            learning_rate=self.rate,
            min_samples_leaf=self.leaf,
            l2_regularization=self.penalty,
            monotonic_cst=given.signs.tolist() if self.monotone else None,
            early_stopping=False,
            random_state=given.seed,
        ).fit(given.rows, given.target)
        parts = []
        # scikit-learn has no public view of these trees; tests hold what is read here against
        # its own predictions.
        for (one,) in model._predictors:
            nodes = one.nodes
            inner = nodes["is_leaf"] == 0
            parts.append(
                {
                    "feature": np.where(inner, nodes["feature_idx"], LEAF),
                    "threshold": np.where(inner, nodes["num_threshold"], 0.0),
                    "left": np.where(inner, nodes["left"].astype(np.int64), LEAF),
                    "right": np.where(inner, nodes["right"].astype(np.int64), LEAF),
                    "value": nodes["value"],
                    "missing_left": nodes["missing_go_to_left"].astype(bool),
                }
            )
        return join_trees(
            parts, float(model._baseline_prediction.ravel()[0]), given.rows.shape[1], single=False
        )
