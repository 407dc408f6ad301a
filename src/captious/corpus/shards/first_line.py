"""The first line of a shard of JSON lines: what its rows hold, or what the file is instead."""

from __future__ import annotations

import shlex

import orjson

from captious.corpus.readers.json_lines import read_json_lines
from captious.corpus.readers.open import UTF8_BOM, Source, stem_of
from captious.errors import InputError

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
