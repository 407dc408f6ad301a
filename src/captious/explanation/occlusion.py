"""Which words and image regions contribute to a score: by covering them one at a time.

Occlusion (Zeiler and Fergus 2014): a part is removed, the model runs again, and the drop in
the score is the part's contribution. A word is left out of the caption; a cell of a grid over the image is
painted in the model's mean colour. The loss is that of w cos(caption, image), before values below 0
are cut to 0; a negative loss means that the part speaks against the caption. The losses need not
add up to the score.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.types import Example
from captious.errors import InputError
from captious.explanation.drawing import frame, safe, text_width, words
from captious.metrics.clip import ClipFamily
from captious.models.encoders.model_embedder import ModelEmbedder
from captious.models.images import RGB, load_image

METHOD = "occlusion"
GRID = 7  # cells on a side: a patch of ViT-B/32 each
_CELLS_A_BATCH = 16


class Covered(NamedTuple):
    """A word or a cell that was covered: what was left of the score, and what was lost."""

    name: str
    without: float
    loss: float


class Cell(NamedTuple):
    """A cell of the grid, counted from the top left, and what covering it lost."""

    row: int
    column: int
    without: float
    loss: float


@dataclass(frozen=True)
class OcclusionExplanation:
    """A caption's words and its image's cells, each with its share of the score.

    `uncut` is w cos(caption, image), of which `score` is the part above 0; `seen` is the image as the
    model sees it: resized and cropped.
    """

    metric: str
    signature: str
    system: str
    image_id: str
    caption: str
    score: float
    uncut: float
    words: list[Covered]
    cells: list[Cell]
    seen: RGB

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metric": self.metric,
            "method": METHOD,
            "grid": GRID,
            "signature": self.signature,
            "system": self.system,
            "image_id": self.image_id,
            "caption": self.caption,
            "score": self.score,
            "uncut": self.uncut,
            "words": [word._asdict() for word in self.words],
            "cells": [cell._asdict() for cell in self.cells],
        }


def explain_occlusion(
    corpus: Corpus, rows: Sequence[int], metric: ClipFamily, scores: Sequence[float], signature: str
) -> list[OcclusionExplanation]:
    """Cover every word and every cell of some examples."""
    embedder = metric.embedder()
    if not isinstance(embedder, ModelEmbedder):
        raise InputError(
            f"{metric.name}: {metric.encoder} contains vectors, but an explanation needs a model."
        )
    found = []
    for row, score in zip(rows, scores, strict=True):
        example = corpus.example(row)
        if example.image_path is None:
            raise InputError(f'image "{example.image_id}": no file was found for it. Check the folder.')
        found.append(_explained(example, metric, embedder, score, signature))
    return found


def _explained(
    example: Example, metric: ClipFamily, embedder: ModelEmbedder, score: float, signature: str
) -> OcclusionExplanation:
    seen = embedder.recipe.resized(load_image(str(example.image_path)))
    words = example.caption.split()
    left = [" ".join([*words[:place], *words[place + 1 :]]) for place in range(len(words))]
    texts = embedder.texts([example.caption, *left], metric.long, metric.spoken_prompt).features
    images = np.concatenate(
        [embedder.pixels(part) for part in np.array_split(_covered(embedder, seen), _batches())]
    )
    with_words = metric.w * (texts.astype(np.float64) @ images[0])
    with_cells = metric.w * (images[1:].astype(np.float64) @ texts[0])
    uncut = float(with_words[0])
    return OcclusionExplanation(
        metric=metric.name,
        signature=signature,
        system=example.system,
        image_id=example.image_id,
        caption=example.caption,
        score=score,
        uncut=uncut,
        words=[
            Covered(word, float(rest), uncut - float(rest))
            for word, rest in zip(words, with_words[1:], strict=True)
        ],
        cells=[
            Cell(place // GRID, place % GRID, float(rest), uncut - float(rest))
            for place, rest in enumerate(with_cells)
        ],
        seen=seen,
    )


def _batches() -> int:
    return -(-(GRID * GRID + 1) // _CELLS_A_BATCH)


def edges(length: int) -> list[int]:
    """Where the cells of a side of so many pixels begin and end.

    >>> edges(224)[:3]
    [0, 32, 64]
    """
    return [round(length * place / GRID) for place in range(GRID + 1)]


def _covered(embedder: ModelEmbedder, seen: RGB) -> Any:
    """The image whole, then with each cell in the mean colour, which is 0 after normalisation."""
    whole = embedder.recipe.normalise(seen)
    rows, columns = edges(whole.shape[1]), edges(whole.shape[2])
    pictures = np.repeat(whole[None], GRID * GRID + 1, axis=0)
    for place in range(GRID * GRID):
        row, column = divmod(place, GRID)
        part = pictures[place + 1, :, rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        part[...] = 0.0
    return pictures


_SIDE, _MARGIN, _HEAD = 336.0, 24.0, 62.0
_BAR, _LINE = 220.0, 26.0
_MARKED = 3  # cells whose loss is written into them
_STRONGEST = 0.62  # opacity of the cell that loses most
_QUALITY = 80


def occlusion_picture(one: OcclusionExplanation, key: str = "plan", *, standalone: bool = True) -> str:
    """The explanation as SVG; `key` keeps the ids of several pictures on a page apart."""
    head = _HEAD if standalone else 22.0
    names = max((text_width(word.name, 14) for word in one.words), default=0.0)
    width = 3 * _MARGIN + _SIDE + names + _BAR + 90
    height = head + max(_SIDE, _LINE * len(one.words) + 24) + 34
    title = f"{one.metric} {one.score:.3f} of image {one.image_id}: {one.caption}"
    parts = [frame(width, height, key, title, occlusion_in_words(one), standalone=standalone)]
    if standalone:
        parts.append(words(_MARGIN, 24, f"{one.image_id}, {one.system}: {one.caption}", "head"))
        parts.append(words(_MARGIN, 46, f"{one.metric} {one.score:.4f}", "note"))
    parts += [
        f'<image x="{_MARGIN:.0f}" y="{head:.0f}" width="{_SIDE:.0f}" height="{_SIDE:.0f}" '
        f'preserveAspectRatio="none" href="{_data_address(one.seen)}"/>',
        *_grid(one, head),
        *_bars(one, head, 2 * _MARGIN + _SIDE, names),
        words(
            _MARGIN,
            head + _SIDE + 22,
            "Numbers: how much the score drops when a cell or word is covered.",
            "note",
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def occlusion_in_words(one: OcclusionExplanation) -> str:
    """The whole picture as sentences."""
    said = [f"{word.name} {word.loss:+.3f}" for word in sorted(one.words, key=_by_loss)]
    cells = [f"row {c.row + 1}, column {c.column + 1} {c.loss:+.3f}" for c in strongest(one)]
    return (
        f"Drop in the score without each word: {', '.join(said)}. "
        f"Cells of the image, {GRID} by {GRID}, with the largest drop when covered: {'; '.join(cells)}."
    )


def strongest(one: OcclusionExplanation, count: int = _MARKED) -> list[Cell]:
    """The cells that lose most."""
    return sorted(one.cells, key=_by_loss)[:count]


def _by_loss(part: Covered | Cell) -> float:
    return -part.loss


def _grid(one: OcclusionExplanation, top: float) -> list[str]:
    size = _SIDE / GRID
    most = max((abs(cell.loss) for cell in one.cells), default=0.0) or 1.0
    marked = set(strongest(one))
    drawn = []
    for cell in one.cells:
        x, y = _MARGIN + cell.column * size, top + cell.row * size
        kind = "carries" if cell.loss > 0 else "against"
        drawn.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}" '
            f'fill-opacity="{_STRONGEST * abs(cell.loss) / most:.2f}">'
            f"<title>row {cell.row + 1}, column {cell.column + 1}: {cell.loss:+.4f}</title></rect>"
        )
        if cell in marked:
            place = f'x="{x + size / 2:.1f}" y="{y + size / 2 + 4:.1f}"'
            drawn.append(f'<text class="mark" {place}>{cell.loss:+.2f}</text>')
    return drawn


def _bars(one: OcclusionExplanation, top: float, left: float, names: float) -> list[str]:
    most = max((abs(word.loss) for word in one.words), default=0.0) or 1.0
    drawn = [words(left, top + 10, "drop in the score without the word", "note")]
    for place, word in enumerate(one.words):
        y = top + 24 + _LINE * place
        length = max(1.0, _BAR * abs(word.loss) / most)
        kind = "carries" if word.loss > 0 else "against"
        drawn.append(words(left, y + 14, word.name))
        drawn.append(
            f'<rect class="{kind}" x="{left + names + 10:.1f}" y="{y:.1f}" width="{length:.1f}" height="18"/>'
        )
        value = safe(f"{word.loss:+.3f}")
        drawn.append(f'<text x="{left + names + 18 + length:.1f}" y="{y + 14:.1f}">{value}</text>')
    return drawn


def _data_address(picture: RGB) -> str:
    from PIL import Image

    held = BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=_QUALITY)
    return f"data:image/jpeg;base64,{b64encode(held.getvalue()).decode()}"
