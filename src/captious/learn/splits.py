"""Parts of the data by image: never the same image on both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import IntArray, factorise
from captious.errors import InputError
from captious.learn.data import TrainingData
from captious.stats.resample import generator

TRAIN, VALIDATION, TEST = range(3)


class Split(NamedTuple):
    """Rows that train, that choose (when to stop), and that test."""

    train: IntArray
    validation: IntArray
    test: IntArray


def parse_shares(text: str) -> tuple[float, float, float]:
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


def split_by_image(data: TrainingData, seed: int) -> Split:
    """Deal the images of each set at random into its shares.

    An image that two sets hold goes where the first set puts it, with all its captions.
    """
    names, image_of = factorise(data.images)
    part_of = np.full(len(names), -1, dtype=np.int64)
    rng = generator(seed)
    for place, one in enumerate(data.sets):
        own = np.unique(image_of[data.set_of == place])
        free = rng.permutation(own[part_of[own] < 0])
        ends = np.round(np.cumsum(one.shares[:2]) * len(free)).astype(np.int64)
        for part, images in enumerate(np.split(free, ends)):
            part_of[images] = part
    rows = [np.flatnonzero(part_of[image_of] == part) for part in (TRAIN, VALIDATION, TEST)]
    for part, name in ((TRAIN, "train on"), (TEST, "test on")):
        if len(set(image_of[rows[part]].tolist())) < 2:
            raise InputError(
                f"{len(names)} images leave fewer than two images to {name}. "
                "Give more judgments or another split."
            )
    return Split(*rows)


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
