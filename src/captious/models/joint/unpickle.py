"""Pickles of other people's data, read without running anything in them.

A pickle is a program. Of its vocabulary only numbers, texts, containers and NumPy arrays are
understood here; a file that asks for any other name is refused before anything is called.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from captious.errors import InputError, one_line

Allowed = Mapping[tuple[str, str], Callable[..., Any]]


def _array(kind: object, shape: object, code: object) -> Any:
    """What NumPy's pickles begin an array with; its state, read as plain data, comes after it."""
    return np.ndarray((0,), dtype=np.uint8)


def _encoded(text: str, encoding: str = "latin1") -> bytes:
    """Bytes, as Python 2 pickles write them; no codec but latin-1 is asked."""
    if encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError(f"asks for the encoding {encoding}")
    return text.encode("latin1")


def _scalar(dtype: Any, content: Any = b"") -> Any:
    return np.frombuffer(content, dtype=dtype)[0]


def _from_buffer(content: Any, dtype: Any, shape: Any, order: str) -> Any:
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if order == "F" else "C")


_ARRAYS: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _encoded,
}
for _core in ("numpy.core", "numpy._core"):
    _ARRAYS[f"{_core}.multiarray", "_reconstruct"] = _array
    _ARRAYS[f"{_core}.multiarray", "scalar"] = _scalar
    _ARRAYS[f"{_core}.numeric", "_frombuffer"] = _from_buffer


class _Reader(pickle.Unpickler):
    def __init__(self, content: io.BytesIO, allowed: Allowed) -> None:
        super().__init__(content, encoding="latin1")
        self._allowed = {**_ARRAYS, **allowed}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._allowed:
            raise _ForbiddenError(f"{module}.{name}")
        return self._allowed[module, name]

    def persistent_load(self, pid: Any) -> Any:
        raise _ForbiddenError("a persistent object")


class _ForbiddenError(pickle.UnpicklingError):
    """The pickle asks for something that could be code."""


def read_pickle(content: bytes, path: Path, allowed: Allowed | None = None) -> Any:
    """What a pickle holds, where it holds plain data only; `InputError` names the file otherwise.

    `allowed` adds names: (module, name) -> what stands in for it.

    >>> read_pickle(pickle.dumps({"features": [1.5]}), Path("image.npy"))
    {'features': [1.5]}
    >>> read_pickle(pickle.dumps(print), Path("image.npy"))
    Traceback (most recent call last):
    captious.errors.InputError: image.npy: is a pickle that asks for builtins.print. Only plain data is read.
    """
    try:
        return _Reader(io.BytesIO(content), allowed or {}).load()
    except _ForbiddenError as error:
        raise InputError(
            f"{path}: is a pickle that asks for {one_line(str(error))}. Only plain data is read."
        ) from None
    except (
        pickle.UnpicklingError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        ImportError,
        MemoryError,
        OverflowError,
    ) as error:
        reason = one_line(str(error) or type(error).__name__, 80)
        raise InputError(f"{path}: is a damaged pickle ({reason}). Download it again.") from None


def read_npy(path: Path) -> Any:
    """An array of a `.npy` file, or the object that one was saved with, read as plain data."""
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            dtype = _header(file, version)[2]
            if not dtype.hasobject:
                return np.load(path, allow_pickle=False)
            content = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except (ValueError, EOFError) as error:
        raise InputError(f"{path}: is not a complete .npy file ({one_line(str(error), 80)}).") from None
    found = read_pickle(content, path)
    return found.item() if isinstance(found, np.ndarray) and found.shape == () else found


def _header(file: Any, version: tuple[int, int]) -> Any:
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return reader(file)
