from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.parser.decode import are_projective_trees, best_heads, eisner


def _reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        if word == 0:
            return True
        word = heads[word - 1]
    return word == 0


def _is_projective_tree(heads: tuple[int, ...]) -> bool:
    """By the definition: every word between a head and its dependent descends from the head."""
    if heads.count(0) != 1 or not all(_reaches_root(heads, word) for word in heads):
        return False

    def descends(word: int, ancestor: int) -> bool:
        while word and word != ancestor:
            word = heads[word - 1]
        return word == ancestor

    return all(
        descends(between, head)
        for dependent, head in enumerate(heads, 1)
        for between in range(min(dependent, head) + 1, max(dependent, head))
    )


def _all_trees(length: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(length + 1), repeat=length) if _is_projective_tree(heads)]


def _total(scores: np.ndarray, heads: tuple[int, ...]) -> float:
    return float(sum(scores[word, head] for word, head in enumerate(heads)))


@pytest.mark.parametrize(("length", "trees"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_tells_projective_trees_from_all_other_choices_of_heads(length: int, trees: int) -> None:
    # 1, 2, 7, 30, 143 is the number of projective trees under one root: C(3n - 2, n - 1) / n,
    # e.g. n = 4: C(10, 3) / 4 = 30.
    every = np.array(list(product(range(length + 1), repeat=length)))
    found = {tuple(heads) for heads in every[are_projective_trees(every)].tolist()}
    assert found == set(_all_trees(length))
    assert len(found) == trees


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_eisner_finds_the_best_of_all_trees(length: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(4, length, length + 1)).astype(np.float32)
    trees = _all_trees(length)
    for caption, heads in zip(scores, eisner(scores).tolist(), strict=True):
        best = max(_total(caption, tree) for tree in trees)
        assert _is_projective_tree(tuple(heads))
        assert _total(caption, tuple(heads)) == pytest.approx(best, abs=1e-4)


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_shortcut_gives_what_eisner_gives(length: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(3, length, length + 1)).astype(np.float32)
    shifted = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
    assert np.array_equal(best_heads(scores), eisner(shifted))
    assert are_projective_trees(best_heads(scores)).all()


def test_long_captions_get_a_tree() -> None:
    scores = np.random.default_rng(3).normal(size=(1, 256, 257)).astype(np.float32)
    assert are_projective_trees(best_heads(scores)).all()
