"""What the formats share: a file that was put together again, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


def _nothing(_probe: int) -> Iterator[bytes]:
    yield from ()


class Rebuilt(NamedTuple):
    """A file of known parts.

    A decoder stops when the picture is whole; whatever stands behind it in a stretch of compressed
    data would never be seen. `shortened(n)` gives the file once for each stretch, without the last
    `n` bytes of it: where the picture is still the same, there was something behind it.
    """

    content: bytes
    shortened: Callable[[int], Iterator[bytes]] = _nothing


class CannotRebuildError(Exception):
    """The file has parts that are not known: the picture must be encoded anew."""
