"""Region features of images: what a detector saw in each box, in the files that researchers have.

Three kinds are read, chosen by the path: a folder of `.npy` or `.npz` files, one an image, as
vilbert-multi-task's extractor writes them; an LMDB as its data loaders read; an HDF5 file of
bottom-up features. The pickles inside the first two are read as plain data (see `unpickle`).
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.corpus.ids import loose_id
from captious.errors import InputError, MissingDependencyError, one_line
from captious.models.joint.unpickle import read_npy, read_pickle

Floats = NDArray[np.float32]
_HDF5 = (".h5", ".hdf5")
_FEW, _END = 64, 1 << 20  # of so many files the first and the last bytes go into a signature
# What the files call the same thing.
_FEATURES = ("features", "image_features")
_BOXES = ("boxes", "bbox")
_WIDTHS = ("image_width", "image_w", "img_w", "width")
_HEIGHTS = ("image_height", "image_h", "img_h", "height")
_IDS = ("image_id", "image_ids", "ids")


class Regions(NamedTuple):
    """Boxes of one image: features (boxes x width), corners in pixels (boxes x 4), image size."""

    features: Floats
    boxes: Floats
    width: float
    height: float


class RegionStore(Protocol):
    """Region features by image id."""

    label: str

    def get(self, image_id: str) -> Regions:
        """The regions of an image; `InputError` where the file has none for it."""


def open_regions(path: str) -> RegionStore:
    """The region features at `path`: a folder of `.npy` files, an `.lmdb`, or an `.h5` file."""
    place = Path(path).expanduser()
    if not place.exists():
        raise InputError(f"{one_line(path, 200)}: there are no region features. Check regions=….")
    if place.suffix in _HDF5:
        return _Hdf5(place)
    if place.suffix == ".lmdb" or (place / "data.mdb").is_file():
        return _Lmdb(place)
    if place.is_dir():
        return _Folder(place)
    raise InputError(
        f"{place}: does not contain region features. Give a folder of .npy files, an .lmdb or an .h5 file."
    )


def region_store(path: str) -> RegionStore:
    """The region features at `path`, opened once in this process."""
    return _opened(path, getpid())


@lru_cache(maxsize=2)
def _opened(path: str, process: int) -> RegionStore:
    return open_regions(path)


class _Folder:
    def __init__(self, path: Path) -> None:
        self.label, self._path = _label(path), path
        files = sorted(file for file in path.rglob("*") if file.suffix in (".npy", ".npz"))
        if not files:
            raise InputError(f"{path}: contains no .npy or .npz files of region features.")
        self._files = {file.stem: file for file in reversed(files)}
        self._loose = {loose_id(stem): file for stem, file in self._files.items()}

    def get(self, image_id: str) -> Regions:
        stem = Path(image_id).stem
        file = self._files.get(image_id) or self._files.get(stem) or self._loose.get(loose_id(image_id))
        if file is None:
            raise _absent(image_id, self._path)
        if file.suffix == ".npz":
            return _regions(_arrays(file), file)
        found = read_npy(file)
        if not isinstance(found, Mapping):
            raise InputError(
                f"{file}: contains no boxes for the features. Save features, bbox and image size."
            )
        return _regions(found, file)


class _Lmdb:
    def __init__(self, path: Path) -> None:
        if find_spec("lmdb") is None:
            raise MissingDependencyError(f"{path}: reading an LMDB needs the package lmdb", "regions")
        import lmdb

        self.label, self._path = _label(path), path
        try:
            self._store = lmdb.open(
                str(path), subdir=path.is_dir(), readonly=True, lock=False, readahead=False, max_readers=1
            )
        except lmdb.Error as error:
            raise InputError(f"{path}: is not a readable LMDB ({one_line(str(error), 80)}).") from None

    def get(self, image_id: str) -> Regions:
        with self._store.begin(write=False) as reading:
            for name in (image_id, Path(image_id).stem, loose_id(image_id)):
                content = reading.get(name.encode()) if name else None
                if content is not None:
                    found = read_pickle(bytes(content), self._path)
                    if isinstance(found, Mapping):
                        return _regions(_decoded(found, self._path), self._path)
        raise _absent(image_id, self._path)


class _Hdf5:
    def __init__(self, path: Path) -> None:
        if find_spec("h5py") is None:
            raise MissingDependencyError(f"{path}: reading HDF5 needs the package h5py", "regions")
        import h5py

        self.label, self._path = _label(path), path
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise InputError(f"{path}: is not a complete HDF5 file ({one_line(str(error), 80)}).") from None
        try:
            names = [_text(value) for value in _any(self._file, _IDS, path)[:]]
        except (TypeError, ValueError, OSError) as error:
            raise InputError(f"{path}: its image ids are damaged ({one_line(str(error), 80)}).") from None
        self._rows = {name: row for row, name in enumerate(names)}
        self._loose = {loose_id(name): row for row, name in enumerate(names)}

    def get(self, image_id: str) -> Regions:
        row = self._rows.get(image_id, self._loose.get(loose_id(image_id)))
        if row is None:
            raise _absent(image_id, self._path)
        groups = (_FEATURES, _BOXES, _WIDTHS, _HEIGHTS)
        try:
            found = {names[0]: _any(self._file, names, self._path)[row] for names in groups}
            if "num_boxes" in self._file:
                found["num_boxes"] = self._file["num_boxes"][row]
        except (IndexError, ValueError, TypeError, OSError) as error:
            reason = one_line(str(error), 80)
            raise InputError(f'{self._path}: the row of image "{image_id}" is damaged ({reason}).') from None
        return _regions(found, self._path)


def _label(path: Path) -> str:
    """Name and a stamp that identifies the features: names, sizes, and the ends of the files.

    Features take many gigabytes; reading them all for a signature would cost more than the metric.
    """
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    stamp = hashlib.sha256()
    for file in files:
        if file.name == "lock.mdb":  # LMDB's own, different on every machine
            continue
        size = file.stat().st_size
        stamp.update(f"{file.name if file != path else ''} {size} ".encode())
        if len(files) <= _FEW:
            with file.open("rb") as content:
                stamp.update(content.read(_END))
                content.seek(max(0, size - _END))
                stamp.update(content.read(_END))
    return f"{path.resolve().name}@{stamp.hexdigest()[:8]}"


def _arrays(file: Path) -> dict[str, Any]:
    try:
        with np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise InputError(f"{file}: is not a complete .npz file ({one_line(str(error), 80)}).") from None


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _absent(image_id: str, path: Path) -> InputError:
    return InputError(f'image "{one_line(image_id)}": {path} has no region features for it.')


def _any(found: Any, names: tuple[str, ...], path: Path) -> Any:
    for name in names:
        if name in found:
            return found[name]
    raise InputError(
        f'{path}: region features have no "{names[0]}". They need features, boxes and image size.'
    )


def _decoded(found: Mapping[Any, Any], path: Path) -> dict[str, Any]:
    """LMDB rows hold arrays as base64 of 32-bit floats."""
    plain = dict(found)
    try:
        count = int(plain["num_boxes"])
        for names in (_FEATURES, _BOXES):
            name = next((name for name in names if name in plain), names[0])
            if isinstance(plain.get(name), (str, bytes)):
                values = np.frombuffer(base64.b64decode(plain[name]), dtype=np.float32)
                plain[name] = values.reshape(count, -1)
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: a row of region features is damaged ({one_line(str(error))}).") from None
    return plain


def _regions(found: Mapping[Any, Any], path: Path) -> Regions:
    try:
        features = np.asarray(_any(found, _FEATURES, path), dtype=np.float32)
        boxes = np.asarray(_any(found, _BOXES, path), dtype=np.float32)
        width, height = (float(_any(found, names, path)) for names in (_WIDTHS, _HEIGHTS))
        count = int(found["num_boxes"]) if "num_boxes" in found else None
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: region features are damaged ({one_line(str(error), 80)}).") from None
    features, boxes = features[:count], boxes[:count]
    good = features.ndim == boxes.ndim == 2 and len(features) == len(boxes) > 0 and boxes.shape[1] == 4
    if not good or not (width > 0 and height > 0) or not np.isfinite(features).all():
        shapes = f"features {features.shape}, boxes {boxes.shape}, image {width:g} x {height:g}"
        raise InputError(f"{path}: region features do not fit together ({shapes}).")
    return Regions(features, boxes, width, height)
