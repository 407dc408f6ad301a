"""What a training run found, as one value that the card, the tables and JSON are made from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from captious._version import __version__
from captious.learn.data import TrainingData
from captious.learn.evaluate import Calibration, Comparison, CurvePoint, Figures, not_beaten
from captious.learn.features import Missing
from captious.learn.settings import Settings
from captious.learn.splits import Parts


@dataclass(frozen=True, eq=False)
class Report:
    """Figures of a trained metric on its test part, and how they came about."""

    settings: Settings
    data: TrainingData
    features: list[str]
    split: Parts
    folds: list[dict[str, float]]
    seeds: list[float]
    figures: list[Figures]
    comparisons: list[Comparison]
    calibration: Calibration
    line: tuple[float, float]
    importance: dict[str, float]
    curve: list[CurvePoint]
    missing: list[Missing] = field(default_factory=list)
    left_out: int = 0

    @property
    def verdict(self) -> str:
        """Whether it beats every feature alone on its test part, in one sentence."""
        name, main = self.settings.name, self.settings.main
        if not self.comparisons:
            return f"{name} has no single-column feature to compare with. Name metrics with --beside."
        rest = not_beaten(self.comparisons)
        single = "single feature" if self.comparisons[0].feature in self.features else "compared metric"
        if not rest:
            return (
                f"{name} beats every {single} on its test part "
                f"({main}, permutation test over images, Holm-corrected p < 0.05)."
            )
        listed = ", ".join(
            f"{one.feature} on {one.set_name} ({one.learned:.3f} against {one.alone:.3f}, "
            f"p = {one.p_permutation:.3f})"
            for one in rest
        )
        return f"{name} does not beat every {single} on its test part. Not beaten ({main}): {listed}."

    @property
    def worse_than_mean(self) -> str:
        """A sentence where the mean rating would have been the better prediction; else empty."""
        found = self.calibration
        if found.rmse < found.rmse_of_mean:
            return ""
        return (
            f"{self.settings.name} predicts worse than the mean rating: its root mean squared error on the "
            f"test part is {found.rmse:.3f}; always predicting the mean gives {found.rmse_of_mean:.3f}."
        )

    def counts(self, place: int) -> dict[str, int]:
        """Captions and images of one set in each part."""
        found: dict[str, int] = {}
        for part, rows in self.split._asdict().items():
            own = self.data.rows_of(place, rows)
            found[f"{part}_captions"] = len(own)
            found[f"{part}_images"] = len({self.data.images[row] for row in own.tolist()})
        return found

    def fold_summary(self) -> dict[str, tuple[float, float]]:
        """Mean and standard deviation over folds of each coefficient."""
        names = self.folds[0] if self.folds else {}
        columns = {name: [fold[name] for fold in self.folds] for name in names}
        known = {name: [one for one in own if not math.isnan(one)] for name, own in columns.items()}
        unknown = (math.nan, math.nan)
        return {n: (float(np.mean(c)), float(np.std(c))) if c else unknown for n, c in known.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; NaN becomes None."""
        settings = self.settings
        found = {
            "name": settings.name,
            "recipe": settings.recipe,
            "captious": __version__,
            "features": self.features,
            "missing_features": [one._asdict() for one in self.missing],
            "model": settings.learner.described(),
            "scale": list(self.data.scale),
            "data": [
                {
                    "name": one.name,
                    "aspect": one.aspect,
                    "ratings": len(one.values),
                    "licence": one.licence,
                    "split": one.parts.source,
                    **self.counts(place),
                }
                for place, one in enumerate(self.data.sets)
            ],
            "left_out": self.left_out,
            "seed": settings.seed,
            "seeds": settings.seeds,
            "refit_on_everything": settings.refit,
            "licence": settings.licence,
            "cross_validation": self.folds,
            "test_by_seed": self.seeds,
            "main_coefficient": settings.main,
            "test": [
                {
                    "set": one.set_name,
                    "metric": one.metric,
                    "n": one.n,
                    **{
                        name: {"value": value.value, "low": value.low, "high": value.high}
                        for name, value in one.values.items()
                    },
                }
                for one in self.figures
            ],
            "comparisons": [one._asdict() for one in self.comparisons],
            "beats_every_feature": bool(self.comparisons) and not not_beaten(self.comparisons),
            "verdict": self.verdict,
            "worse_than_mean": bool(self.worse_than_mean),
            "calibration": self.calibration._asdict() | {"slope": self.line[0], "intercept": self.line[1]},
            "importance": self.importance,
            "learning_curve": [point._asdict() for point in self.curve],
            "notes": list(settings.notes),
        }
        return {key: _plain(value) for key, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
