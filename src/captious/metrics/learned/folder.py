"""A trained metric as a folder: a manifest (JSON), plain arrays (NPZ), its split (CSV), and the model card.

Nothing in the folder is code and nothing is unpickled: a manifest names features by name and one of
four kinds of predictor; arrays that do not fit it are refused. A folder from a stranger can give
wrong numbers, and cannot do anything else.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious._version import __version__
from captious.corpus.columns import FloatArray
from captious.corpus.splits import Split, read_split
from captious.errors import InputError, one_line
from captious.files import atomically
from captious.metrics.learned.predict import Predictor, build_predictor
from captious.metrics.registry import TRAINED

FORMAT = "captious-learned-metric-1"
MANIFEST, ARRAYS, TABLE, CARD, CARD_JSON = TRAINED, "model.npz", "df.npz", "card.md", "card.json"
SPLIT = "split.csv"
_MOST_BYTES = 4 * 2**30  # of arrays once unpacked


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """What scoring needs: features by name, the predictor, the human scale.

    A rating is `intercept + slope * prediction`, kept within `scale`. `table` is a file of
    document frequencies for the features that weigh n-grams, as they were in training. `split` is the
    file of its images by part, of which it was fitted to `fitted_to`.
    """

    name: str
    recipe: str
    features: tuple[str, ...]
    predictor: Predictor
    scale: tuple[float, float]
    slope: float = 1.0
    intercept: float = 0.0
    table: Path | None = None
    split: Path | None = None
    fitted_to: tuple[str, ...] = ()
    digest: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    def seen_images(self) -> frozenset[str]:
        """Loose ids of the images that it was fitted to; empty if its folder does not say."""
        if self.split is None or not self.split.is_file():
            return frozenset()
        return _images(self.split, self.fitted_to, self.split.stat().st_mtime_ns)

    def rate(self, rows: FloatArray) -> FloatArray:
        """Ratings of rows of features on the human scale; NaN where a feature is."""
        found = np.full(len(rows), np.nan)
        whole = np.isfinite(rows).all(axis=1)
        predicted = self.intercept + self.slope * self.predictor.predict(rows[whole])
        found[whole] = np.clip(predicted, *self.scale)
        return found


def write_folder(
    folder: Path, model: TrainedModel, texts: Mapping[str, str], split: Split | None = None
) -> None:
    """Write a model, its split and further files (the card) into `folder`, the manifest last."""
    folder.mkdir(parents=True, exist_ok=True)
    content = pack_arrays(model.predictor.arrays())
    with atomically(folder / ARRAYS) as temporary:
        temporary.write_bytes(content)
    for name, text in texts.items():
        with atomically(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if split is not None:
        split.write(folder / SPLIT)
    manifest = {
        "format": FORMAT,
        "name": model.name,
        "recipe": model.recipe,
        "features": list(model.features),
        "model": model.predictor.kind,
        "scale": list(model.scale),
        "calibration": {"slope": model.slope, "intercept": model.intercept},
        "document_frequencies": TABLE if model.table is not None else None,
        "split": SPLIT if split is not None else None,
        "fitted_to": list(model.fitted_to),
        "sha256": hashlib.sha256(content).hexdigest(),
        "captious": __version__,
        "facts": dict(model.facts),
    }
    with atomically(folder / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_folder(folder: Path) -> TrainedModel:
    """Read what `write_folder` wrote; anything else is refused with one line."""
    manifest, arrays = folder / MANIFEST, folder / ARRAYS
    if not manifest.is_file():
        raise InputError(
            f"{folder}: contains no trained metric ({MANIFEST} is missing). "
            "Train one with `captious train NAME --judgments FILE`."
        )
    if not arrays.is_file():
        raise InputError(f"{folder}: {ARRAYS} is missing. Train the metric again.")
    stamps = tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in (manifest, arrays))
    return _read(folder, stamps)


@lru_cache(maxsize=16)
def _images(split: Path, parts: tuple[str, ...], changed: int) -> frozenset[str]:
    return read_split(split).images(*parts)


@lru_cache(maxsize=16)
def _read(folder: Path, stamps: tuple[tuple[int, int], ...]) -> TrainedModel:
    try:
        facts = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise InputError(
                f'{folder / MANIFEST}: the format is "{one_line(str(facts["format"]), 40)}"; this version '
                f"reads {FORMAT}. Train the metric again."
            )
        content = (folder / ARRAYS).read_bytes()
        if hashlib.sha256(content).hexdigest() != facts["sha256"]:
            raise InputError(f"{folder}: {ARRAYS} does not belong to {MANIFEST}. Train the metric again.")
        low, high = (float(end) for end in facts["scale"])
        model = TrainedModel(
            name=_word(facts["name"]),
            recipe=_word(facts["recipe"]),
            features=tuple(_word(name) for name in facts["features"]),
            predictor=build_predictor(_word(facts["model"]), unpack_arrays(content)),
            scale=(low, high),
            slope=float(facts["calibration"]["slope"]),
            intercept=float(facts["calibration"]["intercept"]),
            table=folder / TABLE if facts["document_frequencies"] else None,
            split=folder / SPLIT if facts.get("split") else None,
            fitted_to=tuple(_word(part) for part in facts.get("fitted_to", [])),
            digest=facts["sha256"][:8],
            facts={_word(key): _word(value) for key, value in facts.get("facts", {}).items()},
        )
        if not (
            model.features and low < high and np.isfinite([low, high, model.slope, model.intercept]).all()
        ):
            raise ValueError("no features or no scale")
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error}).") from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        EOFError,
        MemoryError,
        zipfile.BadZipFile,
    ) as error:
        raise InputError(f"{folder}: is not a complete trained metric. Train it again.") from error
    return model


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays as the bytes of an NPZ file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Arrays of an NPZ file; pickled objects, and files that unpack to gigabytes, are refused."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
            raise ValueError("too large")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
