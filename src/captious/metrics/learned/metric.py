"""A trained metric behaves like every other: it is named, scored, compared and resampled.

`./my-metric` is the metric in that folder. `vcrscore` and `rating` are the two that papers describe;
they are trained on your data (`captious train vcrscore`, `captious train rating`), and the folder of
their name, here or in `$CAPTIOUS_METRICS`, is where they are found.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, MissingDependencyError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.languages import joined_languages
from captious.metrics.learned.features import (
    Feature,
    check_corpus,
    joint_digest,
    matrix_of,
    parse_features,
    require_features,
    shortest,
)
from captious.metrics.learned.folder import MANIFEST, TrainedModel, read_folder
from captious.metrics.registry import register
from captious.models import weights
from captious.models.weights.known import VCRSCORE
from captious.progress import Report

METRICS_VARIABLE = "CAPTIOUS_METRICS"
RELEASED = "released"


@dataclass(frozen=True)
class LearnedMetric(Metric):
    """Features of each example, a trained model over them, a rating on the human scale."""

    summary: ClassVar[str] = "a metric trained on human judgments"
    citation: ClassVar[str] = "its model card"
    partial: ClassVar[bool] = True  # as its features may be
    neural: ClassVar[bool] = True

    model: str = ""

    def __post_init__(self) -> None:
        folder = self.folder
        if folder is not None:
            self._take(read_folder(folder), folder)

    def _take(self, trained: TrainedModel, folder: Path) -> None:
        """Become the metric of a trained model."""
        if type(self).recipe() not in ("", trained.recipe):
            raise InputError(
                f"{folder}: contains the metric {trained.name}, trained as {trained.recipe}; "
                f"use {folder} instead of {self.name}."
            )
        features = parse_features(trained.features)
        if trained.table is not None:
            features = [feature.with_table(trained.table) for feature in features]
        needs = frozenset[str]().union(*(feature.needs for feature in features))
        own: dict[str, Any] = {
            "trained": trained,
            "features": features,
            "needs": needs,
            "bounds": trained.scale,
        }
        own |= {"percent": trained.scale == (0.0, 1.0), "name": self.name or trained.name}
        own["longest"] = shortest(feature.longest for feature in features)
        own["partial"] = any(feature.partial for feature in features)
        for name, value in own.items():
            object.__setattr__(self, name, value)  # they belong to what was loaded, not to the class

    @classmethod
    def recipe(cls) -> str:
        """The recipe that a folder must have been trained by; empty for any."""
        return ""

    @property
    def folder(self) -> Path | None:
        """The folder of the trained model, where there is one."""
        home = os.environ.get(METRICS_VARIABLE)
        places = [Path(self.model).expanduser(), *([Path(home).expanduser() / self.model] if home else [])]
        return next((place for place in places if (place / MANIFEST).is_file()), None)

    def _model(self) -> tuple[TrainedModel, list[Feature]]:
        if "trained" not in vars(self):
            raise MissingDependencyError(
                f'{self.name} must be trained first: "{self.model}" is not the folder of a trained metric',
                command=f"captious train {self.name} --judgments FILE --out {self.model}",
                verb="Train it",
            )
        return vars(self)["trained"], vars(self)["features"]

    def languages(self) -> tuple[str, ...]:
        """Those that all of its features are right for; English before it is trained."""
        features = vars(self).get("features", [])
        return joined_languages(one.source.languages() for one in features) if features else ("en",)

    def unread(self, texts: Sequence[str]) -> FloatArray | None:
        """What its features' encoders cannot read."""
        features = vars(self).get("features", [])
        shares = [share for one in features if (share := one.source.unread(texts)) is not None]
        return np.maximum.reduce(shares) if shares else None

    def ready(self) -> None:
        """A trained model, and every feature that it was trained with."""
        trained, features = self._model()
        require_features(features, trained.name)

    def weights(self) -> tuple[str, ...]:
        """The published weights that its features run, where it is trained."""
        features = vars(self).get("features", [])
        named = (one.source.weights() for one in features if isinstance(one.source, Metric))
        return tuple(dict.fromkeys(name for own in named for name in own))

    def seen_images(self) -> frozenset[str]:
        """The training and validation images of its split; of all parts if it was refitted."""
        trained = vars(self).get("trained")
        return trained.seen_images() if trained is not None else frozenset()

    def prepare(self, report: Report | None = None) -> None:
        """What the features make once on a machine."""
        self.ready()
        for feature in self._model()[1]:
            if isinstance(feature.source, Metric):
                feature.source.prepare(report)

    def collect(self, batch: Batch) -> list[Any]:
        """What the batch contributes to each feature's knowledge of the corpus."""
        trained, features = self._model()
        check_corpus(features, batch.corpus, trained.name)
        return [feature.collect(batch) for feature in features]

    def merge(self, parts: Sequence[list[Any]]) -> list[Any]:
        """Each feature's knowledge of the whole corpus."""
        features = self._model()[1]
        return [feature.merge([part[place] for part in parts]) for place, feature in enumerate(features)]

    def check(self, corpus: Corpus, knowledge: list[Any]) -> None:
        """Refuse a corpus for which a feature is not defined."""
        for feature, own in zip(self._model()[1], knowledge, strict=True):
            feature.check(corpus, own)

    def score_examples(self, batch: Batch, knowledge: list[Any]) -> FloatArray:
        """Rating of each example on the human scale."""
        trained, features = self._model()
        rows = matrix_of(features, batch, knowledge)
        if rows.shape[1] != trained.predictor.width:
            raise InputError(
                f"{trained.name}: the model takes {trained.predictor.width} columns, but its features have "
                f"{rows.shape[1]}. Train it again with this version."
            )
        return trained.rate(rows)

    def notes(self, corpus: Corpus, knowledge: list[Any]) -> list[str]:
        """What must be known of the features' scores."""
        lines = [line for one, own in self._metrics(knowledge) for line in one.notes(corpus, own)]
        return list(dict.fromkeys(lines))

    def unscored(self, knowledge: list[Any]) -> dict[str, str]:
        """Images for which some feature has no value, each with the reason."""
        return {
            image: why for one, own in self._metrics(knowledge) for image, why in one.unscored(own).items()
        }

    def _metrics(self, knowledge: list[Any]) -> list[tuple[Metric, Any]]:
        pairs = zip(self._model()[1], knowledge, strict=True)
        return [(one.source, own) for one, own in pairs if isinstance(one.source, Metric)]

    def facts(self, corpus: Corpus, knowledge: list[Any]) -> dict[str, str]:
        """References, features with a digest of their signatures, the trained model, the scale."""
        trained, features = self._model()
        signatures = [one.signature(corpus, own) for one, own in zip(features, knowledge, strict=True)]
        low, high = trained.scale
        refs = {"refs": reference_count_label(corpus)} if "references" in self.needs else {}
        return refs | {
            "features": "+".join(trained.features),
            "with": joint_digest(signatures),
            "model": f"{trained.predictor.kind}:{trained.digest}",
            "scale": f"{low:g}-{high:g}",
        }


