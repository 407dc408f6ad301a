"""VICR: single ratings of 1 to 5 by several raters a caption (Narins et al. 2023)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from captious.benchmarks.data_files import wanted
from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus
from captious.corpus.readers import Rows, read_rows
from captious.corpus.readers.names import NUMBERED_RATING
from captious.corpus.splits import find_split
from captious.errors import InputError, as_written

SCALE = (1, 5)

VICR = Protocol(
    name="vicr",
    coefficients=("kendall_c", "kendall_b", "pearson", "spearman"),
    ratings="each",
    references="none: for metrics that need none, or scores computed elsewhere",
    source="Narins et al. 2023; tau-c over single ratings as Scott et al. 2023, Table 4",
)


def load_vicr(folder: Path) -> RatedExamples:
    """Image, caption and up to seven ratings a row; the sample has 249 pairs, 1,118 ratings."""
    path = wanted(folder, "vicr/VICR.csv", "vicr_sample/VICR_Sample250.csv")
    rows = read_rows(path)
    names = [name for name in rows.columns if NUMBERED_RATING.fullmatch(name)]
    if not names or not {"image", "caption"} <= rows.columns.keys():
        raise InputError(f"{rows.source}: expected the columns image, caption, ratings, rating_2 …")
    ratings = [_ratings(rows, names, row) for row in range(len(rows))]
    rated = [row for row, own in enumerate(ratings) if own]
    images, captions = rows.columns["image"], rows.columns["caption"]
    corpus = Corpus.from_lists(
        [str(captions[row]) for row in rated], image_ids=[str(images[row]) for row in rated]
    )
    ids = [str(row) for row in rated]
    found = rated_examples(VICR, corpus, {"overall": [ratings[row] for row in rated]}, ids)
    return replace(found, split=find_split(path))


def _ratings(rows: Rows, names: list[str], row: int) -> list[float]:
    low, high = SCALE
    found = []
    for name in names:
        cell = str(rows.columns[name][row]).strip()
        if not cell:
            continue
        try:
            value = float(cell)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise InputError(
                f'{rows.source}: {rows.places[row]}: the rating "{as_written(cell, 30)}" is not a '
                f"number from {low} to {high}. Correct the cell."
            )
        found.append(value)
    return found
