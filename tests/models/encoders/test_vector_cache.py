"""Vectors kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from captious.models.encoders.vector_cache import Vectors, cache_path, cached_vectors


class Lengths:
    """Gives each text a vector of its length and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        vectors = np.array([[len(text), 1] for text in texts], dtype=np.float32).reshape(-1, 2)
        return vectors, np.array([bool(text) for text in texts], dtype=bool)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))


def test_a_text_is_made_once() -> None:
    make = Lengths()
    first, _ = cached_vectors("model", ["a dog", "", "cats"], make)
    again, known = cached_vectors("model", ["cats", "a red bus", "", "a dog"], make)
    assert make.asked == ["a dog", "", "cats", "a red bus"]
    np.testing.assert_array_equal(again[[3, 0]], first[[0, 2]])
    assert again[1].tolist() == [9, 1]
    assert known.tolist() == [True, True, False, True]


def test_all_known_asks_for_nothing() -> None:
    make = Lengths()
    texts = [f"{n} dogs" for n in range(1200)]
    before, _ = cached_vectors("model", texts, make)
    after, known = cached_vectors("model", texts[::-1], make)
    assert len(make.asked) == 1200
    np.testing.assert_array_equal(after[::-1], before)
    assert known.all()


def test_models_do_not_mix() -> None:
    make = Lengths()
    cached_vectors("one", ["a dog"], make)
    cached_vectors("other", ["a dog"], make)
    assert make.asked == ["a dog", "a dog"]


def test_a_damaged_file_costs_no_answer() -> None:
    make = Lengths()
    cached_vectors("model", ["a dog"], make)
    cache_path("model").write_bytes(b"no database at all, but long enough to be taken for one")
    vectors, known = cached_vectors("model", ["a dog"], make)
    assert vectors.tolist() == [[5, 1]]
    assert known.tolist() == [True]


def test_a_folder_that_cannot_be_made_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "file"))
    assert cached_vectors("model", ["a dog"], Lengths())[0].tolist() == [[5, 1]]
