"""Precomputed vectors, from `.npz`, `.npy` or Parquet files.

- `.npz`: the arrays `image_ids`, `image_features`, `texts`, `text_features`; either pair may lack.
- `.npy`: a folder with `image_features.npy` and `text_features.npy`, and the ids and texts of their
  rows in `image_ids.txt` and `texts.txt`, a line each (or `.json`, a list). The folder or either
  `.npy` file may be named.
- Parquet: the column `feature` (a list of numbers) beside `image_id` or `text`, whichever a row has.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.errors import InputError, MissingDependencyError, one_line
from captious.models import locate
from captious.models.encoders.base import EmbeddedImages, EmbeddedTexts, Features, ImageFile

SUFFIXES = (".npy", ".npz", ".parquet")
IMAGES, TEXTS = "image_features", "text_features"
IMAGE_NAMES, TEXT_NAMES = "image_ids", "texts"


class Named(NamedTuple):
    """Vectors of length 1 and the row of each name."""

    rows: dict[str, int]
    vectors: Features


NONE = Named({}, np.empty((0, 0), dtype=np.float32))


def is_feature_file(path: Path) -> bool:
    """Whether a path is a file of vectors, or a folder of them."""
    if path.is_dir():
        return any((path / f"{name}.npy").is_file() for name in (IMAGES, TEXTS))
    return path.suffix in SUFFIXES


class FeatureFile:
    """An `Embedder` that looks vectors up: images by id, texts with the prompt or without it."""

    family = ""
    windows = ""  # nothing is known of tokens

    def __init__(self, path: Path) -> None:
        self._path = path.parent if path.suffix == ".npy" else path
        readers = {".npz": _read_npz, ".parquet": _read_parquet}
        self._images, self._texts = readers.get(self._path.suffix, _read_folder)(self._path)
        widths = self._images.vectors.shape[1], self._texts.vectors.shape[1]
        if all(widths) and widths[0] != widths[1]:
            raise InputError(
                f"{path}: vectors of images have {widths[0]:,} numbers, those of texts {widths[1]:,}. "
                "Compute both with one model."
            )

    def facts(self) -> dict[str, str]:
        """The file and a digest of its content."""
        files = [self._path] if self._path.is_file() else sorted(self._path.glob("*_features.npy"))
        return {"enc": "/".join([f"features:{self._path.name}", *map(locate.digest, files)])}

    def images(self, images: Sequence[ImageFile]) -> EmbeddedImages:
        """Vectors of images by their ids."""
        broken = {
            image.id: f'{self._path}: contains no vector for the image "{one_line(image.id, 60)}". Add it.'
            for image in images
            if image.id not in self._images.rows
        }
        return EmbeddedImages(_taken(self._images, [image.id for image in images]), broken)

    def texts(self, texts: Sequence[str], long: str, prompt: str = "") -> EmbeddedTexts:
        """Vectors of texts as the file spells them; nothing is known of tokens."""
        names = []
        for text in texts:
            whole = f"{prompt} {text}" if prompt else text
            names.append(whole if whole in self._texts.rows else text)
            if names[-1] not in self._texts.rows:
                raise InputError(
                    f'{self._path}: contains no vector for the text "{one_line(text, 60)}". Add it.'
                )
        return EmbeddedTexts(_taken(self._texts, names), np.zeros(len(texts), dtype=np.int64))


def _taken(named: Named, names: Sequence[str]) -> Features:
    rows = np.full((len(names), max(1, named.vectors.shape[1])), np.nan, dtype=np.float32)
    for place, name in enumerate(names):
        if name in named.rows:
            rows[place] = named.vectors[named.rows[name]]
    return rows


def _named(names: Sequence[str], vectors: NDArray[np.generic], where: str) -> Named:
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.floating):
        raise InputError(f"{where}: is not a matrix of real numbers with one row per vector.")
    if len(names) != len(vectors):
        raise InputError(f"{where}: has {len(vectors):,} rows for {len(names):,} names. Give one for each.")
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        first = rows.setdefault(name, row)
        if first != row and not np.array_equal(vectors[first], vectors[row]):
            raise InputError(f'{where}: has two vectors for "{one_line(name, 60)}". Keep one.')
    values: FloatArray = vectors.astype(np.float64)
    norms = np.linalg.norm(values, axis=1, keepdims=True)
    if not np.isfinite(values).all() or not norms.all():
        raise InputError(f"{where}: has a vector that is zero or not finite. Compute the features again.")
    return Named(rows, (values / norms).astype(np.float32))


def _read_npz(path: Path) -> tuple[Named, Named]:
    try:
        with np.load(path, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: is not a complete .npz file of plain arrays. Write it again.") from error
    return _pair(
        {name: array for name, array in arrays.items() if name in (IMAGES, TEXTS)},
        {
            name: array.astype(str).tolist()
            for name, array in arrays.items()
            if name in (IMAGE_NAMES, TEXT_NAMES)
        },
        str(path),
    )


def _read_folder(path: Path) -> tuple[Named, Named]:
    arrays, names = {}, {}
    for array, listed in ((IMAGES, IMAGE_NAMES), (TEXTS, TEXT_NAMES)):
        file = path / f"{array}.npy"
        if file.is_file():
            try:
                arrays[array] = np.load(file, allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise InputError(
                    f"{file}: is not a complete .npy file of plain numbers. Write it again."
                ) from error
            names[listed] = _listed(path, listed)
    return _pair(arrays, names, str(path))


def _listed(folder: Path, name: str) -> list[str]:
    lines, document = folder / f"{name}.txt", folder / f"{name}.json"
    if lines.is_file():
        return lines.read_text("utf-8").removesuffix("\n").split("\n")
    if document.is_file():
        try:
            entries = json.loads(document.read_text("utf-8"))
        except ValueError:
            entries = None
        if not isinstance(entries, list):
            raise InputError(
                f"{document}: is not a JSON list. List the rows of the .npy file in it, in order."
            )
        return [str(entry) for entry in entries]
    raise InputError(f"{lines}: is missing. It names the rows of the .npy file beside it, one per line.")


def _pair(
    arrays: dict[str, NDArray[np.generic]], names: dict[str, list[str]], where: str
) -> tuple[Named, Named]:
    found = []
    for array, listed in ((IMAGES, IMAGE_NAMES), (TEXTS, TEXT_NAMES)):
        if array in arrays and listed not in names:
            raise InputError(f'{where}: has "{array}" but no "{listed}", which names its rows. Add it.')
        found.append(_named(names[listed], arrays[array], f"{where}: {array}") if array in arrays else NONE)
    if not arrays:
        raise InputError(f'{where}: contains neither "{IMAGES}" nor "{TEXTS}".')
    return found[0], found[1]


def _read_parquet(path: Path) -> tuple[Named, Named]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError("Parquet files need pyarrow", "tables") from None
    try:
        columns = parquet.read_table(path).to_pydict()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: is not a complete Parquet file. Write it again.") from error
    if "feature" not in columns or not {"image_id", "text"} & set(columns):
        raise InputError(f'{path}: needs the column "feature" beside "image_id" or "text".')
    found = []
    for name in ("image_id", "text"):
        rows = [
            (str(key), vector)
            for key, vector in zip(columns.get(name, []), columns["feature"], strict=False)
            if key is not None
        ]
        try:
            vectors = np.array([vector for _, vector in rows], dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f'{path}: "feature" must be a list of the same length in every row.') from None
        found.append(_named([key for key, _ in rows], vectors, f"{path}: {name}") if rows else NONE)
    return found[0], found[1]
