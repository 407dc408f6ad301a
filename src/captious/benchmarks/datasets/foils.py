"""Foils: a true caption beside a copy with one wrong detail (SugarCrepe, Hsieh et al. 2023)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from captious.benchmarks.data_files.locate import wanted
from captious.benchmarks.protocol import Preferences, Protocol
from captious.corpus import Corpus
from captious.corpus.readers import read_every_column
from captious.errors import InputError, as_written

FOILS = Protocol(
    name="foils",
    task="preference",
    references="the image's other captions",
    documents="examples",
    ties="a tie in scores counts one half, the expectation of a coin toss",
    source="Hsieh et al. 2023 (SugarCrepe); the true caption should score higher than its foil",
)
NEEDED = ("kind", "image", "caption", "foil", "references")


def load_foils(folder: Path) -> Preferences:
    """Rows `{"kind", "image", "caption", "foil", "references"}`; a category is a kind of error."""
    path = wanted(folder, "foils/sugarcrepe.jsonl")
    rows = read_every_column(path)
    missing = next((name for name in NEEDED if name not in rows.columns), None)
    if missing is not None:
        raise InputError(f'{path}: no "{missing}" in its rows. Each row needs {", ".join(NEEDED)}.')
    kinds, images, captions, foils = (
        [_text(path, rows.columns[name][row], name, row) for row in range(len(rows))] for name in NEEDED[:4]
    )
    references = [_texts(path, cell, row) for row, cell in enumerate(rows.columns["references"])]
    corpus = Corpus.from_lists(
        [text for pair in zip(captions, foils, strict=True) for text in pair],
        [own for own in references for _ in range(2)],
        image_ids=[image for image in images for _ in range(2)],
    )
    places = np.arange(len(captions), dtype=np.int64)
    return Preferences(
        protocol=FOILS,
        corpora=[corpus],
        first=2 * places,
        second=2 * places + 1,
        label=np.zeros(len(captions), dtype=np.int64),
        category=kinds,
        ids=[f"{kind}|{number}|{which}" for number, kind in enumerate(kinds) for which in ("true", "foil")],
    )


def _text(path: Path, cell: object, name: str, row: int) -> str:
    if isinstance(cell, (str, int)) and str(cell).strip():
        return str(cell)
    raise InputError(f'{path}: row {row + 1}: "{name}" is "{as_written(cell, 30)}", not a text. Correct it.')


def _texts(path: Path, cell: object, row: int) -> list[str]:
    if isinstance(cell, list) and all(isinstance(text, str) for text in cell):
        return cell
    raise InputError(f'{path}: row {row + 1}: "references" is not a list of texts. Correct it.')
