"""SPICE items with our parser against the golden items, for weights that never saw the captions.

    python training/caption_parser/item_scores.py --data DATA --golden GOLDEN --weights FILE

The weights should come from `train.py --benchmarks-held-out`: for others the figures are too good.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from captious.metrics.spice.graph import SceneGraph
from captious.metrics.spice.score import compare_graphs
from captious.text.parser import CaptionParser
from captious.text.parser.load import read_model
from captious.text.ptb import tokenise_many
from captious.text.scene_graph import Tuple, scene_tuples


class Item(NamedTuple):
    """A candidate with its references; `system` is what an average is taken over."""

    key: str
    system: str
    image: str
    candidate: str
    references: tuple[str, ...]


def _rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def thumb(data: Path) -> Iterator[Item]:
    """THumB: five systems on 500 images, four references each."""
    references = {
        row["seg_id"]: tuple(row["refs"]) for row in _rows(data / "thumb/mscoco_references.jsonl")
    }
    for row in _rows(data / "thumb/mscoco_THumB-1.0.jsonl"):
        image = row["seg_id"]
        yield Item(f"{row['SYS']}|{image}", row["SYS"], image, row["hyp"], references[image])


def karpathy_m2(data: Path) -> Iterator[Item]:
    """The M2 Transformer on Karpathy's test split, five references each."""
    folder = data / "coco_karpathy"
    outputs = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    for image, caption in outputs.items():
        yield Item(image, "M2", image, caption, tuple(references[image][:5]))


def flickr8k_expert(data: Path) -> Iterator[Item]:
    """Flickr8k-Expert: captions of other images, five references each."""
    captions, references = {}, defaultdict(list)
    folder = data / "flickr8k"
    for line in (folder / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines():
        key, text = line.split("\t")
        captions[key] = text
        references[key.partition("#")[0]].append(text)
    for line in (folder / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines():
        image, key = line.split("\t")[:2]
        yield Item(f"{image}|{key}", "all", image, captions[key], tuple(references[image]))


SETS = {"thumb": thumb, "flickr8k_expert": flickr8k_expert, "karpathy_m2": karpathy_m2}


def _golden_scores(golden: Path, name: str) -> dict[str, float]:
    with gzip.open(golden / "spice" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["id"]: row["f"] for row in map(json.loads, lines)}


def _tuples(parser: CaptionParser, texts: list[str]) -> dict[str, list[Tuple]]:
    parses = parser.parse_many(tokenise_many(texts))
    return {text: scene_tuples(parse) for text, parse in zip(texts, parses, strict=True)}


def scores(parser: CaptionParser, items: list[Item]) -> list[float]:
    """F of each item."""
    texts = {text for item in items for text in (item.candidate, *item.references)}
    tuples = _tuples(parser, sorted(texts))
    merged: dict[str, SceneGraph] = {}
    found = []
    for item in items:
        if item.image not in merged:
            merged[item.image] = SceneGraph.of([tuples[text] for text in item.references])
        own = SceneGraph.of([tuples[item.candidate]])
        found.append(compare_graphs(own, merged[item.image]).f)
    return found


def compare(parser: CaptionParser, data: Path, golden: Path, name: str) -> list[str]:
    """Lines of a table: correlation of the items, and averages of each system."""
    official = _golden_scores(golden, name)
    items = [item for item in SETS[name](data) if item.key in official]
    ours = np.array(scores(parser, items))
    theirs = np.array([official[item.key] for item in items])
    r = float(np.corrcoef(ours, theirs)[0, 1])
    exact = float(np.mean(np.isclose(ours, theirs)))
    lines = [f"{name}: {len(items)} items, r {r:.4f}, equal {100 * exact:.1f}%"]
    systems = np.array([item.system for item in items])
    for system in dict.fromkeys(systems.tolist()):
        mine, golden_mean = (100 * values[systems == system].mean() for values in (ours, theirs))
        lines.append(f"  {system:<14} ours {mine:6.2f}  official {golden_mean:6.2f}")
    return lines


def main() -> None:
    """Read the command line and print all sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "golden", "weights"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    caption_parser = CaptionParser(read_model(given.weights))
    for name in SETS:
        print("\n".join(compare(caption_parser, given.data, given.golden, name)), flush=True)


if __name__ == "__main__":
    main()
