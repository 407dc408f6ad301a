"""Speed of the classic metrics: captious against pycocoevalcap on the same captions, same run.

The Karpathy test split's 5,000 images with five references each and the M2 Transformer's captions:
tokenisation, BLEU-1 to 4, ROUGE-L and CIDEr, in one process, from plain lists of text to scores,
imports not counted. Every item's scores must be equal to 1e-6. captious remembers the words that
its tokeniser has met, so its first run in a process and the median of further runs are both shown;
the peer remembers nothing and runs once (its tokeniser is a Java program, so Java must be there).

    python benchmarks/coco_caption.py [--data DIR] [--repeats 5]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

METRICS = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider")
TOLERANCE = 1e-6
Items = dict[str, np.ndarray]


def load(folder: Path) -> tuple[list[str], list[str], list[list[str]]]:
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)
    return ids, [captions[i] for i in ids], [references[i] for i in ids]


def run_ours(captions: list[str], references: list[list[str]]) -> tuple[float, Items]:
    from captious import Corpus
    from captious.metrics import Batch, resolve
    from captious.text import ptb  # noqa: F401  imported now, so that the clock does not see it

    resolve("cider")
    start = time.perf_counter()
    batch = Batch(Corpus.from_lists(captions, references))
    items = {}
    for name in METRICS:
        metric = resolve(name)
        items[name] = metric.score_examples(batch, metric.merge([metric.collect(batch)]))
    return time.perf_counter() - start, items


def run_peer(
    ids: list[str], captions: list[str], references: list[list[str]]
) -> tuple[dict[str, float], Items]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    seconds, clock = {}, time.perf_counter()

    def lap(name: str) -> None:
        nonlocal clock
        seconds[name], clock = time.perf_counter() - clock, time.perf_counter()

    tokeniser = PTBTokenizer()
    theirs = tokeniser.tokenize(
        {i: [{"caption": r} for r in own] for i, own in zip(ids, references, strict=True)}
    )
    ours = tokeniser.tokenize({i: [{"caption": c}] for i, c in zip(ids, captions, strict=True)})
    lap("tokenisation")
    with contextlib.redirect_stdout(io.StringIO()):
        _, bleu = Bleu(4).compute_score(theirs, ours)
    lap("BLEU-1 to 4")
    _, rouge = Rouge().compute_score(theirs, ours)
    lap("ROUGE-L")
    _, cider = Cider().compute_score(theirs, ours)
    lap("CIDEr")
    items = {f"bleu{n}": np.array(values) for n, values in enumerate(bleu, start=1)}
    return seconds, items | {"rouge_l": np.array(rouge), "cider": np.array(cider)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    ids, captions, references = load(options.data / "coco_karpathy")
    first, items = run_ours(captions, references)
    again = [run_ours(captions, references)[0] for _ in range(max(options.repeats, 1))]
    laps, expected = run_peer(ids, captions, references)
    theirs = sum(laps.values())
    for name, seconds in laps.items():
        print(f"pycocoevalcap  {name:14} {seconds:8.2f} s")
    print(f"pycocoevalcap  {'together':14} {theirs:8.2f} s")
    for label, ours in (("first run", first), ("further runs", statistics.median(again))):
        print(f"captious       {label:14} {ours:8.2f} s   {theirs / ours:.0f} times faster")
    print("\nmetric    captious  pycocoevalcap  largest difference of an item")
    worst = 0.0
    for name in METRICS:
        difference = float(np.abs(items[name] - expected[name]).max())
        worst = max(worst, difference)
        means = f"{items[name].mean():8.4f}  {expected[name].mean():13.4f}"
        print(f"{name:8}  {means}  {difference:.1e}")
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
