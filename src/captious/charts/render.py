"""From a specification to SVG on the page and to SVG, PDF and PNG for papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from captious.charts.theme import LIGHT, Spec
from captious.errors import InputError, MissingDependencyError
from captious.files import atomically, check_output
from captious.tables import Table

PNG_SCALE = 3  # 288 dots an inch at the size of the chart
# Fonts with the widths that the charts are laid out with, then whatever there is.
FONTS = "Arial, Liberation Sans, Arimo, Helvetica, sans-serif"
_COLOUR = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"', re.IGNORECASE)
_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(\bid="|url\(#|href="#)([^")]+)(["\)])')
_OPENING = re.compile(r"<svg[^>]*>")
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_GEOMETRY = re.compile(r'\b(?:d|transform|[xy][12]?|width|height)="[^"]*"')
_LONG = re.compile(r"(\.\d{2})\d+")
_NAMES = {value.lower(): name for name, value in LIGHT.items()}


def can_draw() -> bool:
    """Whether the libraries of charts are installed (captious[report])."""
    return all(find_spec(module) is not None for module in ("altair", "vl_convert"))


def svg(spec: Spec) -> str:
    """A chart as SVG in light colours."""
    drawn: str = _converter().vegalite_to_svg(spec)
    return drawn


def page_svg(spec: Spec, alternative: str, of_class: str, name: str = "chart") -> str:
    """A chart as inline SVG: one picture with a name, its colours CSS variables.

    `name` begins the ids inside, so that they are the same in every run and unique on the page.
    """
    drawn = svg(spec)
    size = _SIZE.search(drawn)
    width, height = size.groups() if size else ("600", "400")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {of_class}" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'aria-label="{escape(alternative, quote=True)}">'
    )
    drawn = _OPENING.sub(lambda _: opening, drawn, count=1)
    drawn = _COLOUR.sub(_as_variable, drawn)
    drawn = _with_own_ids(drawn, f"{name}-{of_class}")
    drawn = re.sub(r' (?:role="graphics-[^"]*"|aria-(?!label)[a-z]+="[^"]*")', "", drawn)
    drawn = _lighter(drawn)
    return drawn.replace('font-family="sans-serif"', f'font-family="{FONTS}"')


def export(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Write every chart as `.svg`, `.pdf`, `.png` and `.vl.json`; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures:
        for suffix in ("vl.json", "svg", "pdf", "png"):
            path = folder / f"{figure.key}.{suffix}"
            path.write_bytes(drawing(figure, suffix))
            written.append(path)
    return written


def save(figure: Figure, path: Path) -> None:
    """Write one chart as the file's name says: `.svg`, `.pdf` or `.png`."""
    check_figure(path)
    with atomically(path) as temporary:
        temporary.write_bytes(drawing(figure, path.suffix.lower()[1:]))


def check_figure(path: Path) -> None:
    """Refuse, before any work is done, a file that could not be drawn."""
    if path.suffix.lower() not in (".svg", ".pdf", ".png"):
        raise InputError(f'{path}: cannot draw "{path.suffix}". End the name in .svg, .pdf or .png.')
    check_output(path)
    if not can_draw():
        raise MissingDependencyError("charts need Altair and vl-convert", "report")


def drawing(figure: Figure, suffix: str) -> bytes:
    """A chart as the content of a file: `svg`, `pdf`, `png` or `vl.json`."""
    import orjson

    converter = _converter()
    spec = {**figure.wide, "background": "#ffffff", "description": figure.alternative}
    drawn: dict[str, Callable[[], bytes]] = {
        "vl.json": lambda: orjson.dumps(spec, option=orjson.OPT_INDENT_2),
        "svg": lambda: converter.vegalite_to_svg(spec).encode(),
        "pdf": lambda: converter.vegalite_to_pdf(spec),
        "png": lambda: converter.vegalite_to_png(spec, scale=PNG_SCALE),
    }
    return drawn[suffix]()


def require_libraries() -> None:
    """Refuse early, with the command that fixes it, where a library of the report is missing."""
    for module, name in (
        ("altair", "Altair"),
        ("vl_convert", "vl-convert"),
        ("jinja2", "Jinja2"),
        ("PIL", "Pillow"),
    ):
        if find_spec(module) is None:
            raise MissingDependencyError(f"a report needs {name}", "report")


def _converter() -> ModuleType:
    import vl_convert

    module: ModuleType = vl_convert
    return module


def _lighter(drawn: str) -> str:
    """The same picture without what only a script would use and without parts that draw nothing."""
    drawn = re.sub(
        r' (?:class="(?!chart)[^"]*"|pointer-events="none"|transform="translate\(0,0\)")', "", drawn
    )
    drawn = re.sub(r'<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?/>', "", drawn)
    drawn = _GEOMETRY.sub(lambda found: _LONG.sub(r"\1", found[0]), drawn)
    before = ""
    while before != drawn:
        before, drawn = drawn, re.sub(r"<g>(?:</g>)|<g [^>]*></g>", "", drawn)
    return drawn


def _with_own_ids(drawn: str, name: str) -> str:
    known = {old: f"{name}-{k}" for k, old in enumerate(dict.fromkeys(_ID.findall(drawn)))}
    return _REFERENCE.sub(lambda m: f"{m[1]}{known.get(m[2], m[2])}{m[3]}", drawn)


def _as_variable(match: re.Match[str]) -> str:
    name = _NAMES.get(match[2].lower())
    return f'{match[1]}="var(--{name})"' if name else match[0]


@dataclass(frozen=True)
class Figure:
    """One chart of the report.

    `how` says what is drawn, `finding` what it shows here; together they are
    the text alternative. `wide` and `narrow` are Vega-Lite specifications of the same data, for
    pages and papers, and for phones.
    """

    key: str
    title: str
    how: str
    finding: str
    table: Table
    wide: Spec
    narrow: Spec

    @property
    def alternative(self) -> str:
        """The text alternative of the chart."""
        return f"{self.title}. {self.finding}"


def listed(names: list[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["bleu4", "cider", "meteor"])
    'bleu4, cider and meteor'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
