"""Speed of Word Mover's Distance: captious against gensim's `wmdistance` on the same pairs.

The M2 Transformer's captions on the Karpathy test split, each against its first references; the
same content words, GloVe 6B 50d in both, one thread. gensim is handed lists of tokens; captious is
handed texts and tokenises them within its time. Every distance must be equal to 1e-6.

    python benchmarks/metrics/wmd.py [--data DIR] [--captions 400] [--references 5]
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

TOLERANCE = 1e-6
WANTED = 10.0


def pairs_of(folder: Path, captions: int, references: int) -> list[tuple[str, str]]:
    """Texts of content words that have a vector of their own, so that both tools see the same."""
    from captious.text.ptb.tokenise import tokenise
    from captious.text.stop_words import ENGLISH, is_content_word
    from captious.text.vectors.table import load_vectors

    written = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    known = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    vectors = load_vectors()

    def content(text: str) -> str:
        words = [word for word in tokenise(text) if is_content_word(word, ENGLISH)]
        rows = vectors.find(words) if words else []
        return " ".join(word for word, row in zip(words, rows, strict=True) if row >= 0)

    return [
        (content(written[image]), content(reference))
        for image in list(written)[:captions]
        for reference in known[image][:references]
    ]


def run_gensim(pairs: list[tuple[str, str]]) -> tuple[float, np.ndarray]:
    from gensim.models import KeyedVectors

    from captious.text.vectors.table import load_vectors

    vectors = load_vectors()
    words = sorted({word for pair in pairs for text in pair for word in text.split()})
    keyed = KeyedVectors(vector_size=vectors.dimension)
    keyed.add_vectors(words, vectors.stored.vectors[vectors.find(words)])
    keyed.fill_norms()
    split = [(a.split(), b.split()) for a, b in pairs]
    keyed.wmdistance(*split[0])  # imports POT
    start = time.perf_counter()
    distances = [keyed.wmdistance(a, b) for a, b in split]
    return time.perf_counter() - start, np.array(distances)


def run_ours(pairs: list[tuple[str, str]]) -> tuple[float, np.ndarray]:
    from captious.metrics.wmd import word_movers_distances

    word_movers_distances([("red dog", "blue cat")])  # imports POT, opens the vectors
    start = time.perf_counter()
    distances = word_movers_distances(pairs)
    return time.perf_counter() - start, distances


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("CAPTIOUS_DATA", "../shared/data"))
    parser.add_argument("--captions", type=int, default=400)
    parser.add_argument("--references", type=int, default=5)
    options = parser.parse_args()
    folder = Path(options.data) / "coco_karpathy"
    if not folder.is_dir():
        print(f"skipped: no data at {folder}; set $CAPTIOUS_DATA")
        return 0
    pairs = pairs_of(folder, options.captions, options.references)
    # In turns, so that a busy machine slows both alike.
    rounds = [(run_gensim(pairs), run_ours(pairs)) for _ in range(3)]
    (_, theirs), (_, ours) = rounds[0]
    peer = min(seconds for (seconds, _), _ in rounds)
    own = min(seconds for _, (seconds, _) in rounds)
    difference = float(np.abs(ours - theirs).max())
    print(f"{len(pairs):,} pairs, best of 3")
    print(f"gensim    {peer:7.2f} s  {len(pairs) / peer:8,.0f} pairs/s")
    print(f"captious  {own:7.2f} s  {len(pairs) / own:8,.0f} pairs/s")
    print(f"ratio     {peer / own:7.1f}    (wanted: {WANTED:.0f})")
    print(f"largest difference {difference:.1e} (allowed: {TOLERANCE:.0e})")
    return 0 if difference <= TOLERANCE and peer / own >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
