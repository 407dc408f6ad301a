"""From scores of arcs to trees: projective, with one word under the root.

Where each word's best head already makes such a tree, it is the best tree. Elsewhere Eisner's
algorithm (1996) finds it, for all captions of a batch at once. The parses that the network learnt
from are converted phrase structures, hence projective.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]


def best_heads(arcs: Floats) -> Ints:
    """Heads (batch, dependent) of the best tree for scores (batch, dependent, head); 0 is the root.

    Scores are normalised over the heads of each dependent, and the sum is maximised.

    >>> scores = np.array([[[0, 0, 5], [1, 4, 0]]], dtype=np.float32)  # a cycle looks best
    >>> best_heads(scores).tolist()
    [[2, 0]]
    """
    heads: Ints = arcs.argmax(-1)
    hard = np.flatnonzero(~are_projective_trees(heads))
    if len(hard):
        heads[hard] = eisner(_log_softmax(arcs[hard]))
    return heads


def are_projective_trees(heads: Ints) -> Booleans:
    """Whether each row of heads is a projective tree with one word under the root.

    The others here have a cycle, two roots, and an arc that crosses the one from the root.

    >>> are_projective_trees(np.array([[2, 0, 2], [2, 1, 0], [0, 0, 2], [3, 0, 2]]))
    array([ True, False, False, False])
    """
    count, length = heads.shape
    one_root = (heads == 0).sum(1) == 1
    above = np.concatenate([np.zeros((count, 1), heads.dtype), heads], 1)
    for _ in range(length.bit_length()):
        above = np.take_along_axis(above, above, 1)
    rooted = (above == 0).all(1)
    places = np.arange(1, length + 1)
    left, right = np.minimum(heads, places), np.maximum(heads, places)
    starts_inside = (left[:, :, None] < left[:, None, :]) & (left[:, None, :] < right[:, :, None])
    crossing = starts_inside & (right[:, :, None] < right[:, None, :])
    result: Booleans = one_root & rooted & ~crossing.any((1, 2))
    return result


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(-1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return result


class _Splits(NamedTuple):
    """Best split points of the spans [start, start + width], indexed (batch, start, width)."""

    arcs: Ints
    to_right: Ints
    to_left: Ints


def eisner(scores: Floats) -> Ints:
    """Heads of the best projective single-rooted tree of each caption.

    Complete and incomplete spans are kept twice, by their first and by their last word and the
    width, so that every split of every span of a width is one addition of two blocks.

    >>> eisner(np.array([[[-3, 0, -1], [-1, -2, 0]]], dtype=np.float32))
    array([[2, 0]])
    """
    count, length, _ = scores.shape
    by_dependent = scores[:, :, 1:]
    table = (count, length, length)
    right_first, right_last, left_first, left_last = (np.zeros(table, np.float32) for _ in range(4))
    arc_right, arc_left = np.zeros(table, np.float32), np.zeros(table, np.float32)
    splits = _Splits(*(np.zeros(table, np.int64) for _ in range(3)))
    for width in range(1, length):
        first = np.arange(length - width)
        last = first + width
        halves = right_first[:, first, :width] + left_last[:, last, width - 1 :: -1]
        splits.arcs[:, first, width] = halves.argmax(-1)
        best = halves.max(-1)
        arc_right[:, first, width] = best + by_dependent[:, last, first]
        arc_left[:, last, width] = best + by_dependent[:, first, last]
        wholes = arc_right[:, first, 1 : width + 1] + right_last[:, last, width - 1 :: -1]
        splits.to_right[:, first, width] = wholes.argmax(-1) + 1
        right_first[:, first, width] = right_last[:, last, width] = wholes.max(-1)
        wholes = left_first[:, first, :width] + arc_left[:, last, width:0:-1]
        splits.to_left[:, first, width] = wholes.argmax(-1)
        left_first[:, first, width] = left_last[:, last, width] = wholes.max(-1)
    under_root = scores[:, :, 0] + left_first[:, 0, :] + right_last[:, -1, ::-1]
    roots = under_root.argmax(1)
    return np.array(
        [_heads(splits, row, int(root)) for row, root in enumerate(roots)], dtype=np.int64
    ).reshape(count, length)


def _heads(splits: _Splits, row: int, root: int) -> list[int]:
    """Follow the split points of one caption; the stack holds (first, last, kind) of spans."""
    arcs, to_right, to_left = (table[row].tolist() for table in splits)
    length = len(arcs)
    heads = [0] * length
    stack = [(0, root, "left"), (root, length - 1, "right")]
    while stack:
        first, last, kind = stack.pop()
        width = last - first
        if not width:
            continue
        if kind == "left":
            middle = first + to_left[first][width]
            stack += [(first, middle, "left"), (middle, last, "arc to first")]
        elif kind == "right":
            middle = first + to_right[first][width]
            stack += [(first, middle, "arc to last"), (middle, last, "right")]
        else:
            dependent, head = (first, last) if kind == "arc to first" else (last, first)
            heads[dependent] = head + 1
            middle = first + arcs[first][width]
            stack += [(first, middle, "right"), (middle + 1, last, "left")]
    return heads
