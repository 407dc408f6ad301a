"""One BLAS thread for small matrices.

OpenBLAS, which comes with NumPy, lets its threads wait for each other in a busy loop after every
product. For the small products of the parser on a machine that has other work too, the waiting
costs many times the work. Inside `one_thread()` each product stays on the thread that asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def controller() -> ThreadpoolController:
    """How to ask and tell the BLAS of NumPy, whichever it is, its number of threads."""
    return ThreadpoolController().select(user_api="blas")


class _Guard:
    """The first to enter notes how many threads there were; the last to leave restores them."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limits: Any = None

    def enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._limits = controller().limit(limits=1)
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limits.restore_original_limits()


_guard = _Guard()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block, and as many as before after it.

    >>> import numpy as np
    >>> with one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    _guard.enter()
    try:
        yield
    finally:
        _guard.leave()
