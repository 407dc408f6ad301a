"""Tables as text that other programs read: CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io

from captious.tables.formula import guarded
from captious.tables.table import Cell, Number, Table, shown


def to_csv(table: Table, *, safe: bool = False) -> str:
    """Comma-separated values, numbers unrounded; `safe` keeps text from being run as a formula."""

    def spelled(cell: Cell) -> str | int:
        if isinstance(cell, Number):
            return repr(cell.value)
        if isinstance(cell, float):
            return repr(cell)
        return guarded(cell) if safe and isinstance(cell, str) else cell

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
    """A `booktabs` table, ready for a paper; the best value of a column is bold."""
    columns = "".join("r" if table.is_numeric(column) else "l" for column in range(len(table.columns)))
    lines = [f"% {note}" for note in table.notes]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(_tex(name) for name in table.columns) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _markdown_cell(cell: Cell) -> str:
    found = shown(cell)
    if not isinstance(found, Number):
        return " ".join(str(found).splitlines()).replace("|", "\\|")
    text = f"**{found.text}**" if found.best else found.text
    return f"{text} {found.detail}".strip()


def _latex_cell(cell: Cell) -> str:
    found = shown(cell)
    if not isinstance(found, Number):
        return _tex(str(found))
    text = rf"\textbf{{{found.text}}}" if found.best else found.text
    return rf"{text} {{\scriptsize {found.detail}}}" if found.detail else text


def _tex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)
