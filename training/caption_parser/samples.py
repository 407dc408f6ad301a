"""What the PyTorch network says of some captions, for the test of the NumPy one.

python training/caption_parser/samples.py WEIGHTS captions.txt samples.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from model import CaptionParser, sizes_of, state_of
from prepare import GENERAL_STEP, General, Inventory, encode, inventory_of, to_batch

from captious.text.parse import Parse
from captious.text.parser.load import read_model


def main() -> None:
    """Read the command line and write tags and, word by word, the best heads and relations."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("weights", "captions", "out"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    stored = read_model(given.weights)
    weights = stored.weights
    inventory = inventory_of(stored, General(list(stored.general), weights.general))
    general = torch.from_numpy(weights.general).float() * GENERAL_STEP
    model = CaptionParser(sizes_of(stored), general).eval()
    model.load_state_dict(state_of(weights) | {"general": general})
    lines = given.captions.read_text(encoding="utf-8").splitlines()
    samples = [analyse(model, inventory, tuple(line.split())) for line in lines]
    given.out.write_text(
        "[\n" + ",\n".join(json.dumps(sample, ensure_ascii=False) for sample in samples) + "\n]\n",
        encoding="utf-8",
    )


@torch.no_grad()
def analyse(model: CaptionParser, inventory: Inventory, words: tuple[str, ...]) -> dict[str, object]:
    """Best tags, best heads of each word by itself, and best relations to these heads."""
    blank = Parse(words, words, words, (0,) * len(words), words)
    encoded = encode([blank], inventory)
    batch, _ = to_batch(encoded, np.array([0]))
    outputs = model(batch)
    heads = outputs.arcs.argmax(-1)
    relations = model.relation_scores(outputs, heads)[0].argmax(-1)
    return {
        "caption": " ".join(words),
        "tags": " ".join(inventory.tags[row] for row in outputs.tags[0].argmax(-1)),
        "heads": heads[0].tolist(),
        "relations": " ".join(inventory.relations[row] for row in relations),
    }


if __name__ == "__main__":
    main()
