"""One training run: the data, their features and parts, and what every step of it shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from captious.corpus.columns import IntArray
from captious.engine import Progress
from captious.learn.data import TrainingData
from captious.learn.features import FeatureTable
from captious.learn.journal import Journal
from captious.learn.models import Fit
from captious.learn.settings import Settings
from captious.learn.splits import Parts
from captious.metrics.learned.predict import Predictor, build_predictor


@dataclass(frozen=True, eq=False)
class Run:
    """What every step of a run shares."""

    data: TrainingData
    settings: Settings
    table: FeatureTable
    beside: FeatureTable | None
    split: Parts
    journal: Journal
    progress: Progress | None

    @property
    def signs(self) -> IntArray:
        """Of each column whether more is better."""
        columns = [
            np.full(span.stop - span.start, feature.sign)
            for feature, span in zip(self.table.features, self.table.spans, strict=True)
        ]
        return np.concatenate(columns)

    def fit(self, step: str, rows: IntArray, seed: int) -> Predictor:
        """Fit the model to some rows, or take what an earlier run has fitted."""

        def make() -> dict[str, np.ndarray]:
            fitted = self.settings.learner.fit(
                Fit(
                    rows=self.table.rows[rows],
                    target=self.data.target[rows],
                    images=[self.data.images[row] for row in rows.tolist()],
                    signs=self.signs,
                    seed=seed,
                    validation=(
                        self.table.rows[self.split.validation],
                        self.data.target[self.split.validation],
                    ),
                    journal=self.journal,
                    step=step,
                    progress=self.progress,
                )
            )
            return fitted.arrays() | {"kind": np.frombuffer(fitted.kind.encode(), dtype=np.uint8)}

        arrays = dict(self.journal.once(step, make))
        return build_predictor(arrays.pop("kind").tobytes().decode(), arrays)

    def say(self, what: str, done: int, total: int) -> None:
        """Show how far a step is."""
        if self.progress:
            self.progress(what, done, total)
