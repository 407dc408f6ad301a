"""When two captions are the same text: what leaks from candidates into references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NOT_WORD = re.compile(r"[\W_]+")


def fold(caption: str) -> str:
    """A caption without case, punctuation and spacing, which data sets treat each their own way.

    >>> fold("A dog , running .") == fold("a dog, running")
    True
    """
    return _NOT_WORD.sub(" ", caption.casefold()).strip()


def without(references: Sequence[str], captions: Iterable[str]) -> list[str]:
    """The references that are none of the captions.

    >>> without(["A dog runs .", "A black dog ."], ["a dog runs."])
    ['A black dog .']
    """
    leaked = {fold(caption) for caption in captions}
    return [reference for reference in references if fold(reference) not in leaked]
