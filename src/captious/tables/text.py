"""Tables as text that other programs read: CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping

from captious.tables.formula import guarded
from captious.tables.table import NOTHING, Cell, Number, Table, shown


def to_csv(table: Table, *, safe: bool = False) -> str:
    """Comma-separated values, numbers unrounded; `safe` keeps text from being run as a formula.

    >>> print(to_csv(Table("", ["rater", "last"], [["=1+1", NOTHING]]), safe=True), end="")
    rater,last
    '=1+1,-
    """

    def spelled(cell: Cell) -> str | int:
        value = cell.value if isinstance(cell, Number) else cell
        if isinstance(value, str):
            return guarded(value) if safe and value != NOTHING else value
        return repr(float(value)) if isinstance(value, float) else value

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(map(spelled, row))
    return buffer.getvalue()


def to_markdown(table: Table) -> str:
    """A Markdown table; the best value of a column is bold."""
    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append("| " + " | ".join(table.columns) + " |")
    marks = ("---:" if table.is_numeric(column) else "---" for column in range(len(table.columns)))
    lines.append("|" + "|".join(marks) + "|")
    lines += ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in table.rows]
    if table.note:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """A `booktabs` table, ready for a paper; the best value of a column is bold.

    Numbers stand in math mode, so that a minus is a minus and `<` is no other sign.
    """
    columns = "".join("r" if table.is_numeric(column) else "l" for column in range(len(table.columns)))
    lines = [f"% {note}" for note in table.notes]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(_tex(table.printed.get(name, name)) for name in table.columns) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(_latex_cell(cell, table.printed) for cell in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _markdown_cell(cell: Cell) -> str:
    found = shown(cell)
    if not isinstance(found, Number):
        return " ".join(str(found).splitlines()).replace("|", "\\|")
    text = (f"**{found.text}**" if found.best else found.text) + found.mark
    return f"{text} {found.detail}".strip()


def _latex_cell(cell: Cell, printed: Mapping[str, str]) -> str:
    found = shown(cell)
    if isinstance(found, int):
        return _math(str(found))
    if isinstance(found, str):
        return _tex(printed.get(found, found))
    text = _math(found.text)
    text = rf"\textbf{{{text}}}" if found.best else text
    text += "".join(rf"$^{{{_MARKS[mark]}}}$" for mark in found.mark)
    return (
        rf"{text} {{\scriptsize {_NUMBERS.sub(_number, _tex_signs(found.detail))}}}" if found.detail else text
    )


_MARKS = {"†": r"\dagger", "‡": r"\ddagger"}
_SIGNED = re.compile(r"([-<>≤≥±]?)(\d.*)")
_NUMBERS = re.compile(r"-\d[\d.,]*")
_SIGNS = {"≤": r"\leq", "≥": r"\geq", "±": r"\pm"}
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"}
_TEX |= {sign: f"${sign}$" for sign in "<>"} | {sign: f"${name}$" for sign, name in _SIGNS.items()}
_TEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def _math(text: str) -> str:
    """A number with its sign, as TeX sets it.

    >>> _math("-0.3"), _math("<0.001"), _math("12.5"), _math("n/a")
    ('$-$0.3', '$<$0.001', '12.5', 'n/a')
    """
    parts = _SIGNED.fullmatch(text)
    if parts is None or not parts[1]:
        return _tex(text)
    return f"${_SIGNS.get(parts[1], parts[1])}${parts[2]}"


def _tex_signs(text: str) -> str:
    return "".join(f"${_SIGNS[sign]}$" if sign in _SIGNS else sign for sign in text)


def _number(found: re.Match[str]) -> str:
    return _math(found[0])


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)
