"""What detectors found, kept on disk by image content and model.

One SQLite file per model: a batch is written atomically, several processes may write, and a
run that was interrupted goes on where it stopped. A cache that cannot be read or written costs time
and never the answer.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from captious.files import cache_folder
from captious.models.detect.detector import Detections, Detector

_LAYOUT = 1  # raise it where the columns change, or what a backend finds
_AT_ONCE = 500  # SQLite takes at least 999 values in a query
_WAIT = 30.0  # seconds for another process to finish its batch
_TABLE = (
    "create table if not exists detections (image blob primary key, width integer not null, "
    "height integer not null, labels text not null, numbers blob not null) without rowid"
)


class DetectionCache:
    """The detections of one model; a context that closes the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, DetectionCache(Path(folder, "a")) as cache:
    ...     cache.put({b"1": Detections((), np.zeros((0, 4)), np.zeros(0), 640, 480)})
    ...     cache.get([b"1", b"2"])[b"1"].width
    640
    """

    def __init__(self, path: Path | None) -> None:
        self._connection = _connect(path) if path else sqlite3.connect(":memory:")
        self._connection.execute(_TABLE)

    @classmethod
    def of(cls, detector: Detector) -> DetectionCache:
        """The cache of a model in the user's cache folder."""
        name = re.sub(r"[^\w.-]+", "_", detector.name)[:60]
        file = f"{name}-{detector.fingerprint}-{_LAYOUT}.sqlite"
        return cls(cache_folder() / "detections" / file)

    def get(self, images: Sequence[bytes]) -> dict[bytes, Detections]:
        """What is known of images, by the digest of their content."""
        found: dict[bytes, Detections] = {}
        for start in range(0, len(images), _AT_ONCE):
            some = images[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            with contextlib.suppress(sqlite3.DatabaseError):
                rows = self._connection.execute(
                    f"select image, width, height, labels, numbers from detections where image in ({marks})",
                    some,
                ).fetchall()
                unpacked = ((row[0], _unpacked(*row[1:])) for row in rows)
                found.update((image, one) for image, one in unpacked if one is not None)
        return found

    def put(self, found: Mapping[bytes, Detections]) -> None:
        """Keep the detections of a batch."""
        rows: Iterable[tuple[object, ...]] = [
            (image, one.width, one.height, json.dumps(one.labels), _numbers(one))
            for image, one in found.items()
        ]
        with contextlib.suppress(sqlite3.DatabaseError), self._connection:
            self._connection.executemany("insert or replace into detections values (?, ?, ?, ?, ?)", rows)

    def __enter__(self) -> DetectionCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _opened(path)
    except sqlite3.OperationalError:
        pass  # a folder that cannot be written, or a lock that never opens
    except sqlite3.DatabaseError:
        # Damaged, or of another program: put aside and begun anew.
        with contextlib.suppress(OSError, sqlite3.DatabaseError):
            path.replace(path.with_suffix(".damaged"))
            return _opened(path)
    except OSError:
        pass
    return sqlite3.connect(":memory:")


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT)
    try:
        connection.execute(_TABLE)
        connection.execute("select image, numbers from detections limit 1").fetchall()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _numbers(found: Detections) -> bytes:
    return np.column_stack([found.boxes, found.scores]).astype("<f4").tobytes()


def _unpacked(width: int, height: int, labels: str, numbers: bytes) -> Detections | None:
    names = tuple(json.loads(labels))
    table = np.frombuffer(numbers, dtype="<f4")
    if table.size != 5 * len(names):
        return None
    table = table.reshape(-1, 5)
    return Detections(names, table[:, :4], table[:, 4], width, height)
