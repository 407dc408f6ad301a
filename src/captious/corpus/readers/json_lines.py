"""JSON lines: an object a line, of any of the known names."""

from __future__ import annotations

from captious.corpus.readers.open import Source
from captious.corpus.readers.parse import line_blocks
from captious.corpus.readers.rows import ColumnBuilder, Places, Problem, Rows, by_role


def read_json_lines(source: Source, *, every_column: bool = False, first: int = 1) -> Rows:
    """Rows of a JSON-lines file; blank lines are passed over.

    With `every_column` all columns are kept, under their own names. `first` is the number of the
    first line, where the source is a part of a file.
    """
    builder = ColumnBuilder(bool) if every_column else ColumnBuilder()
    numbers: list[int] = []
    for values, lines in line_blocks(source, first):
        builder.extend(values)
        numbers.extend(lines)
    columns, keys = (builder.columns, {}) if every_column else by_role(builder.columns)
    whole = numbers == list(range(1, len(numbers) + 1))
    return Rows(
        source=source.name,
        stem=source.stem,
        format="jsonl",
        columns=columns,
        keys=keys,
        places=Places("line", None if whole else numbers),
        problems=[
            Problem("shape", f"line {numbers[row]}", "is not an object", "Each line needs one object.")
            for row, _ in builder.not_objects
        ],
        broken=frozenset(row for row, _ in builder.not_objects),
    )
