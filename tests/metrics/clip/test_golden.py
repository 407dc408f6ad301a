"""RefCLIPScore as the authors of THumB computed it."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np

from captious.metrics.clip.family import harmonic_mean


def test_refclipscore_is_the_harmonic_mean_of_the_others_columns(golden: Path) -> None:
    columns: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    with gzip.open(golden / "thumb" / "scores_by_others.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            columns[row["metric"]][row["system"], row["id"]] = float(row["score"])
    keys = list(columns["RefCLIPS"])
    clip, references, both = (
        np.array([columns[name][key] for key in keys]) for name in ("CLIPS", "RefOnlyCLIPS", "RefCLIPS")
    )
    assert len(keys) == 2000
    assert np.abs(harmonic_mean(clip, references) - both).max() < 1e-3
