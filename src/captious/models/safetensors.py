"""Read a `.safetensors` file into arrays; nothing in such a file is ever run.

The layout: eight bytes that tell the header's length, the header as JSON (for each tensor its type,
shape and place), then the numbers. Ours rather than the package safetensors, whose arrays for NumPy
have no bfloat16, and so that encoders need no further compiled package.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError

_LENGTH_BYTES = 8
_TYPES = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "BF16": np.uint16}


def read_tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every tensor of real numbers by name, as 32-bit floats; others are left out."""
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        length = int.from_bytes(content[:_LENGTH_BYTES].tobytes(), "little")
        start = _LENGTH_BYTES + length
        if start > len(content):
            raise _damaged(path)
        header = json.loads(content[_LENGTH_BYTES:start].tobytes())
        return {
            name: _tensor(content[start:], facts)
            for name, facts in header.items()
            if name != "__metadata__" and facts["dtype"] in _TYPES
        }
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: is not a complete safetensors file. Download it again.")


def _tensor(content: NDArray[np.uint8], facts: dict[str, Any]) -> NDArray[np.float32]:
    first, last = facts["data_offsets"]
    values = np.frombuffer(content[first:last].tobytes(), dtype=_TYPES[facts["dtype"]])
    if facts["dtype"] == "BF16":  # the upper half of a 32-bit float
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.reshape(facts["shape"]).astype(np.float32)
