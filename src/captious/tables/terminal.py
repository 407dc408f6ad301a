"""Tables on a terminal, or in a file that a terminal's output was sent to."""

from __future__ import annotations

from typing import Any

from captious.tables.table import Cell, Number, Table, shown


def print_table(table: Table) -> None:
    """Print a table on standard output; the best value of a column is bold."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the command line leaves quietly

    # In a notebook rich would show the table itself, beside the text that was asked for.
    console = Terminal(highlight=False, force_jupyter=False)
    if not console.is_terminal:
        console = Terminal(
            highlight=False, force_jupyter=False, width=10_000
        )  # a file has no edge to wrap at
    drawn = RichTable(title=table.title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for index, name in enumerate(table.columns):
        right = table.is_numeric(index)
        drawn.add_column(Text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        drawn.add_row(*(_cell(cell) for cell in row))
    console.print(drawn)
    for line in table.notes:
        console.print(Text(line, style="dim"), soft_wrap=True)


def to_text(table: Table) -> str:
    """A table as `print_table` shows it in a file.

    >>> print(to_text(Table("", ["system", "mean"], [["m2", 0.5]])))
    <BLANKLINE>
      system    mean
     ────────────────
      m2       0.500
    <BLANKLINE>
    """
    import io
    from contextlib import redirect_stdout

    buffer = io.StringIO()
    with redirect_stdout(buffer):
        print_table(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def _cell(cell: Cell) -> Any:
    from rich.text import Text

    found = shown(cell)
    if not isinstance(found, Number):
        return Text(str(found))
    text = Text(found.text, style="bold" if found.best else "")
    if found.detail:
        text.append("\n" + found.detail, style="dim")
    return text
