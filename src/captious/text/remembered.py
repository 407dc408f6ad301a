"""What was found before, within bounds: a process that scores for months meets new words every day."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
MOST = 65_536


class Remembered(dict[K, V]):
    """A table that is emptied when it is full; finding things again costs little.

    >>> table = Remembered[str, int](most=2)
    >>> for place, word in enumerate(["a", "dog", "runs"]):
    ...     table[word] = place
    >>> table
    {'runs': 2}
    """

    def __init__(self, most: int = MOST) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._most:
            self.clear()
        super().__setitem__(key, value)
