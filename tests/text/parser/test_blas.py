from __future__ import annotations

import numpy as np
import pytest

from captious.text.parser import blas


def test_threads_are_one_inside_and_as_before_afterwards() -> None:
    threads = blas._threads()
    if threads is None:
        pytest.skip("this NumPy has no OpenBLAS of its own")
    before = threads.get()
    with blas.one_thread():
        assert threads.get() == 1
    assert threads.get() == before


def test_threads_are_restored_after_an_error() -> None:
    threads = blas._threads()
    if threads is None:
        pytest.skip("this NumPy has no OpenBLAS of its own")
    before = threads.get()
    with pytest.raises(ValueError, match="mismatch"), blas.one_thread():
        np.ones((2, 3)) @ np.ones((2, 3))
    assert threads.get() == before


def test_works_where_numpy_has_another_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_threads", lambda: None)
    with blas.one_thread():
        assert (np.ones((2, 2)) @ np.ones((2, 2))).sum() == 8


def test_blocks_that_overlap_restore_the_threads_once_all_are_left() -> None:
    threads = blas._threads()
    if threads is None:
        pytest.skip("this NumPy has no OpenBLAS of its own")
    before = threads.get()
    first, second = blas.one_thread(), blas.one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads.get() == 1
    second.__exit__(None, None, None)
    assert threads.get() == before
