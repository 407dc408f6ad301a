"""What a command says: its tables in the form that was asked for, progress, and notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from captious.tables import Table

if TYPE_CHECKING:
    from captious.engine import Progress


class Format(StrEnum):
    """How a table is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    latex = "latex"
    markdown = "markdown"


def emit(table: Table | Sequence[Table], payload: Any, form: Format, *, csv_safe: bool = False) -> None:
    """Print tables in the asked form on standard output; JSON prints the payload instead."""
    from captious.tables.terminal import print_table
    from captious.tables.text import to_csv, to_latex, to_markdown
    from captious.tables.values import to_json

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
            print_table(one)
        else:
            print(("\n" if index else "") + renderers[form](one), end="")


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
