"""How much a Parquet file holds once it is unpacked, counted before it is.

Equal values are stored once: a file of 761 bytes may hold a hundred million empty cells, or one
long caption ten thousand times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from captious.errors import InputError
from captious.files import MEGABYTE, MOST_BYTES

# A value as Python holds it, in a list.
CELL_BYTES = 32
ROWS_AT_ONCE = 16_384
FEW_ROWS = 256


def check_parquet(data: bytes, name: str, most: int = MOST_BYTES // 2) -> None:
    """Refuse a table that would take more memory than `most` bytes; nothing is decoded for long."""
    from pyarrow import BufferReader, parquet

    facts = parquet.ParquetFile(BufferReader(data)).metadata
    chunks = [
        facts.row_group(group).column(column)
        for group in range(facts.num_row_groups)
        for column in range(facts.num_columns)
    ]
    cells = sum(chunk.num_values for chunk in chunks) + facts.num_rows
    size = sum(chunk.total_uncompressed_size for chunk in chunks) + CELL_BYTES * cells
    _refuse_much(size, name, most)
    repeated = sorted({chunk.path_in_schema for chunk in chunks if _by_dictionary(chunk)})
    for column in repeated:
        size += _column_bytes(data, column, most - size)
        _refuse_much(size, name, most)


def _column_bytes(data: bytes, column: str, most: int) -> int:
    """The bytes of a column's values, repeated ones as often as they occur; counted until over `most`.

    Where a list's texts outgrew their dictionary, Arrow cannot hand them out by it; they are then
    read as they are, a few rows at a time.
    """
    from pyarrow import ArrowNotImplementedError, BufferReader, parquet

    try:
        file = parquet.ParquetFile(BufferReader(data), read_dictionary=[column])
        return _counted(file.iter_batches(batch_size=ROWS_AT_ONCE, columns=[column]), most)
    except ArrowNotImplementedError:
        file = parquet.ParquetFile(BufferReader(data))
        return _counted(file.iter_batches(batch_size=FEW_ROWS, columns=[column]), most)


def _counted(batches: Iterator[Any], most: int) -> int:
    size = 0
    for batch in batches:
        size += sum(_repeated_bytes(part) for part in batch.columns)
        if size > most:
            break
    return size


def _by_dictionary(chunk: Any) -> bool:
    texts = chunk.physical_type in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
    return texts and any("DICTIONARY" in coding for coding in chunk.encodings)


def _repeated_bytes(column: Any) -> int:
    """The bytes of texts that are stored once and occur in many rows."""
    import pyarrow as arrow
    from pyarrow import compute

    kind = column.type
    if arrow.types.is_list(kind) or arrow.types.is_large_list(kind):
        return _repeated_bytes(column.flatten())
    if arrow.types.is_struct(kind):
        return sum(_repeated_bytes(part) for part in column.flatten())
    if not arrow.types.is_dictionary(kind):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary)
    return int(compute.sum(compute.take(lengths, column.indices)).as_py() or 0)


def _refuse_much(size: int, name: str, most: int) -> None:
    if size > most:
        raise InputError(
            f"{name}: the Parquet table takes over {most // MEGABYTE} MB of memory. Split it, or keep "
            "fewer columns."
        )
