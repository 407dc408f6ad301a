"""Charts drawn by a process of their own.

The library that draws takes about 90 MB and half a second to start. A server lends both to a child
that ends when it is done, and goes on answering.
"""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from captious.charts.drawn import chart_files, figure_of, page_figure
from captious.charts.render import drawing
from captious.errors import CaptiousError
from captious.tables import Table
from captious.tables.values import from_dict, to_dict

LONGEST = 120.0
LOW_PRIORITY = 10
CHILD = "import sys; from captious.charts import apart; sys.exit(apart.main())"


class Pictures(NamedTuple):
    """A chart as inline SVG, for wider screens and for phones."""

    wide: str
    narrow: str


def page_pictures(tables: Sequence[Table]) -> list[Pictures]:
    """The charts of tables for a page."""
    return [Pictures(*one) for one in _asked("page", tables)]


def file_pictures(tables: Sequence[Table]) -> list[str]:
    """The charts of tables as SVG files, on white."""
    found: list[str] = _asked("file", tables)
    return found


def drawn_file(table: Table, form: str) -> bytes:
    """The chart of a table as a file: `pdf`, `svg` or `png`."""
    return b64decode(_asked(form, [table]))


def _asked(form: str, tables: Sequence[Table]) -> Any:
    if not tables:
        return []
    request = orjson.dumps({"form": form, "tables": [to_dict(table) for table in tables]})
    try:
        child = subprocess.run(
            [sys.executable, "-c", CHILD], input=request, capture_output=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        raise CaptiousError(f"charts: not drawn within {LONGEST:.0f} seconds.") from None
    if child.returncode:
        last = child.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise CaptiousError(f"charts: {last}")
    return orjson.loads(child.stdout)


def main() -> int:
    """Read tables from standard input and write their charts to standard output."""
    os.nice(LOW_PRIORITY)
    asked = orjson.loads(sys.stdin.buffer.read())
    tables = [from_dict(one) for one in asked["tables"]]
    drawn: Sequence[object]
    if asked["form"] == "file":
        drawn = chart_files(tables)
    elif asked["form"] in ("pdf", "svg", "png"):
        drawn = b64encode(drawing(figure_of(tables[0]), asked["form"])).decode()
    else:
        drawn = [page_figure(figure_of(table)) for table in tables]
    sys.stdout.buffer.write(orjson.dumps(drawn))
    return 0
