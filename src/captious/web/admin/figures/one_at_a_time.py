"""Work in threads, one piece at a time; what has been begun is not begun twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable


class OneAtATime:
    """Pieces of work by their keys: those begun take turns."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._guard = threading.Lock()
        self._begun: set[Hashable] = set()

    def begin(self, key: Hashable, name: str, work: Callable[[], None]) -> None:
        """Do the work in a thread of this name, unless work of this key waits or runs already."""
        with self._guard:
            if key in self._begun:
                return
            self._begun.add(key)

        def in_turn() -> None:
            try:
                with self._turn:
                    work()
            finally:
                with self._guard:
                    self._begun.discard(key)

        threading.Thread(target=in_turn, name=name, daemon=True).start()
