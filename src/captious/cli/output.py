"""What a command says: its tables in the form that was asked for, progress, and notes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from captious.progress import ASIDE
from captious.tables import Table

if TYPE_CHECKING:
    from captious.corpus import Scores
    from captious.engine import Progress

A_MINUTE = 60.0


class Format(StrEnum):
    """How a table is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    latex = "latex"
    markdown = "markdown"
    html = "html"


def emit(table: Table | Sequence[Table], payload: Any, form: Format, *, csv_safe: bool = False) -> None:
    """Print tables in the asked form on standard output; JSON prints the payload instead."""
    from captious.tables.html import to_html
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
        Format.html: lambda one: to_html(one) + "\n",
    }
    for index, one in enumerate(tables):
        if form is Format.table:
            print_table(one)
        else:
            print(("\n" if index else "") + renderers[form](one), end="")


def print_cited(scores: Scores, cite: bool, form: Format) -> None:
    """Print the BibTeX of the metrics below the table; JSON holds it, and CSV is for programs."""
    if cite and form is not Format.json:
        print(f"\n{scores.to_bibtex()}", end="", file=sys.stderr if form is Format.csv else sys.stdout)


def emit_guarded(table: Table | Sequence[Table], payload: Any, form: Format) -> None:
    """`emit` for tables of what raters and others wrote: no spreadsheet finds a formula in the CSV."""
    emit(table, payload, form, csv_safe=True)


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Progress on standard error while the block runs: a bar on a terminal, else one line per minute."""
    if not sys.stderr.isatty():
        yield LogLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description:12}"),
        BarColumn(),
        TextColumn("{task.completed:,}/{task.total:,}{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=1, rate="")
        shown = ""

        def show(what: str, done: int, total: int) -> None:
            nonlocal shown
            named = what.partition(ASIDE)[0]
            if named != shown:  # the time left is that of what is being done now
                bar.reset(task)
                shown = named
            speed = bar.tasks[0].speed
            rate = f", {speed:,.0f}/s" if speed and speed >= 1 else ""
            bar.update(task, description=what, completed=done, total=total, rate=rate)

        yield show


class LogLines:
    """Progress for a log file: at most one line per minute, with the time left where it can be told.

    >>> import io
    >>> clock = iter([0.0, 1.0, 30.0, 61.0])
    >>> log = io.StringIO()
    >>> lines = LogLines(clock=lambda: next(clock), file=log)
    >>> for done in (0, 10, 25):
    ...     lines("sentsim, tokens", done, 100)
    >>> log.getvalue()
    'sentsim, tokens: 25 of 100, 0.4/s, about 3 min left\\n'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, file: TextIO | None = None) -> None:
        self.clock, self.file = clock, file
        self.what, self.began, self.said = "", 0.0, clock()
        self.before = 0  # done when this was first heard of: an interrupted run goes on in the middle
        self.last = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Hear of progress, and say it where a minute has passed."""
        now = self.clock()
        if (named := what.partition(ASIDE)[0]) != self.what or done < self.last:
            self.what, self.began, self.before = named, now, done
        self.last = done
        if now - self.said < A_MINUTE or not what:
            return
        self.said = now
        left = ""
        passed, fresh = now - self.began, done - self.before
        if fresh > 0 and passed > 0:
            seconds = passed * (total - done) / fresh
            rate = fresh / passed
            left = (
                f", {rate:,.{0 if rate >= 10 else 1}f}/s, about {max(1, round(seconds / A_MINUTE))} min left"
            )
        print(f"{what}: {done:,} of {total:,}{left}", file=self.file or sys.stderr, flush=True)


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    print(f"note: {message}", file=sys.stderr)
