"""Speed of the classic metrics: captious against pycocoevalcap on the same captions, same run.

The Karpathy test split's 5,000 images with five references each and the M2 Transformer's captions:
tokenisation, BLEU-1 to 4, ROUGE-L and CIDEr, from plain lists of text to scores, imports not
counted. We and the peer take turns, each time in a new process, and the medians are compared: by
the clock and by processor time, which other work on the machine disturbs less (that of the peer's
tokeniser, a Java program, included). Every item's scores must be equal to 1e-6. captious remembers
the words that its tokeniser has met, so further runs in one process are shown too.

    python benchmarks/metrics/coco_caption.py [--data DIR] [--rounds 3] [--repeats 5]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

METRICS = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider")
TOLERANCE = 1e-6
Items = dict[str, np.ndarray]


def load(folder: Path) -> tuple[list[str], list[str], list[list[str]]]:
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)
    return ids, [captions[i] for i in ids], [references[i] for i in ids]


class Lap(NamedTuple):
    """Seconds by the clock and of processor time, child processes included."""

    clock: float
    processor: float


def now() -> Lap:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Lap(time.perf_counter(), sum(own.ru_utime + own.ru_stime for own in used))


def since(start: Lap) -> Lap:
    end = now()
    return Lap(end.clock - start.clock, end.processor - start.processor)


def median(laps: list[Lap]) -> Lap:
    return Lap(*(statistics.median(seconds) for seconds in zip(*laps, strict=True)))


def run_ours(captions: list[str], references: list[list[str]]) -> tuple[Lap, Items]:
    from captious import Corpus
    from captious.metrics import Batch, resolve

    resolve("cider")
    start = now()
    batch = Batch(Corpus.from_lists(captions, references))
    items = {}
    for name in METRICS:
        metric = resolve(name)
        items[name] = metric.score_examples(batch, metric.merge([metric.collect(batch)]))
    return since(start), items


def measure_ours(folder: Path, repeats: int) -> tuple[Lap, Lap, Items]:
    _, captions, references = load(folder)
    first, items = run_ours(captions, references)
    again = [run_ours(captions, references)[0] for _ in range(max(repeats, 1))]
    return first, median(again), items


def measure_peer(folder: Path) -> tuple[dict[str, Lap], Items]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    ids, captions, references = load(folder)
    laps, start = {}, now()

    def lap(name: str) -> None:
        nonlocal start
        laps[name], start = since(start), now()

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
    return laps, items | {"rouge_l": np.array(rouge), "cider": np.array(cider)}


def in_new_process(measure: Callable[..., Any], *arguments: Any) -> Any:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def show_items(ours: Items, theirs: Items) -> float:
    """Print the metrics' means and return the largest difference of an item."""
    print("\nmetric    captious  pycocoevalcap  largest difference of an item")
    worst = 0.0
    for name in METRICS:
        difference = float(np.abs(ours[name] - theirs[name]).max())
        worst = max(worst, difference)
        means = f"{ours[name].mean():8.4f}  {theirs[name].mean():13.4f}"
        print(f"{name:8}  {means}  {difference:.1e}")
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    folder = options.data / "coco_karpathy"
    firsts, agains, peers = [], [], []
    for _ in range(max(options.rounds, 1)):
        first, again, ours = in_new_process(measure_ours, folder, options.repeats)
        laps, theirs = in_new_process(measure_peer, folder)
        firsts.append(first)
        agains.append(again)
        peers.append(laps)
    print("                                clock            processor time")
    for name in peers[0]:
        own = median([laps[name] for laps in peers])
        print(f"pycocoevalcap  {name:12} {own.clock:8.2f} s          {own.processor:8.2f} s")
    peer = median([Lap(*map(sum, zip(*laps.values(), strict=True))) for laps in peers])
    print(f"pycocoevalcap  {'together':12} {peer.clock:8.2f} s          {peer.processor:8.2f} s")
    for label, own in (("first run", median(firsts)), ("further runs", median(agains))):
        times = [f"{mine:8.2f} s {other / mine:5.1f}x" for mine, other in zip(own, peer, strict=True)]
        print(f"captious       {label:12} {'  '.join(times)}")
    return int(show_items(ours, theirs) > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
