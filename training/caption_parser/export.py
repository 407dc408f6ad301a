"""Write a trained checkpoint as the weights file that the package ships.

    python training/caption_parser/export.py RUN/checkpoint.pt … src/captious/text/parser/weights.npz

Sixteen-bit floats and eight-bit general vectors; the average weights of the run, no optimiser. Of several
runs that went on from the same weights it writes the mean (Wortsman et al. 2022, "model soups").
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from prepare import GENERAL_STEP

from captious.text.parser.load import pack_names


def arrays_of(state: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Arrays under the names of `captious.text.parser.network.Weights`, inputs first."""
    arrays = {}
    for name, tensor in state.items():
        module, _, kind = name.partition(".")
        if module == "general":
            continue
        values = tensor.T if kind == "weight" else tensor
        key = f"{module}_bias" if kind == "bias" else module
        arrays[key] = np.ascontiguousarray(values.numpy().astype(np.float16))
    return arrays


def joined(checkpoints: list[Path]) -> dict[str, Any]:
    """The mean of several runs, with the notes of each."""
    several = [torch.load(file, map_location="cpu", weights_only=True) for file in checkpoints]
    if len(several) == 1:
        return several[0]
    first = several[0]
    state = {
        name: torch.stack([one["state"][name].float() for one in several]).mean(0) for name in first["state"]
    }
    runs = [json.loads(one["notes"]) for one in several]
    held_out = runs[0]["benchmarks_held_out"]
    return {**first, "state": state, "notes": json.dumps({"benchmarks_held_out": held_out, "runs": runs})}


def export(checkpoints: list[Path], out: Path) -> dict[str, object]:
    """Write the weights file and return its notes."""
    stored = joined(checkpoints)
    arrays = arrays_of(stored["state"])
    arrays["general"] = stored["general_vectors"].numpy()
    arrays["word_names"] = pack_names(stored["words"])
    arrays["general_names"] = pack_names(stored["general_words"])
    arrays["tag_names"] = pack_names(stored["tags"])
    arrays["relation_names"] = pack_names(stored["relations"])
    digest = sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    notes = {
        **json.loads(stored["notes"]),
        "general_step": GENERAL_STEP,
        "name": f"captions-{digest.hexdigest()[:8]}",
    }
    arrays["notes"] = np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8)
    np.savez_compressed(out, **arrays)
    return notes


def main() -> None:
    """Read the command line, export, print the notes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    print(json.dumps(export(given.checkpoints, given.out)))


if __name__ == "__main__":
    main()
