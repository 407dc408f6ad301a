"""Checkpoints are read without running anything in them; damage is told by the file's name."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.checkpoint import LowRank, read_state, read_tensors


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch evil-was-here",)


def test_a_pickle_that_would_run_something_is_refused(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.chdir(tmp_path)
    torch.save({"weight": torch.zeros(2), "extra": Evil()}, tmp_path / "evil.pth")
    with pytest.raises(InputError, match=r"evil.pth: contains more than weights"):
        read_state(tmp_path / "evil.pth")
    assert not (tmp_path / "evil-was-here").exists()


def test_openais_own_archives_are_programs_and_are_refused(tiny: ModuleType, tmp_path: Path) -> None:
    import torch

    program = torch.jit.script(torch.nn.Linear(2, 2))
    program.save(str(tmp_path / "ViT-B-32.pt"))
    with pytest.raises(InputError, match=r"ViT-B-32.pt: is a TorchScript program"):
        read_state(tmp_path / "ViT-B-32.pt")


@pytest.mark.parametrize("name", ["half.pth", "half.safetensors", "page.pth"])
def test_half_downloaded_files_are_told_by_name(tiny: ModuleType, tmp_path: Path, name: str) -> None:
    import torch
    from safetensors.torch import save_file

    path = tmp_path / name
    weights = {"weight": torch.arange(10_000.0)}
    if name == "page.pth":  # what a download behind a login often is
        path.write_text("<!doctype html><title>Sign in</title>")
    else:
        (save_file if name.endswith("safetensors") else torch.save)(weights, path)
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError) as caught:
        read_state(path)
    assert str(path) in str(caught.value)
    assert "again" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_named_weights_is_refused(tiny: ModuleType, tmp_path: Path) -> None:
    import torch

    torch.save([1, 2, 3], tmp_path / "list.pth")
    with pytest.raises(InputError, match="contains no named weights"):
        read_state(tmp_path / "list.pth")


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


FACTORS = {"w": (np.array([[1.0, 2.0]], np.float32), np.array([[1.0], [0.0], [3.0]], np.float32))}


def test_the_change_is_added_at_its_strength() -> None:
    changed = LowRank(FACTORS, 0.5).applied({"w": np.ones((3, 2), np.float32), "v": np.zeros(1, np.float32)})
    # 1 + 0.5 * b a, with b a = [[1, 2], [0, 0], [3, 6]]
    assert changed["w"].tolist() == [[1.5, 2.0], [1.0, 1.0], [2.5, 4.0]]
    assert changed["v"].tolist() == [0.0]


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match='no matrix "w"'):
        LowRank(FACTORS).applied({"w": np.ones((2, 2), np.float32)})


def test_the_digest_tells_changes_apart() -> None:
    assert LowRank(FACTORS).digest() == LowRank(dict(FACTORS)).digest()
    assert LowRank(FACTORS).digest() != LowRank(FACTORS, 0.5).digest()
