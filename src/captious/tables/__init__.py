"""One table for everyone: what a result is, and how it is shown in each form.

A protocol, a benchmark or a command makes a `Table`; `terminal`, `text` (CSV, Markdown, LaTeX),
`html` and `values` (JSON) show it. Nobody else knows how a table looks.
"""

from captious.tables.chart import Chart
from captious.tables.shown import Shown
from captious.tables.table import Cell, Number, Table, moment, number, p_value, scaled, with_interval

__all__ = [
    "Cell",
    "Chart",
    "Number",
    "Shown",
    "Table",
    "moment",
    "number",
    "p_value",
    "scaled",
    "with_interval",
]
