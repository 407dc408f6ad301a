"""Files as the safetensors package writes them, and broken ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.safetensors import read_tensors


def test_reads_what_the_package_writes(tmp_path: Path) -> None:
    written = pytest.importorskip("safetensors.numpy")
    values = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
    arrays = {"full": values, "half": values.astype(np.float16), "places": np.arange(4)}
    written.save_file(arrays, tmp_path / "x.safetensors")
    found = read_tensors(tmp_path / "x.safetensors")
    assert set(found) == {"full", "half"}  # whole numbers are no weights
    np.testing.assert_array_equal(found["full"], values)
    np.testing.assert_array_equal(found["half"], values.astype(np.float16).astype(np.float32))


def test_brain_floats_are_the_upper_half_of_floats(tmp_path: Path) -> None:
    # 1.5 is 0x3FC00000 and -2 is 0xC0000000: upper halves 0x3FC0 and 0xC000, little-endian.
    header = b'{"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\xc0\x3f\x00\xc0")
    assert read_tensors(path)["x"].tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x01",
        b"\xff" * 16,
        (3).to_bytes(8, "little") + b"{}x",
        (55).to_bytes(8, "little") + b'{"x":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}' + b"\0" * 8,
    ],
)
def test_a_torn_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "torn.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a complete safetensors file"):
        read_tensors(path)


def test_an_absent_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_tensors(tmp_path / "absent")
