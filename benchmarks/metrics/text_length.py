"""Seconds of every metric that runs here, on one caption and one reference of 10 to 5,000 words.

    python benchmarks/metrics/text_length.py [--metrics cider,meteor] [--words 10,50,200,1000,5000] [--runs 3]

With texts made of the demo's captions, of one word (once less in the caption than in the reference), and of
words of WordNet, none twice. The exponent is that of the time between the two longest texts, over what the
shortest takes: 1 is linear, 2 the square; none where this is less than 20 ms. `refused` is a text over the
metric's limit.
Metrics that need images or objects are left out.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
import warnings
from collections.abc import Callable
from functools import cache

import captious
from captious.corpus import Corpus
from captious.data import demo_path
from captious.errors import InputError
from captious.groups import expand
from captious.metrics import resolve
from captious.text.synsets import wordnet

WORDS = (10, 50, 200, 1000, 5000)
MEASURABLE = 0.02  # seconds over the shortest text's
OPTIONS = ("spice[graph=discourse]",)
Made = Callable[[int, int], str]


def captions() -> list[str]:
    """The demo's reference captions."""
    rows = json.loads((demo_path() / "references.json").read_text("utf-8"))
    return [row["caption"].rstrip(".") + "." for row in rows["annotations"]]


def from_captions(known: list[str]) -> Made:
    """Texts of captions drawn at random."""

    def made(words: int, seed: int) -> str:
        draw = random.Random(seed)
        found: list[str] = []
        while len(found) < words:
            found += draw.choice(known).split()
        return " ".join(found[:words])

    return made


def repeated(words: int, seed: int) -> str:
    """One word, once less in every second text."""
    return " ".join(["dog"] * (words - seed % 2))


def different(words: int, seed: int) -> str:
    """Words of WordNet, none twice."""
    return " ".join(random.Random(seed).sample(single_words(), words))


@cache
def single_words() -> list[str]:
    """WordNet's words of letters."""
    return [word for word in wordnet().words() if word.isascii() and word.isalpha()]


def corpus_of(made: Made, words: int) -> Corpus:
    """One caption to score, and short ones, for metrics that compare images."""
    others = [("a cat on a mat", ["a cat sits"]), ("a red bus", ["the bus is red"])]
    rows = [(made(words, 1), [made(words, 2)]), *others]
    return Corpus.from_lists([own for own, _ in rows], [references for _, references in rows])


def seconds(metric: str, corpus: Corpus, runs: int) -> float | None:
    """The least time of some runs; None where the metric refuses the text."""
    least = math.inf
    for _ in range(runs):
        begun = time.perf_counter()
        try:
            captious.score(corpus, [metric])
        except InputError:
            return None
        least = min(least, time.perf_counter() - begun)
    return least


def exponent(words: list[int], times: list[float | None]) -> str:
    """Growth between the two longest texts, without what the shortest takes."""
    known = [(n, t) for n, t in zip(words, times, strict=True) if t is not None]
    if len(known) < 3:
        return "-"
    (_, base), (shorter, less), (longer, more) = known[0], known[-2], known[-1]
    if more - base < MEASURABLE or less <= base:
        return "-"
    return f"{math.log((more - base) / (less - base)) / math.log(longer / shorter):.1f}"


def main() -> None:
    """Print a table for each kind of text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--metrics", default="all")
    parser.add_argument("--words", default=",".join(map(str, WORDS)))
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    words = [int(count) for count in options.words.split(",")]
    kinds: dict[str, Made] = {
        "captions": from_captions(captions()),
        "one word": repeated,
        "different words": different,
    }
    chosen = expand(options.metrics, corpus_of(kinds["captions"], 10))
    names = [name if isinstance(name, str) else name.name for name in chosen.metrics]
    names += OPTIONS if options.metrics == "all" else ()
    for kind, made in kinds.items():
        print(f"\n{kind:24}", *(f"{count:>9,}" for count in words), " exponent")
        corpora = [corpus_of(made, count) for count in words]
        for name in names:
            resolve(name).prepare()
            seconds(name, corpora[0], 1)  # loads what it needs
            times = [seconds(name, corpus, options.runs) for corpus in corpora]
            shown = ("  refused" if one is None else f"{one:9.3f}" for one in times)
            print(f"{name:24}", *shown, f"{exponent(words, times):>9}", flush=True)


if __name__ == "__main__":
    main()
