from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from captious.metrics.learned.folder import TrainedModel, write_folder
from captious.metrics.learned.predict import Linear


@pytest.fixture
def linear_metric(tmp_path: Path) -> Callable[..., Path]:
    """Write a trained metric whose rating is 1 + 4 times the mean of its features."""

    def make(features: Sequence[str], recipe: str = "own", name: str = "plain", width: int = 0) -> Path:
        n = width or len(features)
        predictor = Linear(np.zeros(n), np.ones(n), np.full(n, 1 / n), 0.0)
        folder = tmp_path / name
        model = TrainedModel(name, recipe, tuple(features), predictor, (1.0, 5.0), slope=4.0, intercept=1.0)
        write_folder(folder, model, {})
        return folder

    return make
