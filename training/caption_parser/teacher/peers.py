"""Words that the teacher cannot tell apart: each may stand for the other and no tree changes.

    python peers.py GRAMMAR TEXT_GRAMMAR peers.json

An unlexicalised grammar sees a word only through its probability under each tag, and a factor that all
tags share changes no tree. Two words are peers when log P(tag | word) differs by less than `NEAR` for
every tag, values below `LEAST` counting as `LEAST`. GRAMMAR is what DumpGrammar writes; TEXT_GRAMMAR, the
parser's own `-saveToTextFile`, says how often each tag is.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

NEAR = 1.0
LEAST = -8.0
MOST = 32
_TAG = re.compile(r'^"(.*)" -> "\.\*\." SEEN (\S+)$', re.MULTILINE)


def tag_counts(text_grammar: Path) -> dict[str, float]:
    """How often each tag, as the grammar splits them, was seen."""
    return {tag: float(count) for tag, count in _TAG.findall(text_grammar.read_text(encoding="utf-8"))}


def profiles(grammar: Path, counts: dict[str, float]) -> tuple[list[str], np.ndarray]:
    """Words, and log P(tag | word) for each."""
    lines = iter(grammar.read_text(encoding="utf-8").split("\n"))
    states = [next(lines) for _ in range(int(next(lines).split()[1]))]
    column = {states.index(tag): place for place, tag in enumerate(tag for tag in counts if tag in states)}
    common = np.log([max(counts[states[state]], 0.5) for state in column])
    while not re.fullmatch(r"words \d+", line := next(lines)):
        pass
    words, rows = [], []
    for _ in range(int(line.split()[1])):
        next(lines)  # as the first word of a sentence
        word, *rest = next(lines).split(" ")
        row = np.full(len(column), -60.0)
        for state, score in zip(rest[::2], rest[1::2], strict=True):
            if int(state) in column:
                row[column[int(state)]] = float(score)
        row += common
        words.append(word)
        rows.append(np.maximum(row - np.logaddexp.reduce(row), LEAST))
    table = np.array(rows, dtype=np.float32)
    return words, table[:, (table > LEAST + 1).any(0)]


def main() -> None:
    """Read both grammars, write the peers of each word that has any."""
    grammar, text_grammar, out = map(Path, sys.argv[1:])
    words, table = profiles(grammar, tag_counts(text_grammar))
    distances, places = cKDTree(table).query(table, k=MOST + 1, p=np.inf, distance_upper_bound=NEAR)
    found = {}
    for word, near, rows in zip(words, distances, places, strict=True):
        peers = [words[row] for row in rows[np.isfinite(near)] if words[row] != word]
        if peers:
            found[word] = peers
    out.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
