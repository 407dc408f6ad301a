"""METEOR's own program, the oracle: statistics and scores that the jar prints."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np


def _ask(java: str, lines: Sequence[str]) -> list[str]:
    spec = find_spec("pycocoevalcap")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0]) / "meteor"
    options = ["-", "-", "-stdio", "-l", "en", "-norm"]
    done = subprocess.run(
        [java, "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", "meteor-1.5.jar", *options],
        cwd=folder,
        input="\n".join(lines) + "\n",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.split("\n")[:-1]


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
