"""Pairs that teach and test raters: the tutorial, and the curated pairs of probation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from captious.errors import InputError

PROBATION_ROUNDS = 10  # whoever fails so many rounds is offered no more


class TrainingPair(NamedTuple):
    """An image and a caption whose ratings are known, and why they are what they are."""

    image: str
    caption: str
    ratings: tuple[float, ...]
    why: str = ""


def probation_rounds(
    pairs: Sequence[TrainingPair], size: int, rounds: int = PROBATION_ROUNDS
) -> list[list[TrainingPair]]:
    """The pairs of each round: new ones as long as there are any, then from the first again.

    >>> pairs = [TrainingPair(name, "", (3,)) for name in "abc"]
    >>> [[pair.image for pair in own] for own in probation_rounds(pairs, 2, 3)]
    [['a', 'b'], ['c', 'a'], ['b', 'c']]
    """
    if len(pairs) < size:
        raise InputError(
            f"probation: {len(pairs)} curated pairs for rounds of {size}. "
            "Give more, three times as many if you can, or a smaller probation_pairs."
        )
    return [[pairs[(turn * size + at) % len(pairs)] for at in range(size)] for turn in range(rounds)]
