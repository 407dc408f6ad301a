"""Tables on a terminal, or in a file that a terminal's output was sent to.

A table is whole at any width: one that is too wide is split into several, or becomes a list. No name and no
digit is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from captious.tables.table import Cell, Number, Table, shown

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.text import Text

NO_EDGE = 10_000  # a file has no edge to wrap at
SENTENCE = 24  # a column of sentences is not wrapped to fewer characters
BETWEEN = 3  # what a column takes beside its text


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


def to_text(table: Table, width: int = NO_EDGE) -> str:
    """A table as `print_table` shows it on a terminal of that width, by default as in a file.

    >>> results = Table("", ["system", "mean"], [["m2", 0.5]])
    >>> print(to_text(results))
    <BLANKLINE>
      system    mean
     ────────────────
      m2       0.500
    <BLANKLINE>
    >>> print(to_text(results, width=12))
    mean
      m2  0.500
    """
    import io

    from rich.console import Console

    buffer = io.StringIO()
    # A notebook's kernel asks for colours by a variable; a text has none.
    _draw(
        table, Console(file=buffer, highlight=False, force_jupyter=False, force_terminal=False, width=width)
    )
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def _draw(table: Table, console: Console) -> None:
    from rich.text import Text

    if table.title:  # a title of the drawn table would be wrapped at the table's width
        console.print(Text(table.title, style="italic"), soft_wrap=True)
    plan = _plan(table, console.width)
    for block in plan.blocks:
        _draw_block(table, block, console)
    for line in _listed(table, plan):
        console.print(line, soft_wrap=True)
    for note in table.notes:
        console.print(Text(note, style="dim"), soft_wrap=True)


def _draw_block(table: Table, block: Sequence[int], console: Console) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD)
    widths = {index: _widths(table, index) for index in block}
    given = {index: width.least for index, width in widths.items()}
    for index in sorted(block, key=table.is_numeric, reverse=True):  # sentences get what numbers leave
        spare = console.width - _taken(given.values())
        given[index] += max(0, min(spare, widths[index].natural - widths[index].least))
    for index in block:
        justify: JustifyMethod = "right" if table.is_numeric(index) else "left"
        drawn.add_column(Text(table.columns[index]), justify=justify, width=given[index], overflow="fold")
    for row in table.rows:
        drawn.add_row(*(_cell(row[index]) for index in block))
    console.print(drawn)


class _Plan(NamedTuple):
    """How a table fits: its columns in one or several tables, those listed, and those that name a row."""

    blocks: list[list[int]]
    listed: list[int]
    keys: list[int]


class _Widths(NamedTuple):
    natural: int
    least: int  # without cutting a word or a number


def _plan(table: Table, width: int) -> _Plan:
    """As one table if it fits; else without its longest texts, listed below; else split, or as a list."""
    every = list(range(len(table.columns)))
    widths = [_widths(table, index).least for index in every]

    def fits(columns: Sequence[int]) -> bool:
        return _taken(widths[index] for index in columns) <= width

    keys = every[: 1 + next((index for index in every if not table.is_numeric(index)), 0)]
    kept, listed = every, list[int]()
    for index in sorted(every[len(keys) :], key=lambda index: -widths[index]):
        if not fits(kept) and not table.is_numeric(index):
            kept, listed = [one for one in kept if one != index], sorted([index, *listed])
    if fits(kept):
        return _Plan([kept] if kept != keys else [], listed, keys)
    numbers = kept[len(keys) :]
    if not numbers or not all(fits([*keys, index]) for index in numbers):
        return _Plan([], every[len(keys) :], keys)
    blocks: list[list[int]] = [[]]
    for index in numbers:
        if not fits([*(blocks[-1] or keys), index]):
            blocks.append([])
        blocks[-1] = [*(blocks[-1] or keys), index]
    return _Plan(blocks, listed, keys)


def _taken(widths: Iterable[int]) -> int:
    """What columns of these widths take, with what is between them."""
    return 1 + sum(width + BETWEEN for width in widths)


def _widths(table: Table, index: int) -> _Widths:
    from rich.cells import cell_len

    cells = [_cell(row[index]).plain for row in table.rows]
    header = table.columns[index]
    natural = max(cell_len(line) for text in (header, *cells) for line in text.split("\n"))
    whole = cells if table.is_numeric(index) else [word for text in cells for word in text.split() or [""]]
    least = max(cell_len(line) for text in (*header.split(), "", *whole) for line in text.split("\n"))
    return _Widths(natural, least if table.is_numeric(index) else max(least, min(natural, SENTENCE)))


def _listed(table: Table, plan: _Plan) -> Iterator[Text]:
    """Listed columns: below their table, a line a row; without a table as a list, with a heading a row."""
    from rich.text import Text

    headings = [Text("  ").join(_in_a_line(row[key]) for key in plan.keys) for row in table.rows]
    if plan.blocks or len(plan.listed) == 1:
        wide = max((heading.cell_len for heading in headings), default=0)
        for index in plan.listed:
            yield Text(table.columns[index], style="bold")
            for heading, row in zip(headings, table.rows, strict=True):
                if value := _in_a_line(row[index]):
                    yield Text("  ") + heading + Text(" " * (wide + 2 - heading.cell_len)) + value
        return
    name = max((len(table.columns[index]) for index in plan.listed), default=0)
    for heading, row in zip(headings, table.rows, strict=True):
        yield Text(style="bold").append_text(heading)
        for index in plan.listed:
            if value := _in_a_line(row[index]):
                yield Text(f"  {table.columns[index]:<{name}}  ") + value


def _in_a_line(cell: Cell) -> Text:
    from rich.text import Text

    return Text(" ").join(_cell(cell).split("\n"))


def _cell(cell: Cell) -> Text:
    from rich.text import Text

    found = shown(cell)
    if not isinstance(found, Number):
        return Text(str(found))
    text = Text(found.text + found.mark, style="bold" if found.best else "")
    if found.detail:
        text.append("\n" + found.detail, style="dim")
    return text
