"""Checkpoints are read without running anything in them; damage is told by the file's name."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest

from captious.errors import InputError
from captious.models.encoders.checkpoint import read_state


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
