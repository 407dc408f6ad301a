"""METEOR of the M2 Transformer on Karpathy's test split: this package and METEOR's own program.

    python benchmarks/metrics/meteor.py [DATA_FOLDER]

Each side is a fresh process that starts, loads its tables, scores 5,000 candidates with five
references each, already tokenised, and prints the corpus score. Compiling our tables at first
use is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OURS = """
import json, sys
from captious import Corpus
from captious.metrics import Batch
from captious.metrics.meteor import Meteor
from captious.text.tokens import token_table
rows = json.load(open(sys.argv[1], encoding="utf-8"))
batch = Batch(Corpus.from_lists([own for own, _ in rows], [refs for _, refs in rows]))
batch.once(("tokens", "ptb"), lambda: token_table(batch.texts, "space"))
metric = Meteor()
print(float(metric.corpus_score(metric.statistics(batch, None).sum(axis=0))))
"""
THEIRS = """
import json, sys
from pycocoevalcap.meteor.meteor import Meteor
rows = json.load(open(sys.argv[1], encoding="utf-8"))
print(Meteor().compute_score(
    {i: refs for i, (_, refs) in enumerate(rows)}, {i: [own] for i, (own, _) in enumerate(rows)}
)[0])
"""
ROUNDS = 2


def tokenised(data: Path) -> list[tuple[str, list[str]]]:
    """Candidates and references as Penn Treebank tokens."""
    from captious.text.tokens import token_table

    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text("utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text("utf-8"))
    texts = [text for i in captions for text in (captions[i], *references[i])]
    table = token_table(texts)
    words = iter([" ".join(table.words(i)) for i in range(len(table))])
    return [(next(words), [next(words) for _ in references[i]]) for i in captions]


def timed(program: str, file: Path) -> tuple[float, float, float]:
    """Processor time, clock time and corpus score of one fresh process and its own processes."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return worked, clock, float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser.add_argument("data", metavar="DATA_FOLDER", nargs="?", type=Path, default=Path(default))
    data = parser.parse_args().data
    from captious.metrics.meteor.tables import load_tables

    load_tables()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "captions.json"
        file.write_text(json.dumps(tokenised(data)), "utf-8")
        # Both in turns, so that a busy machine slows both.
        runs = [(timed(OURS, file), timed(THEIRS, file)) for _ in range(ROUNDS)]
    ours, theirs = (min(side) for side in zip(*runs, strict=True))
    print("                  clock   processor time")
    for name, (worked, clock, score) in (("captious", ours), ("pycocoevalcap", theirs)):
        print(f"{name:14} {clock:6.2f} s {worked:14.2f} s   METEOR {100 * score:.3f}")
    print(f"ratio          {theirs[1] / ours[1]:6.1f}   {theirs[0] / ours[0]:14.1f}")


if __name__ == "__main__":
    main()
