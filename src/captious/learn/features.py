"""Features of every example of a data set: computed once, kept by content.

A column is named by the feature, everything that changes its numbers (its signature, which holds
versions and digests of weights) and the content of what it was computed on, so that training
again with other features or another model computes only what is new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.engine import Progress
from captious.errors import InputError
from captious.files import atomically, cache_folder
from captious.learn.data import TrainingData, corpus_digest
from captious.metrics import Batch, Metric
from captious.metrics.languages import refuse_languages, warn_of_texts
from captious.metrics.learned.features import Feature, counts_documents, parse_features


class FeatureTable(NamedTuple):
    """Columns of all features side by side, and where each feature's begin and end."""

    features: list[Feature]
    rows: FloatArray
    spans: list[slice]

    def column(self, place: int) -> FloatArray | None:
        """The values of a feature of one column, higher is better; None for an embedding."""
        sign = self.features[place].sign
        return sign * self.rows[:, self.spans[place].start] if sign else None


class Missing(NamedTuple):
    """A feature that cannot be had, and why."""

    name: str
    why: str


def choose_features(
    names: Sequence[str], data: TrainingData, *, skip_missing: bool
) -> tuple[list[Feature], list[Missing]]:
    """Features that all data sets can have; the others are named, or refused."""
    features, missing = [], []
    for feature in parse_features(names):
        reasons = (feature.missing(one.corpus) for one in data.sets)
        why = next((reason for reason in reasons if reason), "")
        if why:
            missing.append(Missing(feature.name, why))
        else:
            features.append(feature)
    if missing and (not skip_missing or not features):
        listed = "; ".join(f"{name} ({why})" for name, why in missing)
        how = "" if not features else " Fix this, leave them out of --features, or give --skip-missing."
        raise InputError(f"features are missing: {listed}.{how}")
    return features, missing


def needs_table(features: Sequence[Feature]) -> bool:
    """Whether any feature weighs n-grams by document frequencies."""
    return any(isinstance(one.source, Metric) and counts_documents(one.source) for one in features)


def compute_features(
    data: TrainingData, features: Sequence[Feature], *, progress: Progress | None = None, cache: bool = True
) -> FeatureTable:
    """Every feature of every example, in the order of the data."""
    columns: list[list[FloatArray]] = []
    total = len(data.sets) * len(features)
    metrics = [one.source for one in features if isinstance(one.source, Metric)]
    for place, one in enumerate(data.sets):
        refuse_languages(one.corpus, metrics)
        warn_of_texts(metrics, one.corpus)
        batch = Batch(one.corpus)
        content = corpus_digest(one.corpus)
        found = []
        for index, feature in enumerate(features):
            if progress:
                progress(feature.name, place * len(features) + index, total)
            found.append(_columns(feature, batch, content, progress, cache))
        columns.append(found)
    if progress:
        progress("features", total, total)
    widths = [column.shape[1] for column in columns[0]]
    ends = np.cumsum(widths).tolist()
    spans = [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]
    rows = np.concatenate([np.concatenate(found, axis=1) for found in columns])
    return FeatureTable(list(features), rows, spans)


def _columns(
    feature: Feature, batch: Batch, content: bytes, progress: Progress | None, cache: bool
) -> FloatArray:
    if isinstance(feature.source, Metric):
        feature.source.prepare(progress)
    knowledge = feature.merge([feature.collect(batch)])
    feature.check(batch.corpus, knowledge)
    path = _cache_path(feature, batch.corpus, knowledge, content) if cache else None
    if path is not None and path.is_file():
        stored = _read(path, len(batch))
        if stored is not None:
            return stored
    values = np.asarray(feature.columns(batch, knowledge), dtype=np.float64)
    if len(values) != len(batch):
        raise InputError(f"feature {feature.name}: gave {len(values)} values for {len(batch)} captions.")
    if path is not None:
        _write(path, values)
    return values


def _cache_path(feature: Feature, corpus: Corpus, knowledge: Any, content: bytes) -> Path:
    key = hashlib.sha256(content)
    key.update(feature.signature(corpus, knowledge).encode())
    if "image" in feature.needs:
        for path in corpus.image_paths or []:
            key.update(_image_stamp(path))
    return cache_folder() / "features" / f"{key.hexdigest()[:32]}.npy"


def _image_stamp(path: str | None) -> bytes:
    if path is None:
        return b"-"
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b"?"  # the feature itself says what is wrong with it


def _read(path: Path, rows: int) -> FloatArray | None:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found.astype(np.float64) if found.ndim == 2 and len(found) == rows else None


def _write(path: Path, values: FloatArray) -> None:
    """A cache that cannot be written costs time, never the answer."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomically(path) as temporary, temporary.open("wb") as file:
            np.save(file, values, allow_pickle=False)
    except (OSError, InputError):
        return
