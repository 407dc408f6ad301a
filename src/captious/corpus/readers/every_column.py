"""Tables of anything, such as scores by other programs: every column under its own name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from captious.corpus.columns import is_list, is_table, listed
from captious.corpus.readers.detect import DELIMITERS, first_lines
from captious.corpus.readers.json_files import read_json_lines
from captious.corpus.readers.memory import are_rows, column_names
from captious.corpus.readers.open import PathText, Source, open_source
from captious.corpus.readers.rows import MISSING, Places, Rows, refuse
from captious.corpus.readers.tables import parquet_errors, parquet_table, text_columns
from captious.errors import InputError


def read_every_column(path: PathText) -> Rows:
    """Read CSV (with any common delimiter), TSV, JSON lines or Parquet, plain or gzip.

    Rows that do not fit are refused.
    """
    source = open_source(path)
    if source.is_parquet:
        return _parquet(source)
    first, _ = first_lines(source.data)
    if first.startswith("{"):
        rows = read_json_lines(source, every_column=True)
    else:
        delimiter = next((one for one in DELIMITERS if one in first), ",")
        columns, lines, problems = text_columns(source, delimiter, bool)
        rows = Rows(source.name, source.stem, "csv", columns, Places("line", lines), problems=problems)
    refuse(rows.source, rows.problems)
    return rows


def every_column(given: Any, name: str) -> Rows:
    """The rows of a table in memory: a data frame, rows as dicts, a dict of columns, `Scores`.

    >>> every_column([{"id": 7, "mine": 0.5}], "scores").columns
    {'id': [7], 'mine': [0.5]}
    """
    given = listed(given)
    if hasattr(given, "to_pandas") and not is_table(given):
        given = given.to_pandas()
    if are_rows(given):
        names = dict.fromkeys(key for row in given for key in row)
        columns = {str(key): [row.get(key, MISSING) for row in given] for key in names}
    elif is_table(given):
        columns = {str(key): list(listed(given[key])) for key in column_names(given)}
    elif isinstance(given, Mapping) and all(is_list(listed(column)) for column in given.values()):
        columns = {str(key): list(listed(column)) for key, column in given.items()}
    else:
        kind = type(given).__name__
        raise InputError(
            f"{name}: found {kind}. Give a file, a data frame, rows as dicts or a dict of columns."
        )
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError(f"{name}: the columns have different lengths. Give each a value for every row.")
    return Rows(name, name, "table", columns, Places("row"))


def _parquet(source: Source) -> Rows:
    with parquet_errors(source.name):
        table = parquet_table(source)
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
    return Rows(source.name, source.stem, "parquet", columns, Places("row"))
