"""How much a Parquet file holds once it is unpacked, counted before it is.

Equal values are stored once: a file of 761 bytes may hold a hundred million empty cells, or one
long caption ten thousand times.
"""

from __future__ import annotations

from typing import Any

from captious.errors import InputError
from captious.unpack import MEGABYTE, MOST_BYTES

# A value as Python holds it, in a list.
CELL_BYTES = 32
ROWS_AT_ONCE = 16_384


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
    if repeated:
        file = parquet.ParquetFile(BufferReader(data), read_dictionary=repeated)
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=repeated):
            size += sum(_repeated_bytes(column) for column in batch.columns)
            _refuse_much(size, name, most)


def _by_dictionary(chunk: Any) -> bool:
    texts = chunk.physical_type in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
    return texts and any("DICTIONARY" in coding for coding in chunk.encodings)


def _repeated_bytes(column: Any) -> int:
    """The bytes of texts that are stored once and stand in many rows."""
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
