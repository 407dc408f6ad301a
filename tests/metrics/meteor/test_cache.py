"""The cache is rebuilt where it is missing, torn or foreign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious.errors import CaptiousWarning
from captious.files import cache_folder
from captious.metrics.meteor.cache import cached_arrays

ARRAYS = {"squares": np.arange(50) ** 2, "none": np.zeros(0, dtype=np.int32)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    return tmp_path


def _read() -> tuple[list[int], int]:
    made = []
    arrays = cached_arrays("table", lambda: made.append(1) or dict(ARRAYS))
    return np.asarray(arrays["squares"]).tolist(), len(made)


def test_made_once(folder: Path) -> None:
    assert [_read()[1] for _ in range(3)] == [1, 0, 0]
    assert _read()[0] == ARRAYS["squares"].tolist()


@pytest.mark.parametrize("damage", ["truncate", "overwrite", "remove", "manifest"])
def test_damage_is_mended(folder: Path, damage: str) -> None:
    _read()
    file = folder / "table" / "squares.npy"
    if damage == "truncate":
        file.write_bytes(file.read_bytes()[:100])
    elif damage == "overwrite":
        file.write_bytes(bytes(len(file.read_bytes())))
    elif damage == "remove":
        file.unlink()
    else:
        (folder / "table" / "manifest.json").write_text("{", "utf-8")
    assert _read() == (ARRAYS["squares"].tolist(), 1)
    assert _read() == (ARRAYS["squares"].tolist(), 0)


def test_a_folder_that_cannot_be_written_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", "utf-8")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(blocked))
    said = []

    def make() -> dict[str, np.ndarray]:
        said.append(len(warned))  # the reader hears of it before the long wait, not after
        return dict(ARRAYS)

    with pytest.warns(CaptiousWarning, match=r"file \(File exists\) and are compiled again") as warned:
        arrays = cached_arrays("table", make)
    assert arrays["squares"].tolist() == ARRAYS["squares"].tolist()
    assert said == [1]


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CAPTIOUS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "captious"
