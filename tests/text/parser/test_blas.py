from __future__ import annotations

import numpy as np
import pytest

from captious.text.parser import blas


@pytest.fixture
def threads():
    """The number of threads of each BLAS that is loaded; two where there would be one."""

    def now() -> list[int]:
        return [one["num_threads"] for one in blas.controller().info()]

    if not now():
        pytest.skip("no BLAS whose threads can be told")
    with blas.controller().limit(limits=2):
        yield now


def test_threads_are_one_inside_and_as_before_afterwards(threads) -> None:
    before = threads()
    with blas.one_thread():
        assert set(threads()) == {1}
    assert threads() == before


def test_threads_are_restored_after_an_error(threads) -> None:
    before = threads()
    with pytest.raises(ValueError, match="mismatch"), blas.one_thread():
        np.ones((2, 3)) @ np.ones((2, 3))
    assert threads() == before


def test_blocks_that_overlap_restore_the_threads_once_all_are_left(threads) -> None:
    before = threads()
    first, second = blas.one_thread(), blas.one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(threads()) == {1}
    second.__exit__(None, None, None)
    assert threads() == before
