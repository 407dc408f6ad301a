"""Baselines of BERTScore: what texts that have nothing in common score (Zhang et al. 2020, 5)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from captious.corpus.columns import FloatArray
from captious.errors import InputError
from captious.models import locate

NO_BASELINE = "none"
_COLUMNS = ("LAYER", "P", "R", "F")


class Baseline(NamedTuple):
    """Mean precision, recall and F1 of unrelated texts, and what a signature says of them."""

    values: tuple[float, float, float]
    label: str

    def rescale(self, scores: FloatArray, part: int) -> FloatArray:
        """(v - b) / (1 - b), so that unrelated texts get about 0 and equal ones 1.

        >>> import numpy as np
        >>> Baseline((0.5, 0.5, 0.5), "file").rescale(np.array([0.5, 0.75, 1.0]), 2).tolist()
        [0.0, 0.5, 1.0]
        """
        floor = self.values[part]
        return (scores - floor) / (1.0 - floor)


def read_baseline(name: str, layer: int) -> Baseline:
    """The baseline of a layer from a file in the format of the bert-score package.

    The file has a heading `LAYER,P,R,F` and one line per layer, separated by commas or tabs.
    """
    if name == NO_BASELINE:
        return Baseline((0.0, 0.0, 0.0), NO_BASELINE)
    path = Path(name).expanduser()
    if not path.is_file():
        raise InputError(
            f"bertscore: baseline {path}: no such file. Give a file with the columns "
            f"{','.join(_COLUMNS)}, or leave the option out."
        )
    rows = _rows(path, path.stat().st_mtime_ns)
    if layer not in rows:
        known = ", ".join(map(str, sorted(rows)))
        raise InputError(f"{path}: there is no line for layer {layer}. It has {known or 'none'}.")
    return Baseline(rows[layer], f"file:{locate.digest(path)}")


def write_baseline(path: Path, layer: int, values: Sequence[float]) -> None:
    """Write a baseline of one layer in the format that `read_baseline` reads."""
    line = ",".join([str(layer), *(repr(float(value)) for value in values)])
    path.write_text(f"{','.join(_COLUMNS)}\n{line}\n", encoding="utf-8")


@lru_cache(maxsize=8)
def _rows(path: Path, changed: int) -> dict[int, tuple[float, float, float]]:
    try:
        text = path.read_text("utf-8")
        lines = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
        if not lines or tuple(cell.strip().upper() for cell in lines[0]) != _COLUMNS:
            raise InputError(f"{path}: line 1: the header is not {','.join(_COLUMNS)}.")
        rows = {}
        for line in filter(None, lines[1:]):
            layer, *values = line
            precision, recall, f1 = map(float, values)
            if not max(precision, recall, f1) < 1:
                raise InputError(f"{path}: layer {layer}: a baseline must be below 1.")
            rows[int(layer)] = (precision, recall, f1)
    except ValueError:
        raise InputError(
            f"{path}: every line needs a layer and three numbers: {','.join(_COLUMNS)}."
        ) from None
    return rows
