"""Tables as HTML: in a report that is one file, and on the pages of the web application."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from captious.tables.table import Cell, Number, Table, shown
from captious.tables.values import Drawn


class DrawnColumn(NamedTuple):
    """A last column of drawings: its heading, and markup for each row."""

    heading: str
    cells: Sequence[str]


def spelled(cell: Cell) -> str:
    """What a cell says, with a number's own text."""
    found = shown(cell)
    return found.text if isinstance(found, Number) else str(found)


def to_html(
    table: Table,
    *,
    label: str = "",
    caption: str = "",
    sortable: bool = False,
    spell: Callable[[Cell], str] = spelled,
    drawn: DrawnColumn | None = None,
    empty: str = "",
) -> str:
    """A table in a box that scrolls; every text is escaped.

    `label` names the box for those who do not see it (else the title does). `caption` is markup
    that replaces title and note; `spell` says what a cell shows; `empty` stands where no row is.

    >>> print(to_html(Table("T", ["system", "mean"], [["m<2", 0.5]], "By hand.")))
    <div class="scroll" role="region" aria-label="T" tabindex="0">
    <table><caption>T</caption>
    <thead><tr><th scope="col">system</th><th scope="col" class="number">mean</th></tr></thead>
    <tbody>
    <tr><th scope="row">m&lt;2</th><td class="number">0.500</td></tr>
    </tbody></table></div>
    <p class="notes">By hand.</p>
    """
    heads = [_heading(table, at, spell) for at in range(len(table.columns))]
    rows = ["".join(_cell(cell, at, spell, sortable) for at, cell in enumerate(row)) for row in table.rows]
    if drawn is not None:
        heads.append(f'<th scope="col" class="drawn"><span>{escape(drawn.heading)}</span></th>')
        rows = [row + f'<td class="drawn">{one}</td>' for row, one in zip(rows, drawn.cells, strict=True)]
    if empty and not rows:
        rows = [f'<td colspan="{len(heads)}">{escape(empty)}</td>']
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    note = f'\n<p class="notes">{escape(table.note)}</p>' if table.note and not caption else ""
    return (
        f'<div class="scroll" role="region" aria-label="{escape(label or table.title)}" tabindex="0">\n'
        f"<table{kind}><caption>{caption or escape(table.title)}</caption>\n"
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{note}"
    )


_NOTEBOOK = (
    "<style>.captious table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".captious caption{text-align:left;font-weight:600;padding:.2em 0}"
    # Twice the class: Jupyter's own rule sets every cell to the right and would win.
    ".captious.captious th,.captious.captious td{padding:.25em .8em;text-align:left;border:0}"
    ".captious.captious thead th{border-bottom:1px solid currentColor}"
    ".captious.captious .number{text-align:right}.captious .detail{opacity:.65;font-size:85%}"
    ".captious tbody th{font-weight:400}"
    ".captious .notes{opacity:.65;font-size:80%;white-space:pre-line}</style>"
)


def to_notebook(table: Table) -> str:
    """A table with the little style that a notebook needs, in the notebook's own colours.

    >>> "<strong>0.500</strong>" in to_notebook(Table("", ["m"], [["a"]])), "currentColor" in _NOTEBOOK
    (False, True)
    """
    return f'{_NOTEBOOK}<div class="captious">{to_html(table, label=table.title or "table")}</div>'


def interval_svg(drawn: Drawn, bottom: float, top: float) -> str:
    """A value and its interval on the scale from `bottom` to `top`."""

    def line(kind: str, start: float, end: float, above: int, below: int) -> str:
        ends = _along(start, bottom, top), _along(end, bottom, top)
        return f'<line class="{kind}" x1="{ends[0]}" x2="{ends[1]}" y1="{above}" y2="{below}"/>'

    lines = [line("axis", bottom, top, 6, 6)]
    if bottom < 0 < top:
        lines.append(line("zero", 0, 0, 1, 11))
    if drawn.low is not None and drawn.high is not None:
        lines.append(line("range", drawn.low, drawn.high, 6, 6))
    if drawn.value is not None:
        lines.append(line("point", drawn.value, drawn.value, 2, 10))
    return (
        '<svg class="interval" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" '
        f'focusable="false">{"".join(lines)}</svg>'
    )


def _along(value: float, low: float, high: float) -> float:
    """Where a value stands on a scale of 100, kept inside it."""
    share = (value - low) / (high - low) if high > low else 0.0
    return round(100 * min(max(share, 0.0), 1.0), 2)


def _heading(table: Table, at: int, spell: Callable[[Cell], str]) -> str:
    number = at > 0 and any(not isinstance(row[at], str) for row in table.rows)
    return f'<th scope="col"{_number_class(number)}>{escape(spell(table.columns[at]))}</th>'


def _cell(cell: Cell, at: int, spell: Callable[[Cell], str], sortable: bool) -> str:
    text = escape(spell(cell))
    if at == 0:
        return f'<th scope="row">{text}</th>'
    value = cell.value if isinstance(cell, Number) else cell
    kind = _number_class(not isinstance(value, str))
    if sortable and not isinstance(value, str) and not math.isnan(value):
        kind += f' data-value="{value}"'
    if isinstance(cell, Number):
        text = f"<strong>{text}</strong>" if cell.best else text
        text += f"<sup>{escape(cell.mark)}</sup>" if cell.mark else ""
        text += f' <span class="detail">{escape(cell.detail)}</span>' if cell.detail else ""
    return f"<td{kind}>{text}</td>"


def _number_class(number: bool) -> str:
    return ' class="number"' if number else ""
