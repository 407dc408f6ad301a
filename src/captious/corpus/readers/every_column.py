"""Tables of anything, such as scores by other programs: every column under its own name."""

from __future__ import annotations

from captious.corpus.readers.detect import DELIMITERS, first_lines
from captious.corpus.readers.json_lines import read_json_lines
from captious.corpus.readers.open import PathText, Source, open_source
from captious.corpus.readers.rows import Places, Rows, refuse
from captious.corpus.readers.tables import parquet_errors, parquet_table, text_columns


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


def _parquet(source: Source) -> Rows:
    with parquet_errors(source.name):
        table = parquet_table(source)
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
    return Rows(source.name, source.stem, "parquet", columns, Places("row"))
