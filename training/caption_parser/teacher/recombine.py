"""New captions from parts of training captions, for the teacher to parse.

    python recombine.py --data DATA --golden GOLDEN --out captions.txt --words words.txt

A phrase gives way to a phrase of another caption that has the same relation and the same kind of head.
No caption of an image that is kept or watched is used.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from train import split

from captious.text.parse import Parse

RELATIONS = frozenset(
    [
        *("nmod", "dobj", "nsubj", "acl", "advcl", "conj", "amod", "compound", "xcomp"),
        *("acl:relcl", "nmod:poss", "advmod", "dep"),
    ]
)
LONGEST_PHRASE = 10
LENGTHS = range(5, 19)
WATCHED_SHARE = 0.015
SEED = 11


def spans(parse: Parse) -> list[tuple[int, int]]:
    """First word and end of the phrase under each word; the trees are projective."""
    first = list(range(len(parse)))
    end = [place + 1 for place in first]
    for place in range(len(parse)):
        above = parse.heads[place]
        while above:
            first[above - 1] = min(first[above - 1], place)
            end[above - 1] = max(end[above - 1], place + 1)
            above = parse.heads[above - 1]
    return list(zip(first, end, strict=True))


class Recombiner:
    """Phrases of all captions by relation and kind of head."""

    def __init__(self, parses: list[Parse]) -> None:
        self.generator = random.Random(SEED)
        self.parses, self.phrases = parses, []
        self.pool: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
        for parse in parses:
            own = [
                (start, end, (parse.labels[place], parse.tags[place][:2]))
                for place, (start, end) in enumerate(spans(parse))
                if parse.labels[place] in RELATIONS and end - start <= LONGEST_PHRASE
            ]
            self.phrases.append(own)
            for start, end, kind in own:
                self.pool[kind].append(parse.words[start:end])

    def caption(self) -> list[str]:
        """A caption with one to three phrases exchanged."""
        number = self.generator.randrange(len(self.parses))
        words, own = list(self.parses[number].words), list(self.phrases[number])
        self.generator.shuffle(own)
        chosen: list[tuple[int, int, tuple[str, ...]]] = []
        for start, end, kind in own[: self.generator.choice([1, 1, 2, 2, 3])]:
            if all(end <= other or start >= stop for other, stop, _ in chosen):
                chosen.append((start, end, self.generator.choice(self.pool[kind])))
        for start, end, phrase in sorted(chosen, reverse=True):
            words[start:end] = phrase
        return words


def main() -> None:
    """Write captions and the words that the grammar must know."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "golden", "out", "words"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--count", type=int, default=150_000)
    given = parser.parse_args()
    learnt, _ = split(given.data, given.golden, benchmarks_held_out=False, watched_share=WATCHED_SHARE)
    known = {" ".join(parse.words) for parse in learnt}
    maker = Recombiner([parse for parse in learnt if 3 <= len(parse) <= 40])
    found: dict[str, None] = {}
    while len(found) < given.count:
        words = maker.caption()
        text = " ".join(words)
        if len(words) in LENGTHS and text not in known:
            found[text] = None
    given.out.write_text("\n".join(found) + "\n", encoding="utf-8")
    vocabulary = sorted({word for parse in learnt for word in parse.words})
    given.words.write_text("\n".join(vocabulary) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
