"""One shard: how it is cut into blocks, and its rows a batch at a time.

A block is what is scored, logged and, where it fails, set aside: whole row groups of a Parquet
file or whole lines of a JSON-lines file, about `BLOCK_ROWS` of them. A batch is what is in memory
at once. Neither depends on how many shards there are.
"""

from __future__ import annotations

import gzip
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import Any, BinaryIO, Literal, NamedTuple

import orjson

from captious.corpus.readers import Places, Rows
from captious.corpus.readers.json_files import read_json_lines
from captious.corpus.readers.names import is_of_use, roles_of
from captious.corpus.readers.open import PARQUET, UTF8_BOM, Source, refuse_false_parquet, stem_of
from captious.corpus.readers.tables import parquet_errors, rows_of_columns
from captious.corpus.shards.places import opened
from captious.errors import InputError, one_line
from captious.files import GZIP

BLOCK_ROWS = 1 << 17
BATCH_ROWS = 1 << 15
_CHUNK = 1 << 20


class Shard(NamedTuple):
    """A file of captions, and the system that wrote them where the rows do not say."""

    address: str
    system: str = ""


class Block(NamedTuple):
    """Some rows of a shard: from row `first` on; for Parquet `begin` and `end` are row groups, else bytes.

    `skip` rows of the first row group belong to the block before.
    """

    shard: int
    first: int
    rows: int
    begin: int
    end: int
    skip: int = 0


@dataclass(frozen=True)
class Layout:
    """Layout of a shard: the hash of its content, its rows and its blocks."""

    digest: str
    rows: int
    blocks: list[Block]
    roles: frozenset[str]


def lay_out(shard: Shard, number: int, block_rows: int = BLOCK_ROWS) -> Layout:
    """Read a shard's bytes once; refuse one that is no whole Parquet or JSON-lines file of captions."""
    with opened(shard.address) as file:
        form = _form(file, shard)
        if form == "parquet":
            return _parquet_layout(file, shard, number, block_rows)
        return _lines_layout(file, shard, number, block_rows, packed=form == "gzip")


def read(shard: Shard, block: Block, batch_rows: int = BATCH_ROWS) -> Iterator[Rows]:
    """The rows of a block, `batch_rows` at a time, each with its place in the shard."""
    with opened(shard.address) as file:
        form = _form(file, shard)
        if form == "parquet":
            yield from _parquet_batches(file, shard, block, batch_rows)
        else:
            yield from _line_batches(file, shard, block, batch_rows, packed=form == "gzip")


def lines_of(address: str, batch_rows: int = BATCH_ROWS) -> Iterator[tuple[int, list[bytes]]]:
    """All lines of a JSON-lines file, some at a time, with the number of the first of them."""
    with opened(address) as file:
        packed = _form(file, Shard(address)) == "gzip"
        with _unpacked(file, address, packed=packed) as text:
            first = 1
            while lines := list(islice(text, batch_rows)):
                if first == 1:
                    lines[0] = lines[0].removeprefix(UTF8_BOM)
                yield first, lines
                first += len(lines)


def head(shard: Shard, rows: int) -> Rows | None:
    """The first rows of a shard; None where it has none."""
    with opened(shard.address) as file:
        form = _form(file, shard)
        if form == "parquet":
            with _parquet(file, shard.address) as table:
                there, groups = table.metadata.num_rows, table.metadata.num_row_groups
            block = Block(0, 0, min(rows, there), 0, groups)
        else:
            with _unpacked(file, shard.address, packed=form == "gzip") as text:
                roles_of_line(next(text, b""), shard.address)
            block = Block(0, 0, rows, 0, -1)
    return next(read(shard, block, rows), None)


def _form(file: BinaryIO, shard: Shard) -> Literal["parquet", "gzip", "lines"]:
    """What a shard is by its first bytes; refused where it is empty, or called Parquet and is not."""
    first = file.read(20)
    file.seek(0)
    if not first:
        raise InputError(f"{shard.address}: the file is empty. Check that it was written to the end.")
    if first.startswith(PARQUET):
        return "parquet"
    if first.startswith(GZIP):
        return "gzip"
    refuse_false_parquet(first, shard.address)
    return "lines"


def _digest(file: BinaryIO) -> str:
    content = blake2b(digest_size=16)
    file.seek(0)
    while chunk := file.read(_CHUNK):
        content.update(chunk)
    return content.hexdigest()


@contextmanager
def _parquet(file: BinaryIO, name: str) -> Iterator[Any]:
    with parquet_errors(name):
        from pyarrow import parquet

        with parquet.ParquetFile(file) as opened_file:
            yield opened_file


def _parquet_layout(file: BinaryIO, shard: Shard, number: int, block_rows: int) -> Layout:
    with _parquet(file, shard.address) as table:
        sizes = [table.metadata.row_group(i).num_rows for i in range(table.metadata.num_row_groups)]
        names = list(table.schema_arrow.names)
    roles = roles_of(names)
    if sum(sizes) and not ({"image", "caption"} <= roles.keys() or {"image", "references"} <= roles.keys()):
        raise InputError(
            f"{shard.address}: needs one column for image ids and one for captions "
            f'(found: {one_line(", ".join(names))}). Name them "image_id" and "caption".'
        )
    return Layout(_digest(file), sum(sizes), list(_group_blocks(number, sizes, block_rows)), frozenset(roles))


