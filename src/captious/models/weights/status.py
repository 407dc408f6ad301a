"""The status of weights on this machine, for `captious doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from captious.errors import InputError
from captious.models.weights.find import command, search
from captious.models.weights.known import known

_FILES = (".safetensors", ".bin", ".pth", ".pt", ".gguf", ".onnx", ".pb")


class Status(NamedTuple):
    """Status of weights: whether and where they are installed, revision, size, and how to get them."""

    name: str
    present: bool
    path: str
    place: str
    revision: str
    size: str
    licence: str
    command: str


def status(name: str) -> Status:
    """Get the status of weights, without the network.

    >>> status("ViT-B-32/openai").licence
    'MIT (OpenAI)'
    """
    one = known(name)
    size, licence = (one.size, one.licence) if one is not None else ("", "")
    try:
        found = search(name)
    except InputError as error:
        return Status(name, False, "", "", "", size, licence, str(error))
    if found is None:
        return Status(name, False, "", "", "", size, licence, command(name))
    held = f"{_bytes(found.path) / 1e6:,.0f} MB"
    return Status(name, True, str(found.path), found.place, found.revision[:8], held, licence, "")


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.suffix in _FILES]
    return sum(file.stat().st_size for file in files)
