"""Weights out of files: safetensors, or a pickle that is read without running anything in it."""

from __future__ import annotations

import hashlib
import json
import pickle
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, one_line

StateDict = dict[str, Any]
# Under which name checkpoints of training runs keep the weights.
WRAPPERS = ("state_dict", "model_state_dict", "model")
_AGAIN = "Download the file again."


def read_state(path: Path) -> StateDict:
    """Tensors by name from `.safetensors`, or from a pickle by `torch.load(weights_only=True)`.

    A pickle that holds anything but tensors, numbers and plain containers is refused, as is a
    TorchScript archive (OpenAI's own `.pt` files), which is a program.
    """
    import torch

    if path.suffix == ".safetensors":
        return {name: torch.from_numpy(values) for name, values in read_tensors(path).items()}
    return unwrapped(read_checkpoint(path), path)


def read_checkpoint(path: Path, harmless: Sequence[Any] = ()) -> Any:
    """Everything that a pickled checkpoint holds; `harmless` are classes that it may hold besides."""
    import torch

    _refuse_programs(path)
    try:
        with torch.serialization.safe_globals(list(harmless)):
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if "GLOBAL" in str(error):  # a name of a function or class, which unpickling would call
            raise InputError(
                f"{path}: contains more than weights, and only weights are loaded. Save its state_dict "
                "alone, best as .safetensors."
            ) from error
        raise InputError(f"{path}: is damaged or not a checkpoint. {_AGAIN}") from error
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        reason = one_line(str(error).splitlines()[0] if str(error) else type(error).__name__, 80)
        raise InputError(f"{path}: is damaged or cut off ({reason}). {_AGAIN}") from error


def unwrapped(content: Any, path: Path) -> StateDict:
    """The weights in what a checkpoint holds, without a training run's wrapper and `module.`."""
    for name in WRAPPERS:
        if isinstance(content, Mapping) and isinstance(content.get(name), Mapping):
            content = content[name]
    if not isinstance(content, Mapping) or not content:
        raise InputError(f"{path}: contains no named weights. Give a file with a state_dict.")
    found = {str(name): value for name, value in content.items() if hasattr(value, "shape")}
    if found and all(name.startswith("module.") for name in found):
        found = {name.removeprefix("module."): value for name, value in found.items()}
    return found


def load_into(model: Any, state: StateDict, path: Path, *, optional: tuple[str, ...] = ()) -> None:
    """Put weights into a model, where `check_state` lets them pass."""
    own = model.state_dict()
    check_state({name: tuple(value.shape) for name, value in own.items()}, state, path, optional=optional)
    model.load_state_dict({name: value for name, value in state.items() if name in own}, strict=False)


def check_state(
    shapes: Mapping[str, tuple[int, ...]], state: StateDict, path: Path, *, optional: tuple[str, ...] = ()
) -> None:
    """Refuse weights of which one lacks, is not known or has another shape than the model's.

    `optional` are beginnings of names that may be absent or unknown (position numbers, scales).
    """
    missing = [name for name in shapes if name not in state and not name.startswith(optional)]
    unknown = [name for name in state if name not in shapes and not name.startswith(optional)]
    wrong = [name for name in shapes if name in state and shapes[name] != tuple(state[name].shape)]
    for names, what in ((missing, "lacks"), (unknown, "has an unknown key")):
        if names:
            more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
            raise InputError(f'{path}: {what} "{names[0]}"{more}, so it is not the expected model.')
    if wrong:
        found, wanted = tuple(state[wrong[0]].shape), shapes[wrong[0]]
        raise InputError(f'{path}: "{wrong[0]}" has the shape {found}; the model expects {wanted}.')


def _refuse_programs(path: Path) -> None:
    """TorchScript archives hold code; reading their weights would run it."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    if any("/code/" in name or name.endswith("constants.pkl") for name in names):
        raise InputError(
            f"{path}: is a TorchScript program, which is never run. Use the same weights as safetensors or "
            "as a state_dict, such as openai/clip-vit-base-patch32 on the hub."
        )


# Read a `.safetensors` file into arrays; nothing in such a file is ever run.
# The layout: eight bytes that tell the header's length, the header as JSON (for each tensor its type,
# shape and place), then the numbers. Ours rather than the package safetensors, whose arrays for NumPy
# have no bfloat16, and so that encoders need no further compiled package.


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


# Low-rank changes of an encoder's matrices (Hu et al. 2022, LoRA): W + s B A.
# A change of rank 8 holds 2% of a small BERT's numbers, so that a tuned encoder ships as a small file
# beside the published weights that it changes.


Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LowRank:
    """Factors by the name of the matrix that they change, and how much of the change is applied.

    >>> change = LowRank({"w": (np.ones((1, 2), np.float32), np.ones((3, 1), np.float32))}, 0.5)
    >>> change.applied({"w": np.zeros((3, 2), np.float32)})["w"].tolist()[0]
    [0.5, 0.5]
    """

    factors: Mapping[str, tuple[Floats, Floats]]
    strength: float = 1.0

    @classmethod
    def mean(cls, changes: Sequence[LowRank]) -> LowRank:
        """The mean of several changes, exactly: their factors side by side.

        >>> one = LowRank({"w": (np.ones((1, 1), np.float32), np.ones((1, 1), np.float32))})
        >>> two = LowRank({"w": (np.ones((1, 1), np.float32), np.full((1, 1), 3, np.float32))})
        >>> LowRank.mean([one, two]).applied({"w": np.zeros((1, 1), np.float32)})["w"].tolist()
        [[2.0]]
        """
        factors = {}
        for name in changes[0].factors:
            own = [(*one.factors[name], one.strength / len(changes)) for one in changes]
            b = np.concatenate([np.float32(share) * b for _, b, share in own], axis=1)
            factors[name] = (np.concatenate([a for a, _, _ in own]), b)
        return cls(factors)

    def applied(self, weights: Mapping[str, Floats]) -> dict[str, Floats]:
        """The weights with the change added."""
        changed = dict(weights)
        for name, (a, b) in self.factors.items():
            if name not in changed or changed[name].shape != (b.shape[0], a.shape[1]):
                raise InputError(
                    f'the encoder has no matrix "{name}" of the size that the tuning was made for.'
                )
            changed[name] = changed[name] + np.float32(self.strength) * (b @ a)
        return changed

    def digest(self) -> str:
        """First eight digits of the SHA-256 of the factors and the strength."""
        content = hashlib.sha256(repr(float(self.strength)).encode())
        for name in sorted(self.factors):
            content.update(name.encode())
            for part in self.factors[name]:
                content.update(np.ascontiguousarray(part, dtype=np.float32).tobytes())
        return content.hexdigest()[:8]
