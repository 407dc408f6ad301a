"""Clustered bootstrap of Kendall's tau-c: captious against a loop over scipy.stats.kendalltau.

Ten text-overlap scores of the 5,664 Flickr8k-Expert pairs against their 16,992 single ratings; each
of 1,000 resamples draws images with replacement. Both run on the same draws in the same process.
SciPy runs on the first few resamples (all of them with --full), its time is scaled up, and every
value that it computed must equal ours to 1e-9.

    python benchmarks/judgments/kendall_bootstrap.py [--data DIR] [--resamples 1000] [--checked 10] [--full]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein
from scipy.stats import kendalltau

from captious.stats.intervals import bootstrap_correlations
from captious.stats.resample import bootstrap_weights, generator

SEED = 12345
TOLERANCE = 1e-9


def word_pairs(words: list[str]) -> list[str]:
    return [f"{a} {b}" for a, b in pairwise(words)]


def overlap(candidate: list[str], reference: list[str]) -> float:
    shared = len(set(candidate) & set(reference))
    return 2 * shared / max(1, len(set(candidate)) + len(set(reference)))


METRICS: dict[str, Callable[[list[str], list[str]], float]] = {
    "word precision": lambda c, r: len(set(c) & set(r)) / max(1, len(set(c))),
    "word recall": lambda c, r: len(set(c) & set(r)) / max(1, len(set(r))),
    "word F1": overlap,
    "word-pair F1": lambda c, r: overlap(word_pairs(c), word_pairs(r)),
    "word LCS": LCSseq.normalized_similarity,
    "word edits": Levenshtein.normalized_similarity,
    "word indels": Indel.normalized_similarity,
    "letter LCS": lambda c, r: LCSseq.normalized_similarity(" ".join(c), " ".join(r)),
    "letter edits": lambda c, r: Levenshtein.normalized_similarity(" ".join(c), " ".join(r)),
    "Jaro-Winkler": lambda c, r: JaroWinkler.similarity(" ".join(c), " ".join(r)),
}


def load(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores (metrics, ratings), ratings, and the image of each rating."""
    captions: dict[str, list[str]] = {}
    for line in (folder / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines():
        name, text = line.split("\t")
        captions[name] = text.lower().split()
    scores, ratings, images = [], [], []
    for line in (folder / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines():
        image, caption, *judged = line.split("\t")
        if caption.startswith(image):
            continue
        references = [captions[f"{image}#{k}"] for k in range(5)]
        row = [max(f(captions[caption], r) for r in references) for f in METRICS.values()]
        for rating in judged:
            scores.append(row)
            ratings.append(float(rating))
            images.append(image)
    return np.array(scores).T, np.array(ratings), np.array(images)


def scipy_loop(scores: np.ndarray, ratings: np.ndarray, images: np.ndarray, resamples: int) -> np.ndarray:
    names, image_of_row = np.unique(images, return_inverse=True)
    weights = np.concatenate(list(bootstrap_weights(len(names), resamples, generator(SEED))))
    taus = np.empty((len(scores), resamples))
    for draw, counts in enumerate(weights):
        rows = np.repeat(np.arange(ratings.size), counts[image_of_row])
        for metric, column in enumerate(scores):
            taus[metric, draw] = kendalltau(column[rows], ratings[rows], variant="c").statistic
    return taus


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--checked", type=int, default=10, help="resamples that SciPy runs on")
    parser.add_argument("--full", action="store_true", help="run SciPy on every resample")
    arguments = parser.parse_args()
    scores, ratings, images = load(arguments.data / "flickr8k")
    checked = arguments.resamples if arguments.full else min(arguments.checked, arguments.resamples)
    print(f"{len(scores)} metrics, {ratings.size} ratings, {len(set(images))} images")

    start = time.perf_counter()
    ours = bootstrap_correlations(
        scores, ratings, method="kendall_c", clusters=images, resamples=arguments.resamples, seed=SEED
    )
    our_time = time.perf_counter() - start
    start = time.perf_counter()
    theirs = scipy_loop(scores, ratings, images, checked)
    their_time = (time.perf_counter() - start) * arguments.resamples / checked
    gap = float(np.abs(ours[:, :checked] - theirs).max())

    kind = "measured" if checked == arguments.resamples else f"scaled from {checked} resamples"
    print(f"captious       {our_time:8.2f} s  for {arguments.resamples} resamples")
    print(f"scipy loop     {their_time:8.2f} s  ({kind})")
    print(f"ratio          {their_time / our_time:8.1f} x")
    print(f"largest difference of {theirs.size} values: {gap:.1e} (allowed {TOLERANCE:.0e})")
    return 0 if gap <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
