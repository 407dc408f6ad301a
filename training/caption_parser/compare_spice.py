"""SPICE against SPICE 1.0 with Stanford CoreNLP 3.6.0, layer by layer.

    python training/caption_parser/compare_spice.py --data DATA --golden GOLDEN [--weights FILE]

1. Scores from the official tuples; 2. tuples from the official dependencies; 3. the whole metric, from text:
its scores against the official ones, and its averages. `compare_parses.py` compares the parses themselves.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from reference.division import Division
from reference.golden import GoldenItem, read_items, read_parses
from reference.items import SETS, Captions, ItemSet, counts_from_tuples
from reference.kept import LONG, kept_agreement

from captious.engine import run_metrics
from captious.metrics.spice import Spice
from captious.stats.correlation import pearson
from captious.text.parser import caption_parser
from captious.text.scene_graph import Tuple, scene_tuples

EXACT = 1e-12


def exact_items(
    items: ItemSet, official: list[GoldenItem], tuples: dict[str, list[Tuple]]
) -> tuple[int, int]:
    """How many items come out exactly, score and counts, from the official tuples, and of how many."""
    found = counts_from_tuples(Captions.of(items.corpus), tuples)
    equal = sum(
        own == official[place].counts and abs(own.f - official[place].f) < EXACT
        for place, own in found.items()
    )
    return equal, len(found)


def main() -> None:
    """Print a line for each comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--golden", type=Path, required=True)
    parser.add_argument("--weights", type=Path)
    given = parser.parse_args()
    own_parser = caption_parser(given.weights)
    division = Division(given.data, benchmarks_held_out=bool(own_parser.notes.get("benchmarks_held_out")))
    goldens = list(read_parses(given.golden))
    tuples = {golden.caption: golden.tuples for golden in goldens}
    equal = sum(set(scene_tuples(golden.parse)) == set(golden.tuples) for golden in goldens)
    print(f"tuples from the official dependencies: {equal:,} of {len(goldens):,} captions equal")
    kept = [golden for golden in goldens if division.part(golden.caption) == "kept"]
    for words in (0, LONG):
        n, r = kept_agreement(own_parser, kept, division, words)
        print(f"captions of kept images, over {words} words: {n:,}, Pearson r {r:.3f}")
    for name, load in SETS.items():
        items = load(given.data)
        scored = read_items(given.golden, name)
        official = [scored[key] for key in items.keys]
        metric = Spice(f"caption:{given.weights}" if given.weights else "caption")
        (run,) = run_metrics(items.corpus, [metric])
        scores = metric.example_scores(run.statistics)
        theirs = np.array([item.f for item in official])
        same, of = exact_items(items, official, tuples)
        print(
            f"{name}: from the official tuples {same:,} of {of:,} items equal; from text Pearson r "
            f"{pearson(scores, theirs):.3f}, average {100 * scores.mean():.2f} "
            f"(SPICE 1.0 {100 * theirs.mean():.2f})"
        )


if __name__ == "__main__":
    main()