def _group_blocks(number: int, sizes: list[int], block_rows: int) -> Iterator[Block]:
    """Row groups together up to the size of a block; a larger one in pieces of equal size."""
    first = begin = rows = 0
    for group, size in enumerate(sizes):
        if rows and rows + size > block_rows:
            yield Block(number, first, rows, begin, group)
            first, begin, rows = first + rows, group, 0
        if not rows:
            begin = group
        if size > block_rows:
            pieces = -(-size // block_rows)
            for piece in range(pieces):
                start, stop = size * piece // pieces, size * (piece + 1) // pieces
                yield Block(number, first + start, stop - start, group, group + 1, start)
            first, begin = first + size, group + 1
            continue
        rows += size
    if rows:
        yield Block(number, first, rows, begin, len(sizes))


def _parquet_batches(file: BinaryIO, shard: Shard, block: Block, batch_rows: int) -> Iterator[Rows]:
    with _parquet(file, shard.address) as table:
        names = list(table.schema_arrow.names)
        wanted = [name for name in names if is_of_use(name)]
        groups = list(range(block.begin, block.end))
        before, left, first = block.skip, block.rows, block.first
        for batch in table.iter_batches(batch_rows, row_groups=groups, columns=wanted, use_threads=False):
            own = batch.slice(min(before, len(batch)))
            before -= len(batch) - len(own)
            own = own.slice(0, left)
            if len(own):
                columns = {name: own.column(name).to_pylist() for name in wanted}
                rows = rows_of_columns(columns, shard.address, stem_of(shard.address), "parquet", names)
                yield replace(rows, places=Places("row", range(first + 1, first + 1 + len(own))))
            left, first = left - len(own), first + len(own)
            if not left:
                break
    if left:
        raise InputError(f"{shard.address}: has changed since it was first read. Start again.")


def _lines_layout(file: BinaryIO, shard: Shard, number: int, block_rows: int, *, packed: bool) -> Layout:
    digest = _digest(file)
    file.seek(0)
    begin = line = begin_line = at = 0
    blocks, roles = [], frozenset[str]()
    with _unpacked(file, shard.address, packed=packed) as text:
        for own in text:
            if not line:
                roles = roles_of_line(own, shard.address)
            line, at = line + 1, at + len(own)
            if line - begin_line == block_rows and not packed:
                blocks.append(Block(number, begin_line, block_rows, begin, at))
                begin, begin_line = at, line
    if line > begin_line:
        blocks.append(Block(number, begin_line, line - begin_line, begin, -1 if packed else at))
    return Layout(digest, line, blocks, roles)


@contextmanager
def _unpacked(file: BinaryIO, name: str, *, packed: bool) -> Iterator[Any]:
    try:
        yield gzip.GzipFile(fileobj=file) if packed else file
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the gzip file is damaged ({error}). Write or copy it again.") from None


def _line_batches(
    file: BinaryIO, shard: Shard, block: Block, batch_rows: int, *, packed: bool
) -> Iterator[Rows]:
    with _unpacked(file, shard.address, packed=packed) as text:
        if not packed:
            text.seek(block.begin)
        first, left = block.first, block.rows
        while left and (lines := list(islice(text, min(left, batch_rows)))):
            if not first:
                lines[0] = lines[0].removeprefix(UTF8_BOM)
            source = Source(shard.address, stem_of(shard.address), b"".join(lines))
            rows = read_json_lines(source, first=first + 1)
            if len(rows):
                yield rows
            first, left = first + len(lines), left - len(lines)


ROW = '{"image_id": …, "caption": …, "references": […]}'
WHOLE = "Whole files are scored without --out; `captious score --items FILE` writes each caption's score."


def roles_of_line(line: bytes, name: str) -> frozenset[str]:
    """The roles of the columns of a first line; refused where it is no row of captions or references."""
    line = line.removeprefix(UTF8_BOM).strip()
    if line.startswith(b"["):
        raise _whole(name, "one JSON list", ".[]")
    if line == b"{":
        raise _whole(name, "one JSON object over several lines", ".annotations[]")
    if not line.startswith(b"{"):
        raise InputError(
            f"{name}: is neither Parquet nor JSON lines. Write one object per line: {ROW}. {WHOLE}"
        )
    rows = read_json_lines(Source(name, stem_of(name), line))
    if "image" in rows.columns and {"caption", "references"} & rows.columns.keys():
        return frozenset(rows.columns)
    if "annotations" in orjson.loads(line):
        raise _whole(name, "COCO annotations in one JSON object", ".annotations[]")
    raise InputError(f'{name}: line 1: has no image id or no caption. Name them "image_id" and "caption".')


def _whole(name: str, what: str, entries: str) -> InputError:
    """A file that is JSON as a whole; jq's words for its entries are those of COCO's files."""
    return InputError(
        f"{name}: is {what}, but a shard is Parquet or one object per line: {ROW}. Convert it, "
        f"as `jq -c '{entries}' {shlex.quote(name)} > {shlex.quote(stem_of(name))}.jsonl` does for COCO. "
        f"{WHOLE}"
    )
