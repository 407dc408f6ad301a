"""Speed of BERTScore: captious against the bert-score package, same weights, same run.

The M2 Transformer's captions of the Karpathy test split with five references each, encoded by
all-MiniLM-L6-v2 (layer 6), from plain lists of text to precision, recall and F1. Loading the model
is timed apart for both. Every part of every caption must be equal to 1e-4. (The package pads the
captions of a batch, and a word whose best cosine is negative takes 0 from the padding instead: the
value then depends on the captions beside it. Captions that differ are scored again by the package
one pair at a time, where nothing is padded, and must then be equal.) The two take turns, part by
part, so that whatever else the machine does meets both; processor time, of all threads, is shown
beside the clock's because a busy machine stretches only the latter. The package needs torch,
transformers and bert-score; where they are missing only captious runs.

    python benchmarks/metrics/bertscore.py [--data DIR] [--images 5000] [--idf] [--turns 1]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

LAYER = 6
TOLERANCE = 1e-4
Score = Callable[[list[str], list[list[str]]], np.ndarray]


def load(folder: Path, images: int) -> tuple[list[str], list[list[str]]]:
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)[:images]
    return [captions[i] for i in ids], [references[i] for i in ids]


def ours(idf: bool) -> Score:
    from captious import Corpus
    from captious.metrics import Batch
    from captious.metrics.bertscore import BertScore

    metric = BertScore(layer=LAYER, idf=idf)

    def score(captions: list[str], references: list[list[str]]) -> np.ndarray:
        batch = Batch(Corpus.from_lists(captions, references))
        return metric.all_parts(batch, metric.merge([metric.collect(batch)]))

    score(["a dog"], [["a cat"]])
    return score


def theirs(idf: bool, captions: list[str], references: list[list[str]]) -> Score:
    from bert_score import BERTScorer
    from transformers.utils import logging

    from captious.models.locate import MINILM, carried

    logging.disable_progress_bar()
    flat = [text for own in references for text in own]
    scorer = BERTScorer(
        model_type=str(carried(MINILM)),
        num_layers=LAYER,
        idf=idf,
        idf_sents=flat if idf else None,
        device="cpu",
    )

    def score(captions: list[str], references: list[list[str]]) -> np.ndarray:
        parts = scorer.score(captions, references)
        return np.stack([part.numpy() for part in parts], axis=1)

    score(captions[:1], references[:1])
    return score


def alone(score: Score, captions: list[str], references: list[list[str]]) -> np.ndarray:
    """The package's best parts when each pair is a batch of its own."""
    return np.array(
        [
            np.max([score([caption], [[reference]])[0] for reference in own], axis=0)
            for caption, own in zip(captions, references, strict=True)
        ]
    )


def timed(make: Callable[[], Score]) -> tuple[Score, float]:
    start = time.perf_counter()
    made = make()
    return made, time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--idf", action="store_true")
    parser.add_argument("--turns", type=int, default=1, help="parts in which the two take turns")
    options = parser.parse_args()
    captions, references = load(options.data / "coco_karpathy", options.images)
    runs: dict[str, Score] = {}
    runs["captious"], loading = timed(lambda: ours(options.idf))
    print(f"captious    loading {loading:8.2f} s")
    if find_spec("bert_score") and find_spec("torch"):
        runs["bert-score"], loading = timed(lambda: theirs(options.idf, captions, references))
        print(f"bert-score  loading {loading:8.2f} s")
    else:
        print("bert-score  is not installed: pip install torch transformers bert-score")
    turns = 1 if options.idf else max(1, options.turns)
    seconds, processor = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
    found: dict[str, list[np.ndarray]] = {name: [] for name in runs}
    for part in np.array_split(np.arange(len(captions)), turns):
        rows = part.tolist()
        for name, run in runs.items():
            start, busy = time.perf_counter(), time.process_time()
            found[name].append(run([captions[i] for i in rows], [references[i] for i in rows]))
            seconds[name] += time.perf_counter() - start
            processor[name] += time.process_time() - busy
    for name, spent in seconds.items():
        mean = np.concatenate(found[name]).mean(axis=0)
        rate = f"({processor[name]:.2f} s of processor) {len(captions) / spent:7.1f} captions/s"
        print(f"{name:11} scoring {spent:8.2f} s {rate}   P {mean[0]:.4f} R {mean[1]:.4f} F1 {mean[2]:.4f}")
    if len(runs) < 2:
        return 0
    mine, package = (np.concatenate(found[name]) for name in ("captious", "bert-score"))
    padded = np.flatnonzero((np.abs(mine - package) > TOLERANCE).any(axis=1)).tolist()
    if padded:
        package[padded] = alone(
            runs["bert-score"], [captions[i] for i in padded], [references[i] for i in padded]
        )
        print(f"{len(padded)} captions were scored again by the package without padding")
    difference = np.abs(mine - package)
    ratio, own = (part["bert-score"] / part["captious"] for part in (seconds, processor))
    print(
        f"captious is {ratio:.1f} times as fast by the clock, {own:.1f} times by the processor; "
        f"largest difference {difference.max():.1e}"
    )
    return int(difference.max() > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
