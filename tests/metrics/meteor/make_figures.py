"""Writes data/jar.json.gz and data/long.json.gz: what METEOR's program says of varied pairs of captions.

    python tests/metrics/meteor/make_figures.py DATA_FOLDER

Candidates and references are THumB's and Karpathy's (COCO captions) with Penn Treebank tokens,
and made-up ones that try corners. Alignments are of the pairs in which many words repeat, and of
made-up words that repeat even more.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import jar

from captious.text.tokens import token_table

CORNERS = [
    ("a dog", "a dog"),
    ("dog", "cat"),
    ("runs runs", "running"),
    ("a a a a a a", "a a a"),
    ("a " * 30, "the a " * 20),
    ("the man 's t-shirt", "a man ca n't wear t-shirts"),
    ("knowledge", "awareness"),
    ("in the u.s. at 12:30", "the us at 12 : 30 p.m."),
    ("ein hund läuft", "ein hund läuft schnell"),
    ("one thousand two hundred", "1,200"),
]


def all_pairs(data: Path) -> list[tuple[str, str]]:
    """Every candidate of both data sets with each of its references."""
    lines = (data / "thumb" / "mscoco_references.jsonl").read_text("utf-8").splitlines()
    references = {row["seg_id"]: row["refs"] for row in map(json.loads, lines)}
    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    pairs = [(row["hyp"], text) for row in rows for text in references[row["seg_id"]]]
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text("utf-8"))
    others = json.loads((folder / "reference_captions.json").read_text("utf-8"))
    pairs += [(captions[i], text) for i in captions for text in others[i]]
    return sorted(set(pairs))


def real_pairs(data: Path) -> list[tuple[str, str]]:
    """A varied sample of real pairs, tokenised."""
    chosen = random.Random(20).sample(all_pairs(data), 1500)
    table = token_table([text for pair in chosen for text in pair])
    words = [" ".join(table.words(i)) for i in range(len(table))]
    return [pair for pair in zip(words[::2], words[1::2], strict=True) if all(pair)]


def ambiguous_pairs(data: Path) -> list[tuple[str, str]]:
    """Real pairs of plain words, those in which most words could be matched in several ways."""
    sample = random.Random(21).sample(all_pairs(data), 8000)
    plain = [pair for pair in sample if all(re.fullmatch("[a-z ]+[a-z]", text) for text in pair)]

    def choices(pair: tuple[str, str]) -> int:
        own, their = (text.split() for text in pair)
        return sum(own.count(word) * their.count(word) for word in set(own)) - len(set(own))

    return sorted(plain, key=choices)[-500:]


def repeating_pairs() -> list[tuple[str, str]]:
    """Made-up words that repeat, among words that match nothing."""
    draw = random.Random(22)
    pairs = set()
    while len(pairs) < 1500:
        words = draw.choice(["AB", "AABBx", "ABCx", "AAABBCx"])
        size = draw.choice([4, 6, 9, 14])
        sides = [draw.choices(words, k=draw.randint(1, size)) for _ in range(2)]
        texts = [
            " ".join(f"zq{letter.lower()}v" if letter != "x" else f"{side}zw" for letter in text)
            for side, text in zip("fg", sides, strict=True)
        ]
        pairs.add((texts[0], texts[1]))
    return sorted(pairs)


FREQUENT = ("a", "the", "dog", "dogs", "of", "couple", "pair", "zq", "in", "front")


def long_pairs(data: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of 30 to 150 words: equal, edited, turned, shuffled or drawn anew, and a few words repeated."""
    draw = random.Random(seed)
    captions = sorted({text for pair in all_pairs(data) for text in pair})
    plain = [text for text in captions if re.fullmatch("[a-z ]+[a-z]", text)]

    def text(pool: list[str]) -> list[str]:
        words: list[str] = []
        length = draw.randint(30, 150)
        while len(words) < length:
            words += draw.choice(pool).split()
        return words[:length]

    pairs = []
    for number in range(count):
        own = text(draw.sample(plain, draw.choice([3, 20, 1000])))
        place = draw.randrange(1, len(own))
        if number % 6 == 4:
            few = draw.sample(FREQUENT, draw.randint(1, 5))
            own, their = ([draw.choice(few) for _ in range(draw.randint(30, 150))] for _ in range(2))
        else:
            their = (
                own,
                [*own[:place], "dog", *own[place:]],
                own[place:] + own[:place],
                draw.sample(own, len(own)),
                [],
                text(plain),
            )[number % 6]
        pairs.append((" ".join(own), " ".join(their)))
    return pairs


def write_long(java: str, data: Path) -> None:
    """The statistics of long pairs."""
    pairs = long_pairs(data, 150, 23)
    printed = jar.statistics(java, [(own, [their]) for own, their in pairs])
    rows = [[*pair, [int(float(x)) for x in line.split()]] for pair, line in zip(pairs, printed, strict=True)]
    text = json.dumps(rows, separators=(",", ":"))
    target = Path(__file__).parent / "data" / "long.json.gz"
    target.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def main(data: Path) -> None:
    """Ask the jar and write the files."""
    pairs = real_pairs(data) + [(own.strip(), their.strip()) for own, their in CORNERS]
    java = str(shutil.which("java"))
    write_long(java, data)
    printed = jar.statistics(java, [(own, [ref]) for own, ref in pairs])
    items, corpus = jar.scores(java, printed)
    rows = [
        [own, ref, [int(float(x)) for x in line.split()]]
        for (own, ref), line in zip(pairs, printed, strict=True)
    ]
    tied = ambiguous_pairs(data) + repeating_pairs()
    chosen = jar.alignments(java, tied)
    figures = {
        "pairs": rows,
        "scores": items.tolist(),
        "corpus": corpus,
        "alignments": [[*pair, found] for pair, found in zip(tied, chosen, strict=True)],
    }
    text = json.dumps(figures, ensure_ascii=False, separators=(",", ":"))
    target = Path(__file__).parent / "data" / "jar.json.gz"
    target.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
