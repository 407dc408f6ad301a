"""Foils: a true caption beside one with wrong details.

Short ones with one wrong detail (SugarCrepe, Hsieh et al. 2023), and long ones by models beside the
same text as a person corrected it (DiscourseFOIL, Lin et al. 2025).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from captious.benchmarks.data_files import wanted
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
DISCOFOIL = Protocol(
    name="discofoil",
    task="preference",
    references="one long description of the image by a person",
    documents="examples",
    ties="a tie in scores counts one half, the expectation of a coin toss",
    source="Lin et al. 2025 (DiscoSG); the corrected caption should score higher than the model's",
)
NEEDED = ("kind", "image", "caption", "foil", "references")


def load_foils(folder: Path) -> Preferences:
    """Rows `{"kind", "image", "caption", "foil", "references"}`; a category is a kind of error."""
    path = wanted(folder, "foils/sugarcrepe.jsonl")
    kinds, images, captions, foils, cells = _columns(path, NEEDED)
    references = [_texts(path, cell, row) for row, cell in enumerate(cells)]
    return _preferences(FOILS, kinds, images, list(zip(captions, foils, strict=True)), references)


def load_discofoil(folder: Path) -> Preferences:
    """Rows `{"image", "reference", "wrong", "corrected"}`."""
    path = wanted(folder, "detailed/discofoil.jsonl")
    images, corrected, wrong, references = _columns(path, ("image", "corrected", "wrong", "reference"))
    kinds = ["discofoil"] * len(images)
    own = [[text] for text in references]
    return _preferences(DISCOFOIL, kinds, images, list(zip(corrected, wrong, strict=True)), own)


def _preferences(
    protocol: Protocol,
    kinds: list[str],
    images: list[str],
    pairs: list[tuple[str, str]],
    references: list[list[str]],
) -> Preferences:
    """Pairs of a true caption and a wrong one."""
    corpus = Corpus.from_lists(
        [text for pair in pairs for text in pair],
        [own for own in references for _ in range(2)],
        image_ids=[image for image in images for _ in range(2)],
    )
    places = np.arange(len(pairs), dtype=np.int64)
    return Preferences(
        protocol=protocol,
        corpora=[corpus],
        first=2 * places,
        second=2 * places + 1,
        label=np.zeros(len(pairs), dtype=np.int64),
        category=kinds,
        ids=[f"{kind}|{number}|{which}" for number, kind in enumerate(kinds) for which in ("true", "foil")],
    )


def _columns(path: Path, names: tuple[str, ...]) -> list[list[Any]]:
    """Columns of texts; that of references is left as it is."""
    rows = read_every_column(path)
    missing = next((name for name in names if name not in rows.columns), None)
    if missing is not None:
        raise InputError(f'{path}: no "{missing}" in its rows. Each row needs {", ".join(names)}.')
    return [
        [
            rows.columns[name][row]
            if name == "references"
            else _text(path, rows.columns[name][row], name, row)
            for row in range(len(rows))
        ]
        for name in names
    ]


def _text(path: Path, cell: object, name: str, row: int) -> str:
    if isinstance(cell, (str, int)) and str(cell).strip():
        return str(cell)
    raise InputError(f'{path}: row {row + 1}: "{name}" is "{as_written(cell, 30)}", not a text. Correct it.')


def _texts(path: Path, cell: object, row: int) -> list[str]:
    if isinstance(cell, list) and all(isinstance(text, str) for text in cell):
        return cell
    raise InputError(f'{path}: row {row + 1}: "references" is not a list of texts. Correct it.')
