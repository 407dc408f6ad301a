"""What a training run has done so far, on disk, so that an interrupted run goes on.

Each finished step is one file of plain arrays. A journal belongs to one exact run (data, features,
settings, version): another run in the same folder begins a new one.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.files import atomically, cache_folder
from captious.metrics.learned.folder import pack_arrays, unpack_arrays

Arrays = dict[str, NDArray[Any]]
_RUN = "run.txt"


class Journal:
    """Finished steps by name; `Journal(None, "")` remembers nothing."""

    def __init__(self, folder: Path | None, run: str) -> None:
        self.folder = folder
        if folder is None:
            return
        mark = folder / _RUN
        if folder.is_dir() and not (mark.is_file() and mark.read_text() == run):
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(run)

    @property
    def steps(self) -> int:
        """How many steps an earlier run has finished."""
        return len(list(self.folder.glob("*.npz"))) if self.folder is not None else 0

    def once(self, step: str, make: Callable[[], Arrays]) -> Arrays:
        """What `make` gives, or gave in an earlier run."""
        found = self.read(step)
        if found is None:
            found = make()
            self.write(step, found)
        return found

    def number(self, step: str, make: Callable[[], float]) -> float:
        """As `once`, for a single number."""
        return float(self.once(step, lambda: {"value": np.array(make())})["value"])

    def read(self, step: str) -> Arrays | None:
        """Arrays of a step; None where it is not there, or was not written to its end."""
        path = self._path(step)
        if path is None or not path.is_file():
            return None
        try:
            return unpack_arrays(path.read_bytes())
        except (ValueError, EOFError, zipfile.BadZipFile):
            return None

    def write(self, step: str, arrays: Arrays) -> None:
        """Store a step."""
        path = self._path(step)
        if path is not None:
            with atomically(path) as temporary:
                temporary.write_bytes(pack_arrays(arrays))

    def forget(self, step: str) -> None:
        """Drop a step that has served."""
        path = self._path(step)
        if path is not None:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Drop everything: the run is at its end."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name: str) -> Path:
        """Where a file that only this run needs can be."""
        return (self.folder or cache_folder()) / name

    def _path(self, step: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{hashlib.sha256(step.encode()).hexdigest()[:20]}.npz"
