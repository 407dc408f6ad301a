"""Tables as people want them: on a terminal, as JSON, CSV, LaTeX or Markdown."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from captious.engine import Progress


class Format(StrEnum):
    """How a table is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    latex = "latex"
    markdown = "markdown"


class Number(NamedTuple):
    """A number with the text that papers would print for it."""

    value: float
    text: str
    detail: str = ""
    best: bool = False


Cell = str | int | Number


@dataclass
class Table:
    """Rows and columns for people; the raw values travel in `payload` and in CSV."""

    header: list[str]
    rows: list[list[Cell]]
    title: str = ""
    notes: list[str] = field(default_factory=list)


def emit(table: Table | Sequence[Table], payload: Any, form: Format, *, csv_safe: bool = False) -> None:
    """Print tables in the asked form on standard output; JSON prints the payload instead."""
    if form is Format.json:
        print(to_json(payload))
        return
    tables = [table] if isinstance(table, Table) else list(table)
    renderers: dict[Format, Callable[[Table], str]] = {
        Format.csv: partial(to_csv, safe=csv_safe),
        Format.latex: to_latex,
        Format.markdown: to_markdown,
    }
    for index, one in enumerate(tables):
        if form is Format.table:
            _print_rich(one)
        else:
            print(("\n" if index else "") + renderers[form](one), end="")


def to_json(payload: Any) -> str:
    """JSON with two spaces of indentation; NaN and infinity become null."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(payload, option=options).decode()


def scaled(value: float, percent: bool, digits: int = 1) -> str:
    """A score as papers print it.

    >>> scaled(1.3124, percent=True), scaled(0.93, percent=False, digits=3)
    ('131.2', '0.930')
    """
    if math.isnan(value):
        return "n/a"
    return f"{value * 100:.{digits}f}" if percent else f"{value:.{digits}f}"


def to_csv(table: Table, *, safe: bool = False) -> str:
    """Comma-separated values, numbers unrounded; `safe` keeps text from being run as a formula."""
    from captious.files import not_a_formula

    def spelled(cell: Cell) -> str | int:
        if isinstance(cell, Number):
            return repr(cell.value)
        return not_a_formula(cell) if safe and isinstance(cell, str) else cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.header)
    for row in table.rows:
        writer.writerow(map(spelled, row))
    return buffer.getvalue()


def to_markdown(table: Table) -> str:
    """A Markdown table; the best value of a column is bold."""
    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append("| " + " | ".join(table.header) + " |")
    lines.append("|" + "|".join("---:" if _numeric(table, i) else "---" for i in _columns(table)) + "|")
    lines += ["| " + " | ".join(_markdown_cell(c) for c in row) + " |" for row in table.rows]
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """A `booktabs` table, ready for a paper; the best value of a column is bold."""
    columns = "".join("r" if _numeric(table, i) else "l" for i in _columns(table))
    lines = [f"% {note}" for note in table.notes]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(_tex(h) for h in table.header) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(_latex_cell(c) for c in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A progress bar on standard error while the block runs; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description:12}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    print(f"note: {message}", file=sys.stderr)


def _columns(table: Table) -> range:
    return range(len(table.header))


def _numeric(table: Table, column: int) -> bool:
    cells = [row[column] for row in table.rows]
    return bool(cells) and all(not isinstance(cell, str) or cell == "" for cell in cells)


def _markdown_cell(cell: Cell) -> str:
    if not isinstance(cell, Number):
        return str(cell).replace("|", "\\|").replace("\n", " ")
    text = f"**{cell.text}**" if cell.best else cell.text
    return f"{text} {cell.detail}".strip()


def _latex_cell(cell: Cell) -> str:
    if not isinstance(cell, Number):
        return _tex(str(cell))
    text = rf"\textbf{{{cell.text}}}" if cell.best else cell.text
    return rf"{text} {{\scriptsize {cell.detail}}}" if cell.detail else text


def _tex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def _print_rich(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the command line leaves quietly

    console = Terminal(highlight=False)
    if not console.is_terminal:
        console = Terminal(highlight=False, width=10_000)  # a file has no edge to wrap at
    shown = RichTable(title=table.title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for index, name in enumerate(table.header):
        right = _numeric(table, index)
        shown.add_column(Text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        shown.add_row(*(_rich_cell(cell) for cell in row))
    console.print(shown)
    for line in table.notes:
        console.print(Text(line, style="dim"), soft_wrap=True)


def _rich_cell(cell: Cell) -> Any:
    from rich.text import Text

    if not isinstance(cell, Number):
        return Text(str(cell))
    text = Text(cell.text, style="bold" if cell.best else "")
    if cell.detail:
        text.append("\n" + cell.detail, style="dim")
    return text
