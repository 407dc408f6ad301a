"""Tables on a terminal, or in a file that a terminal's output was sent to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from captious.tables.table import Cell, Number, Table, shown

if TYPE_CHECKING:
    from rich.console import Console

NO_EDGE = 10_000  # a file has no edge to wrap at


def print_table(table: Table) -> None:
    """Print a table on standard output; the best value of a column is bold."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the command line leaves quietly

    # In a notebook rich would show the table itself, beside the text that was asked for.
    console = Terminal(highlight=False, force_jupyter=False)
    if not console.is_terminal:
        console = Terminal(highlight=False, force_jupyter=False, width=NO_EDGE)
    _draw(table, console)


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

    from rich.console import Console

    buffer = io.StringIO()
    # A notebook's kernel asks for colours by a variable; a text has none.
    _draw(
        table, Console(file=buffer, highlight=False, force_jupyter=False, force_terminal=False, width=NO_EDGE)
    )
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def _draw(table: Table, console: Console) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    if table.title:  # a title of the drawn table would be wrapped at the table's width
        console.print(Text(table.title, style="italic"), soft_wrap=True)
    drawn = RichTable(box=box.SIMPLE_HEAD)
    for index, name in enumerate(table.columns):
        right = table.is_numeric(index)
        drawn.add_column(Text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        drawn.add_row(*(_cell(cell) for cell in row))
    console.print(drawn)
    for line in table.notes:
        console.print(Text(line, style="dim"), soft_wrap=True)


def _cell(cell: Cell) -> Any:
    from rich.text import Text

    found = shown(cell)
    if not isinstance(found, Number):
        return Text(str(found))
    text = Text(found.text, style="bold" if found.best else "")
    if found.detail:
        text.append("\n" + found.detail, style="dim")
    return text
