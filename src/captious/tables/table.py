"""`Table`: a result in rows and columns, with the text that papers would print for its numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from captious.tables.chart import Chart

if TYPE_CHECKING:
    import pandas as pd


class Number(NamedTuple):
    """A number with the text that papers would print for it."""

    value: float
    text: str
    detail: str = ""
    best: bool = False
    mark: str = ""  # of a test, as a superscript: † or ‡


Cell = str | int | float | Number
HUGE = 1e15  # a column of decimals holds no more digits than a float has
NOTHING = "-"  # a cell without a value


@dataclass(frozen=True)
class Table:
    """A result that a page, a terminal or a paper can show as it is.

    Numbers are raw (floats are shown with three decimals) or carry their own text (`Number`).
    The note may have several lines. `printed` maps names of ours that stand in columns or cells
    to what papers call them; LaTeX shows those. `chart` says how the table is drawn, where a picture
    tells more than its numbers.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    printed: Mapping[str, str] = field(default_factory=dict)
    chart: Chart | None = None

    @property
    def notes(self) -> list[str]:
        """The lines of the note."""
        return self.note.split("\n") if self.note else []

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers and gaps only, so that it is set to the right.

        >>> [Table("", ["m", "r"], [["cider", 0.4], ["spice", ""]]).is_numeric(c) for c in (0, 1)]
        [False, True]
        """
        cells = [row[column] for row in self.rows]
        return bool(cells) and all(not isinstance(cell, str) or cell == "" for cell in cells)

    @staticmethod
    def values(row: Sequence[Cell]) -> list[str | int | float]:
        """The raw values of a row."""
        return [cell.value if isinstance(cell, Number) else cell for cell in row]

    def to_records(self) -> list[dict[str, str | int | float]]:
        """A dict of raw values for each row."""
        return [dict(zip(self.columns, self.values(row), strict=True)) for row in self.rows]

    def to_pandas(self) -> pd.DataFrame:
        """A data frame of the raw values; the first column is the index."""
        from captious.tables.frames import data_frame

        return data_frame(list(map(self.values, self.rows)), self.columns).set_index(self.columns[0])

    def to_markdown(self) -> str:
        """A Markdown table; the best value of a column is bold."""
        from captious.tables.text import to_markdown

        return to_markdown(self)

    def to_latex(self) -> str:
        """A `booktabs` table for a paper."""
        from captious.tables.text import to_latex

        return to_latex(self)

    def __str__(self) -> str:
        from captious.tables.terminal import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from captious.tables.html import to_notebook

        return to_notebook(self)


def number(value: float | None, digits: int = 3) -> Number:
    """A number with so many decimals; a huge one with its power of ten; what is not known is n/a.

    >>> number(0.5).text, number(None).text, number(-1e308).text
    ('0.500', 'n/a', '-1.000e+308')
    """
    known = math.nan if value is None else value
    return Number(known, "n/a" if math.isnan(known) else _decimals(known, digits))


def _decimals(value: float, digits: int) -> str:
    return f"{value:.{digits}{'e' if abs(value) >= HUGE else 'f'}}"


def p_value(value: float) -> Number:
    """The p-value of a test as papers print it; a test that was not made has none.

    >>> p_value(0.0004).text, p_value(0.04).text, p_value(math.nan).text
    ('<0.001', '0.040', '')
    """
    if math.isnan(value):
        return Number(value, "")
    return Number(value, "<0.001" if value < 0.001 else f"{value:.3f}")


def with_interval(value: float, low: float, high: float, *, percent: bool, best: bool = False) -> Number:
    """A score with its interval, both as papers print them.

    >>> with_interval(0.4391, 0.4282, 0.4499, percent=True).detail
    '[42.8, 45.0]'
    """
    unknown = math.isnan(low) or math.isnan(high)
    detail = "" if unknown else f"[{scaled(low, percent)}, {scaled(high, percent)}]"
    return Number(value, scaled(value, percent), detail, best)


def scaled(value: float, percent: bool, digits: int = 1) -> str:
    """A score as papers print it.

    >>> scaled(1.3124, percent=True), scaled(0.93, percent=False, digits=3)
    ('131.2', '0.930')
    """
    if math.isnan(value):
        return "n/a"
    return _decimals(value * 100 if percent else value, digits)


def moment(at: float | None) -> str:
    """A time as people read it, in the machine's own zone; a dash where there is none.

    >>> moment(None)
    '-'
    """
    return NOTHING if at is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def shown(cell: Cell) -> str | int | Number:
    """A cell ready to be shown: a float gets its three decimals.

    >>> shown(0.5).text, shown("m2"), shown(3)
    ('0.500', 'm2', 3)
    """
    return number(cell) if isinstance(cell, float) else cell
