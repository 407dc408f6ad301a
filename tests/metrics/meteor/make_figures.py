"""Writes data/jar.json.gz: what METEOR's program says of varied pairs of captions.

    python tests/metrics/meteor/make_figures.py DATA_FOLDER

Candidates and references are THumB's and Karpathy's (COCO captions) with Penn Treebank tokens,
and made-up ones that try corners.
"""

from __future__ import annotations

import gzip
import json
import random
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


def real_pairs(data: Path) -> list[tuple[str, str]]:
    """A varied sample of real pairs, tokenised."""
    lines = (data / "thumb" / "mscoco_references.jsonl").read_text("utf-8").splitlines()
    references = {row["seg_id"]: row["refs"] for row in map(json.loads, lines)}
    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    pairs = [(row["hyp"], text) for row in rows for text in references[row["seg_id"]]]
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text("utf-8"))
    others = json.loads((folder / "reference_captions.json").read_text("utf-8"))
    pairs += [(captions[i], text) for i in captions for text in others[i]]
    chosen = random.Random(20).sample(sorted(set(pairs)), 1500)
    table = token_table([text for pair in chosen for text in pair])
    words = [" ".join(table.words(i)) for i in range(len(table))]
    return [pair for pair in zip(words[::2], words[1::2], strict=True) if all(pair)]


def main(data: Path) -> None:
    """Ask the jar and write the file."""
    pairs = real_pairs(data) + [(own.strip(), their.strip()) for own, their in CORNERS]
    java = str(shutil.which("java"))
    printed = jar.statistics(java, [(own, [ref]) for own, ref in pairs])
    items, corpus = jar.scores(java, printed)
    rows = [
        [own, ref, [int(float(x)) for x in line.split()]]
        for (own, ref), line in zip(pairs, printed, strict=True)
    ]
    figures = {"pairs": rows, "scores": items.tolist(), "corpus": corpus}
    text = json.dumps(figures, ensure_ascii=False, separators=(",", ":"))
    target = Path(__file__).parent / "data" / "jar.json.gz"
    target.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
