"""An explanation by occlusion as a picture: the image under its grid, the caption's words as bars."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

from captious.explanation.drawing import frame, safe, text_width, words
from captious.explanation.occlusion import GRID, Cell, Covered, OcclusionExplanation
from captious.models.images import RGB

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
