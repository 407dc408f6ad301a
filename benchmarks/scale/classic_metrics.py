"""Time and memory of the classic metrics on 5,000, 50,000 and 500,000 images.

Each image has one candidate and five references. They are the Karpathy test split and the M2
Transformer's captions, copied with one word of each caption replaced by a random word (drawn as
often as captions use it), so that texts and n-grams stay as varied as real ones. `--texts same`
copies them as they are; `--texts distinct` replaces the word by one that no other caption has. Each
size runs in a process of its own: its peak memory is the process's, the captions themselves
included. Seconds are of processor time (one process works), which other work on the machine
disturbs little. The n-grams that CIDEr uses too are counted and matched under BLEU. METEOR, which
shares only the tokens with the others, runs in processes of its own.

    python benchmarks/scale/classic_metrics.py [--data DIR] [--images 5000 50000 500000]
                                               [--only ngrams|meteor] [--texts varied|same|distinct]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

BLEU = ("bleu1", "bleu2", "bleu3", "bleu4")
GROUPS = {
    "ngrams": {"BLEU-1..4": BLEU, "ROUGE-L": ("rouge_l",), "CIDEr": ("cider",)},
    "meteor": {"METEOR": ("meteor",)},
}
CAPTIONS_AN_IMAGE = 6
LIMIT = 2048  # bytes of peak memory a caption
SEED = 12345
VARIED, SAME, DISTINCT = "varied", "same", "distinct"


def another_word(texts: str, words: list[str], rng: random.Random) -> Callable[[str], str]:
    """What a copied caption becomes."""
    numbers = itertools.count()

    def change(text: str) -> str:
        parts = text.split()
        word = rng.choice(words) if texts == VARIED else f"word{next(numbers)}"
        parts[rng.randrange(len(parts))] = word
        return " ".join(parts)

    # A copy from a file is a string of its own, even of equal text.
    return change if texts != SAME else lambda text: "".join([text[:1], text[1:]])


def make(folder: Path, images: int, texts: str = VARIED) -> tuple[list[str], list[list[str]]]:
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)
    if images <= len(ids):
        return [captions[i] for i in ids[:images]], [references[i] for i in ids[:images]]
    words = [word for own in references.values() for text in own for word in text.split()]
    change = another_word(texts, words, random.Random(SEED))
    chosen = [ids[i % len(ids)] for i in range(images)]
    return ([change(captions[i]) for i in chosen], [[change(text) for text in references[i]] for i in chosen])


def peak_bytes() -> int:
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(pipe: Connection, folder: Path, images: int, group: str, texts: str) -> None:
    from captious import Corpus
    from captious.metrics import Batch, resolve

    captions, references = make(folder, images, texts)
    if group == "meteor":  # its tables are compiled once for all runs
        resolve("meteor").collect(Batch(Corpus.from_lists(["a dog"], [["a dog"]])))
    start = time.process_time()
    batch = Batch(Corpus.from_lists(captions, references))
    batch.tokens()
    laps = {"tokens": time.process_time() - start}
    for label, names in GROUPS[group].items():
        clock = time.process_time()
        for name in names:
            metric = resolve(name)
            metric.statistics(batch, metric.merge([metric.collect(batch)]))
        laps[label] = time.process_time() - clock
    pipe.send((laps, peak_bytes()))


def in_new_process(*how: Path | int | str) -> tuple[dict[str, float], int]:
    ours, theirs = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=measure, args=(theirs, *how))
    process.start()
    theirs.close()
    result: tuple[dict[str, float], int] = ours.recv()
    process.join()
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--images", type=int, nargs="+", default=[5_000, 50_000, 500_000])
    parser.add_argument("--only", choices=list(GROUPS))
    parser.add_argument("--texts", choices=[VARIED, SAME, DISTINCT], default=VARIED)
    options = parser.parse_args()
    folder = options.data / "coco_karpathy"
    failed = False
    for group in [options.only] if options.only else GROUPS:
        labels = ["tokens", *GROUPS[group]]
        print(" images  captions  seconds", *(f"{x:>9}" for x in labels), " peak MB  bytes a caption")
        for images in options.images:
            laps, peak = in_new_process(folder, images, group, options.texts)
            captions = images * CAPTIONS_AN_IMAGE
            print(
                f"{images:7,} {captions:9,} {sum(laps.values()):8.1f}",
                *(f"{laps[label]:9.1f}" for label in labels),
                f"{peak / 2**20:8,.0f} {peak / captions:16,.0f}",
                flush=True,
            )
            # At the smallest size the interpreter and its libraries weigh most.
            failed |= images >= 50_000 and peak / captions > LIMIT
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
