"""One BLAS thread for small matrices.

OpenBLAS, which comes with NumPy, lets its threads wait for each other in a busy loop after every
product. For the small products of the parser on a machine that has other work too, the waiting
costs many times the work. Inside `one_thread()` each product stays on the thread that asks for it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np

_FOLDERS = ("../numpy.libs", ".dylibs")
_NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
)


class Threads(NamedTuple):
    """How to ask and tell a BLAS its number of threads."""

    get: Callable[[], int]
    set: Callable[[int], object]


@cache
def _threads() -> Threads | None:
    """The functions of NumPy's own OpenBLAS, or None where NumPy was built otherwise."""
    package = Path(np.__file__).parent
    for file in (file for folder in _FOLDERS for file in (package / folder).glob("*openblas*")):
        try:
            library = ctypes.CDLL(str(file))
        except OSError:
            continue
        for get, put in _NAMES:
            if hasattr(library, get) and hasattr(library, put):
                return Threads(getattr(library, get), getattr(library, put))
    return None


class _Guard:
    """The first to enter notes how many threads there were; the last to leave restores them."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = Lock(), 0, 1

    def enter(self, threads: Threads) -> None:
        with self._lock:
            if not self._inside:
                self._before = threads.get()
                threads.set(1)
            self._inside += 1

    def leave(self, threads: Threads) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                threads.set(self._before)


_guard = _Guard()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block, and as many as before after it.

    >>> with one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    threads = _threads()
    if threads is None:
        yield
        return
    _guard.enter(threads)
    try:
        yield
    finally:
        _guard.leave(threads)