def load_metric(folder: str) -> LearnedMetric:
    """The trained metric in a folder."""
    metric = LearnedMetric(model=folder)
    if metric.folder is None:
        read_folder(Path(folder).expanduser())  # says what is missing
    return metric


@register("vcrscore")
@dataclass(frozen=True)
class VcrScore(LearnedMetric):
    """Gradient boosting on precision and recall over the pool, ViLT and MCIP-ref (VCRScore, 3.3)."""

    title: ClassVar[str] = "VCRScore"
    longest: ClassVar[Limit | None] = Limit(40, "tokens", ("truncate",), "truncate")  # as ViLT, a feature
    summary: ClassVar[str] = "gradient boosting over word overlap, ViLT and MCIP; you train it"
    citation: ClassVar[str] = "Ruiz et al. 2024, section 3.3"

    model: str = "vcrscore"

    def __post_init__(self) -> None:
        if self.model != RELEASED:
            super().__post_init__()
        elif found := weights.search(VCRSCORE):
            from captious.metrics.learned.released import read_released

            self._take(read_released(found.path), found.path)

    @classmethod
    def recipe(cls) -> str:
        """Trained by `captious train vcrscore`."""
        return "vcrscore"

    def ready(self) -> None:
        """The released regressor or a trained one, and every feature that it takes."""
        if self.model == RELEASED:
            weights.find(VCRSCORE)
        super().ready()

    def weights(self) -> tuple[str, ...]:
        """The published weights that it and its features run."""
        own = (VCRSCORE,) if self.model == RELEASED else ()
        return (*own, *super().weights())


@register("rating")
@dataclass(frozen=True)
class Rating(LearnedMetric):
    """A network over joint embeddings that predicts a rating of 1 to 5 (Scott et al. 2023, 3.4)."""

    title: ClassVar[str] = "Rating"
    longest: ClassVar[Limit | None] = Limit(37, "tokens", ("chunk",), "chunk")  # as ViLBERT, a feature
    summary: ClassVar[str] = "network over joint embeddings that predicts the rating; you train it"
    citation: ClassVar[str] = "Scott et al. 2023, section 3.4"

    model: str = "rating"

    @classmethod
    def recipe(cls) -> str:
        """Trained by `captious train rating`."""
        return "rating"
