"""Scene graphs of long captions against those that experts drew (DiscoSG, Lin et al. 2025).

    python benchmarks/metrics/scene_graphs.py [--data DATA] [--tuples OUT.jsonl] [GRAPHS.jsonl]

Prints precision, recall and F of the tuples, averaged over captions, of `spice` (a caption read as one
sentence), of SPICE's rules applied to each sentence, and of `spice[graph=discourse]`. A relation counts
if both objects and its words are equal; words are compared in lower case without the ending of a plural.
`--tuples` writes the last as JSON lines of {"tuples": [["dog"], ["dog", "brown"], ["dog", "on", "beach"]]}.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from captious.metrics.spice import Spice
from captious.text.scene_graph import clauses

TRIPLE = re.compile(r"\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")
ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", ""))

Tuples = set[tuple[str, ...]]


def singular(text: str) -> str:
    """Words in lower case without the ending of a plural."""
    return " ".join(_singular(word) for word in text.lower().split())


def _singular(word: str) -> str:
    if len(word) > 3 and not word.endswith(("ss", "us", "is")):
        for ending, instead in ENDINGS:
            if word.endswith(ending):
                return word.removesuffix(ending) + instead
    return word


def experts(graph: str) -> Tuples:
    """Tuples of an expert's graph: "( dog , is , brown ) , ( dog , on , beach )"."""
    found: Tuples = set()
    for left, middle, right in TRIPLE.findall(graph):
        subject, relation, thing = singular(left), middle.lower(), singular(right)
        found.add((subject,))
        found |= {(subject, thing)} if relation in ("is", "are") else {(thing,), (subject, relation, thing)}
    return found


def ours(tuples: Iterable[Sequence[str]]) -> list[list[str]]:
    """Relations between their objects, as experts write them."""
    return [[parts[0], parts[2], parts[1]] if len(parts) == 3 else list(parts) for parts in tuples]


def report(name: str, found: Sequence[Sequence[Sequence[str]]], graphs: Sequence[Tuples]) -> None:
    """One line of figures."""
    sums = [0.0] * 4
    for tuples, theirs in zip(found, graphs, strict=True):
        own = {tuple(singular(part) for part in parts) for parts in tuples}
        hits = len(own & theirs)
        precision, recall = hits / max(len(own), 1), hits / max(len(theirs), 1)
        f = 2 * precision * recall / (precision + recall) if hits else 0.0
        sums = [total + value for total, value in zip(sums, (len(own), precision, recall, f), strict=True)]
    size, precision, recall, f = (total / len(graphs) for total in sums)
    print(f"{name:24} {size:8.1f} {precision:10.3f} {recall:7.3f} {f:6.3f}")


def main() -> None:
    """Read the graphs, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CAPTIOUS_DATA", "../shared/data")))
    parser.add_argument("--tuples", type=Path)
    parser.add_argument("graphs", type=Path, nargs="?")
    options = parser.parse_args()
    path = options.graphs or options.data / "detailed" / "scene_graphs.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    texts = [row["caption"] for row in rows]
    graphs = [experts(row["scene_graph"]) for row in rows]
    plain, discourse = Spice(), Spice(graph="discourse")
    parts = [clauses(text) for text in texts]
    single = iter(plain.tuples_of([part for several in parts for part in several]))
    by_sentence = [[parts for _ in several for parts in next(single)] for several in parts]
    read = [ours(tuples) for tuples in discourse.tuples_of(texts)]
    print(f"{len(rows)} captions          tuples  precision  recall      F")
    report("spice", [ours(tuples) for tuples in plain.tuples_of(texts)], graphs)
    report("spice, each sentence", [ours(tuples) for tuples in by_sentence], graphs)
    report("spice[graph=discourse]", read, graphs)
    size = sum(map(len, graphs)) / len(graphs)
    print(f"{'experts':24} {size:8.1f}")
    if options.tuples:
        lines = "".join(json.dumps({"tuples": tuples}) + "\n" for tuples in read)
        options.tuples.write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
