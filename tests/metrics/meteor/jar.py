"""METEOR's own program, the oracle: statistics and scores that the jar prints."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

Match = list[int]  # start and length, the reference's start and length, number of the matcher


def _run(java: str, files: Sequence[str], options: Sequence[str], lines: Sequence[str]) -> str:
    spec = find_spec("pycocoevalcap")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0]) / "meteor"
    program = [java, "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", "meteor-1.5.jar"]
    done = subprocess.run(
        [*program, *files, "-l", "en", "-norm", *options],
        cwd=folder,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def _ask(java: str, lines: Sequence[str]) -> list[str]:
    return _run(java, ["-", "-"], ["-stdio"], lines).split("\n")[:-1]


def alignments(java: str, pairs: Sequence[tuple[str, str]]) -> list[list[Match]]:
    """The matches that the program chooses for each (candidate, reference), sorted."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / side for side in ("own", "their")]
        for file, texts in zip(files, zip(*pairs, strict=True), strict=True):
            file.write_text("".join(f"{text}\n" for text in texts), "utf-8")
        _run(java, [str(file) for file in files], ["-writeAlignments", "-f", f"{name}/out"], [])
        printed = (Path(name) / "out-align.out").read_text("utf-8")
    found: list[list[Match]] = []
    for block in printed.split("\n\n"):
        # Four lines of head; then the reference's start and length, ours, matcher and weight.
        rows = [line.split() for line in block.strip("\n").split("\n")[4:]]
        if block.strip("\n"):
            places = [[*ours.split(":"), *theirs.split(":"), by] for theirs, ours, by, _ in rows]
            found.append(sorted([*map(int, place)] for place in places))
    return found


def statistics(java: str, items: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """The line that `SCORE` prints for each (candidate, references)."""
    return _ask(java, ["SCORE ||| " + " ||| ".join([*refs, own]) for own, refs in items])


def scores(java: str, lines: Sequence[str]) -> tuple[np.ndarray, float]:
    """Scores of single items and of the corpus, from lines of statistics."""
    printed = [float(x) for x in _ask(java, ["EVAL ||| " + " ||| ".join(lines)])]
    return np.array(printed[:-1]), printed[-1]


def as_summed(lines: Sequence[str]) -> np.ndarray:
    """Statistics as METEOR sums them: a pair that one chunk covers whole counts no chunk."""
    table = np.array([[float(x) for x in line.split()] for line in lines])
    whole = (table[:, -3] == 1) & (table[:, -2:] == table[:, :2]).all(axis=1)
    table[whole, -3] = 0
    return table
