"""Weights out of files: safetensors, or a pickle that is read without running anything in it."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from captious.errors import InputError, one_line
from captious.models.safetensors import read_tensors

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
