"""Marked spans of other tools as findings: Label Studio, brat, WebAnno. One module a format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Literal

import orjson

from captious.corpus.finding_formats import brat, label_studio, webanno
from captious.corpus.findings import Finding
from captious.corpus.readers import Source, open_source
from captious.corpus.readers.detect import DELIMITERS, first_lines

Format = Literal["rows", "label-studio", "brat", "webanno"]
COLUMNS = {"image", "caption", "start", "end", "kind"}
READERS: dict[Format, Callable[[Source, str], Iterable[Finding]]] = {
    "label-studio": label_studio.read,
    "brat": brat.read,
    "webanno": webanno.read,
}


def format_of(source: Source) -> Format | None:
    """The format of a file of findings, by its content; None where it holds none.

    >>> format_of(Source("x", "x", b"image,caption,start,end,kind"))
    'rows'
    >>> format_of(Source("x", "x", b"image,caption,rating")) is None
    True
    """
    if source.is_parquet:
        return "rows" if set(_parquet_columns(source.data)) >= COLUMNS else None
    first, _ = first_lines(source.data)
    if first.startswith("["):
        return "label-studio" if label_studio.MARK.search(source.data) else None
    if first.startswith(webanno.HEADER):
        return "webanno"
    if brat.LINE.match(first):
        return "brat"
    return "rows" if _has_columns(source.data, first) else None


def _has_columns(data: bytes, first: str) -> bool:
    """Whether the first row of JSON lines, or the header of a table, names the columns of findings."""
    if not first.startswith("{"):
        cells = (re.split(re.escape(one), first) for one in DELIMITERS)
        return any({cell.strip().strip('"') for cell in own} >= COLUMNS for own in cells)
    try:
        row = orjson.loads(data.lstrip().partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(row, dict) and row.keys() >= COLUMNS


def holds_findings(path: str | PathLike[str]) -> bool:
    """Whether a file, or a folder of brat's files, holds findings."""
    if Path(path).is_dir():
        return any(Path(path).glob("*.ann"))
    return format_of(open_source(path)) is not None


def _parquet_columns(data: bytes) -> list[str]:
    import pyarrow
    from pyarrow import parquet

    return list(parquet.read_schema(pyarrow.BufferReader(data)).names)
