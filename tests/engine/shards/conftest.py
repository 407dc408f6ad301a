from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

Row = dict[str, Any]
WORDS = [f"w{i}" for i in range(200)]


def make_rows(images: int, *, seed: int = 1, first: int = 0) -> list[Row]:
    """Captions and references of words that are as rare as their number is high (Zipf)."""
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(WORDS))]

    def text() -> str:
        return " ".join(rng.choices(WORDS, weights, k=rng.randint(5, 12)))

    return [
        {"image_id": str(first + i), "caption": text(), "references": [text() for _ in range(2 + i % 2)]}
        for i in range(images)
    ]


def write_parquet(path: Path, rows: list[Row], row_group: int = 1000) -> Path:
    import pyarrow as arrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=row_group)
    return path


def write_lines(path: Path, rows: list[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


@pytest.fixture
def rows() -> Callable[..., list[Row]]:
    return make_rows


@pytest.fixture
def parquet_shard() -> Callable[..., Path]:
    return write_parquet


@pytest.fixture
def lines_shard() -> Callable[..., Path]:
    return write_lines


@pytest.fixture
def shards(tmp_path: Path) -> tuple[Path, list[Row]]:
    """Four Parquet shards of 60 captions each, in row groups of 25."""
    made = make_rows(240)
    for number in range(4):
        write_parquet(tmp_path / "m2" / f"s{number}.parquet", made[60 * number :][:60], 25)
    return tmp_path / "m2", made
