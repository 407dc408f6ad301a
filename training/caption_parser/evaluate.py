"""How often the caption parser agrees with the golden parses on captions kept from training.

    python training/caption_parser/evaluate.py --data DATA --golden GOLDEN [--weights FILE]

`--benchmarks-held-out` is for weights that were trained with the same option: all captions of
THumB, Karpathy's test split, CapEval1k and Flickr8k-Expert are then judged too.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from golden_trees import Split, Tree, read_trees, split_by_image

from captious.text.parse import Parse
from captious.text.parser import CaptionParser
from captious.text.parser.load import Model, read_model, shipped_model
from captious.text.scene_graph import scene_tuples

COLUMNS = ("captions", "words", "tags", "UAS", "LAS", "exact", "tuple F1", "tuples")


def agreement(tree: Tree, parse: Parse) -> np.ndarray:
    """Captions, words, right tags, heads, heads with relations, exact trees; then tuples.

    Of tuples: those that both have, those that either has counted in each, exact sets.
    """
    tags = np.array(tree.tags) == np.array(parse.tags)
    heads = np.array(tree.heads) == np.array(parse.heads)
    labelled = heads & (np.array(tree.relations) == np.array(parse.labels))
    tuples = set(scene_tuples(parse))
    words = [1, len(tags), tags.sum(), heads.sum(), labelled.sum(), tags.all() & labelled.all()]
    shared = len(tuples & tree.tuples)
    return np.array([*words, shared, len(tuples) + len(tree.tuples), tuples == tree.tuples])


def unseen_agreement(tree: Tree, parse: Parse, known: dict[str, int]) -> np.ndarray:
    """Words without a vector of their own: how many, right tags, right heads with relations."""
    unseen = np.array([word not in known for word in tree.words])
    tags = unseen & (np.array(tree.tags) == np.array(parse.tags))
    heads = np.array(tree.heads) == np.array(parse.heads)
    labelled = unseen & heads & (np.array(tree.relations) == np.array(parse.labels))
    return np.array([unseen.sum(), tags.sum(), labelled.sum()])


def evaluate(model: Model, split: Split) -> dict[str, dict[str, float]]:
    """Figures for each set and for all.

    Tags and attachment are shares of words; `exact` (trees) and `tuples` (sets of tuples) are
    shares of captions; tuple F1 is 2 x shared / (ours + golden) over all captions.
    """
    parses = CaptionParser(model).parse_many([tree.words for tree in split.held_out])
    sums: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(9))
    unseen = np.zeros(3)
    for tree, parse in zip(split.held_out, parses, strict=True):
        counts = agreement(tree, parse)
        sums[tree.source] += counts
        sums["all"] += counts
        unseen += unseen_agreement(tree, parse, model.known)
    table = {name: _shares(counts) for name, counts in sums.items()}
    rare = {"words": int(unseen[0]), "tags": unseen[1] / unseen[0], "LAS": unseen[2] / unseen[0]}
    return {**table, "unknown words": rare}


def _shares(counts: np.ndarray) -> dict[str, float]:
    captions, words = int(counts[0]), int(counts[1])
    f1 = 2 * counts[6] / counts[7]
    shares = [*(counts[2:5] / words), counts[5] / captions, f1, counts[8] / captions]
    return dict(zip(COLUMNS, [captions, words, *map(float, shares)], strict=True))


def as_text(table: dict[str, dict[str, float]]) -> str:
    """A table as papers print it."""
    lines = [f"{'set':<14}" + "".join(f"{column:>10}" for column in COLUMNS)]
    for name, row in table.items():
        cells = [row.get(column) for column in COLUMNS]
        shown = [
            "" if cell is None else f"{cell:,}" if isinstance(cell, int) else f"{100 * cell:.2f}"
            for cell in cells
        ]
        lines.append(f"{name:<14}" + "".join(f"{cell:>10}" for cell in shown))
    return "\n".join(lines)


def main() -> None:
    """Read the command line, evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--golden", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="default: the weights of the package")
    parser.add_argument("--benchmarks-held-out", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    model = read_model(given.weights) if given.weights else shipped_model()
    trees = list(read_trees(given.golden))
    split = split_by_image(trees, given.data, benchmarks_held_out=given.benchmarks_held_out)
    table = evaluate(model, split)
    print(json.dumps(table) if given.json else as_text(table))


if __name__ == "__main__":
    main()
