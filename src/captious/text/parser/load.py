"""The weights of the caption parser: one file, no pickled objects."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from captious.errors import InputError
from captious.text.parser.network import Weights

WEIGHTS_FILE = "weights.npz"
_ARRAYS = tuple(field.name for field in fields(Weights) if field.name != "general_step")


class Model(NamedTuple):
    """Weights, the names of their rows and classes, and how they were made."""

    weights: Weights
    known: dict[str, int]
    general: dict[str, int]
    tags: tuple[str, ...]
    relations: tuple[str, ...]
    notes: dict[str, Any]


def pack_names(names: list[str]) -> NDArray[np.uint8]:
    """Names as bytes, a line each.

    >>> unpack_names(pack_names(["dog", "café"]))
    ['dog', 'café']
    """
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def unpack_names(packed: NDArray[np.uint8]) -> list[str]:
    """Names that `pack_names` packed."""
    return packed.tobytes().decode().split("\n")


def read_model(file: Path) -> Model:
    """Read a weights file that `training/caption_parser/export.py` wrote."""
    with _open(file) as stored:
        missing = [name for name in (*_ARRAYS, "notes") if name not in stored]
        if missing:
            raise InputError(
                f'{file}: no array "{missing[0]}". Give a file that training/caption_parser/export.py wrote.'
            )
        notes = json.loads(stored["notes"].tobytes())
        arrays = {name: _as_float(stored[name]) for name in _ARRAYS}
        names = {
            kind: unpack_names(stored[kind])
            for kind in ("word_names", "general_names", "tag_names", "relation_names")
        }
    return Model(
        Weights(**arrays, general_step=notes["general_step"]),
        {word: row for row, word in enumerate(names["word_names"], 1)},
        {word: row for row, word in enumerate(names["general_names"], 1)},
        tuple(names["tag_names"]),
        tuple(names["relation_names"]),
        notes,
    )


def _open(file: Path) -> NpzFile:
    try:
        stored = np.load(file, allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{file}: no such file. It should contain a caption parser.") from None
    except (OSError, ValueError, EOFError, BadZipFile):
        stored = None
    if not isinstance(stored, NpzFile):
        raise InputError(
            f"{file}: contains no caption parser. Give a file that training/caption_parser/export.py wrote."
        )
    return stored


def _as_float(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array


@cache
def shipped_model() -> Model:
    """The weights inside the package."""
    with as_file(files("captious.text.parser") / WEIGHTS_FILE) as file:
        return read_model(file)
