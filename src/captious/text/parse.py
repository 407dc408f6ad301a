"""`Parse`: what a parser says of one sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence with Penn Treebank tags and basic dependencies (Stanford, Universal v1).

    Word `i` counts from 1 in `heads`, and 0 is the root: `heads[k]` is the head of `words[k]`,
    `labels[k]` the relation between them.

    >>> Parse(("a", "dog"), ("DT", "NN"), ("a", "dog"), (2, 0), ("det", "root")).heads
    (2, 0)
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)
