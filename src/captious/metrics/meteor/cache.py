"""Arrays in files that map into memory, written atomically."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import CaptiousWarning
from captious.files import cache_folder

_MANIFEST = "manifest.json"
Arrays = dict[str, NDArray[np.generic]]


def cached_arrays(name: str, make: Callable[[], Arrays]) -> Arrays:
    """Arrays stored under `name`, made and stored first where they are missing or damaged."""
    folder = cache_folder() / name
    stored = _load(folder)
    if stored is not None:
        return stored
    # A read-only home or a full disk costs time at every start, not the answer.
    try:
        _try_to_write(folder.parent)
    except OSError as error:
        _warn(folder, error)
        return make()
    arrays = make()
    try:
        _store(folder, arrays)
    except OSError as error:
        _warn(folder, error)
        return arrays
    return _load(folder) or arrays


def _try_to_write(folder: Path) -> None:
    """Raise now what would be raised after minutes of work."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def _warn(folder: Path, error: OSError) -> None:
    warnings.warn(
        f"METEOR's tables cannot be cached in {folder.parent} ({error.strerror or error}) and are "
        "compiled again each time, which takes a while. Set CAPTIOUS_CACHE to a folder that can "
        "be written.",
        CaptiousWarning,
        stacklevel=3,
    )


def _load(folder: Path) -> Arrays | None:
    try:
        manifest = json.loads((folder / _MANIFEST).read_text("utf-8"))
        arrays = {}
        for name, facts in manifest.items():
            path = folder / f"{name}.npy"
            if path.stat().st_size != facts["bytes"] or _ends(path) != facts["ends"]:
                return None
            # Seen as a plain array: `memmap` itself takes microseconds for every look into it.
            arrays[name] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return arrays or None


def _store(folder: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        manifest = {}
        for name, array in arrays.items():
            path = fresh / f"{name}.npy"
            np.save(path, array, allow_pickle=False)
            manifest[name] = {"bytes": path.stat().st_size, "ends": _ends(path)}
        (fresh / _MANIFEST).write_text(json.dumps(manifest), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _ends(path: Path) -> str:
    """A digest of a file's first and last 64 KB: what a torn or foreign file would change."""
    with path.open("rb") as file:
        head = file.read(65536)
        file.seek(max(0, path.stat().st_size - 65536))
        return hashlib.sha256(head + file.read()).hexdigest()
