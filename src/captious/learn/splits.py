"""Rows of each part of the data: never the same image on both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import IntArray, factorise
from captious.corpus.splits import PARTS, Shares, Split
from captious.errors import InputError
from captious.learn.data import TrainingData
from captious.stats.resample import generator

TRAIN, TEST = 0, 2


class Parts(NamedTuple):
    """Rows that train, that choose (when to stop), and that test."""

    train: IntArray
    validation: IntArray
    test: IntArray


def parse_shares(text: str) -> Shares:
    """Shares of `64/16/20` (training, validation, test) or `70/30` (training, test).

    >>> parse_shares("64/16/20"), parse_shares("30/70")
    ((0.64, 0.16, 0.2), (0.3, 0.0, 0.7))
    """
    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        parts = []
    if len(parts) not in (2, 3) or min(parts, default=-1) < 0 or sum(parts) <= 0:
        raise InputError(f'--split "{text}": write 70/30 (training/test) or 64/16/20 with validation.')
    if not any(math.isclose(sum(parts), whole, rel_tol=1e-6) for whole in (1, 100)):
        raise InputError(
            f'--split "{text}": the shares add up to {sum(parts):g}. They must add up to 100, or to 1.'
        )
    if len(parts) == 2:
        parts.insert(1, 0.0)
    if parts[TRAIN] == 0 or parts[TEST] == 0:
        raise InputError(f'--split "{text}": training and test both need a share.')
    train, validation, test = (part / sum(parts) for part in parts)
    return train, validation, test


def parts_of(data: TrainingData) -> Parts:
    """The rows of each part; each set is split by itself, so that its test part depends on no other set.

    Where sets share an image that is tested in one of them, no row of it is trained on or chosen by; an
    image that one set chooses by is trained on in none.
    """
    latest = split_of(data).part_of
    names, image_of = factorise(data.images)
    own = np.array([PARTS.index(one.parts.part(image)) for one in data.sets for image in one.images])
    kept = own == np.array([PARTS.index(latest[image]) for image in data.images])
    found = Parts(*(np.flatnonzero(kept & (own == part)) for part in range(len(PARTS))))
    for rows, what in ((found.train, "train on"), (found.test, "test on")):
        if len(set(image_of[rows].tolist())) < 2:
            raise InputError(
                f"{len(names)} images leave fewer than two images to {what}. "
                "Give more judgments or another split."
            )
    return found


def split_of(data: TrainingData) -> Split:
    """The part of every image of the data: what is tested anywhere is tested, as in `parts_of`."""
    part_of: dict[str, str] = {}
    for one in (*data.sets, *data.others):
        for image in one.images:
            part = one.parts.part(image)
            part_of[image] = max(part_of.get(image, part), part, key=PARTS.index)
    return Split(part_of, "; ".join(dict.fromkeys(one.parts.source for one in data.sets)))


def folds_by_image(images: Sequence[str], folds: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Pairs of (rows to fit, rows to judge), each image judged once.

    >>> [held.tolist() for _, held in folds_by_image(["a", "a", "b"], 2, seed=1)]
    [[0, 1], [2]]
    """
    names, image_of = factorise(images)
    folds = min(folds, len(names))
    if folds < 2:
        raise InputError("cross-validation needs at least two images. Give more judgments.")
    fold_of = np.arange(len(names)) % folds
    generator(seed).shuffle(fold_of)
    own = fold_of[image_of]
    return [(np.flatnonzero(own != fold), np.flatnonzero(own == fold)) for fold in range(folds)]
