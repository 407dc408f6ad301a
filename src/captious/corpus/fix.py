"""Write candidates again in their own format with their text normalised."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from captious.corpus.readers.detect import delimiter_of, detect, first_lines
from captious.corpus.readers.names import roles_of
from captious.corpus.readers.open import PathText, Source, open_source
from captious.corpus.readers.parse import line_blocks, parse_json
from captious.corpus.readers.tables import fields_up_to, parquet_errors, parquet_table, quoting_of
from captious.errors import InputError
from captious.files import GZIP, atomically
from captious.text.markup import without_markup
from captious.text.normalise import thumb_normalise

Mend = Callable[[str], str]


def as_plain_sentence(text: str) -> str:
    """A caption without markup, normalised as THumB asks.

    >>> as_plain_sentence("**a dog** runs")
    'A dog runs.'
    """
    return thumb_normalise(without_markup(text))


def fix_files(paths: Sequence[PathText], out: PathText, mend: Mend = as_plain_sentence) -> dict[Path, int]:
    """Write normalised copies of candidate files; how many captions changed in each.

    `out` is a file for one input and a folder (made where needed) for several. Everything but the
    captions stays as it is. A copy is written atomically, and never over its input.
    """
    target = Path(out)
    as_folder = len(paths) > 1 or target.is_dir()
    if as_folder and target.exists() and not target.is_dir():
        raise InputError(f"{out}: is a file. Give a folder for {len(paths)} files.")
    targets = [target / Path(path).name if as_folder else target for path in paths]
    if len(set(targets)) < len(targets):
        raise InputError(f"{out}: two inputs have the same file name. Fix them one by one.")
    for path, one in zip(paths, targets, strict=True):
        if one.exists() and Path(path).exists() and one.samefile(path):
            raise InputError(f"{one}: is the input itself. Name another file to write to.")
    if as_folder:
        target.mkdir(parents=True, exist_ok=True)
    return {one: fix_file(path, one, mend) for path, one in zip(paths, targets, strict=True)}


def fix_file(path: PathText, out: Path, mend: Mend = as_plain_sentence) -> int:
    """Write one normalised copy; the number of captions that changed."""
    source = open_source(path)
    counter = _Counter(mend)
    content = _rewritten(source, counter)
    if out.name.lower().endswith(".gz") and not content.startswith(GZIP):
        content = gzip.compress(content, mtime=0)
    with atomically(out) as temporary:
        temporary.write_bytes(content)
    return counter.changed


class _Counter:
    """Fixes texts and counts those that change; anything that is not text passes through."""

    def __init__(self, mend: Mend) -> None:
        self.mend, self.changed = mend, 0

    def __call__(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self(item) for item in value]
        if isinstance(value, dict):
            return self.in_row(value)
        if not isinstance(value, str):
            return value
        mended = self.mend(value)
        self.changed += mended != value
        return mended

    def in_row(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with its caption fixed."""
        key = roles_of(row).get("caption")
        return {**row, key: self(row[key])} if key is not None else row


def _rewritten(source: Source, mend: _Counter) -> bytes:
    family = detect(source)
    if family in ("flickr8k-expert", "flickr8k-crowdflower"):
        raise InputError(f"{source.name}: contains no captions to fix. Fix the token file instead.")
    writers: dict[str, Callable[[Source, _Counter], bytes]] = {
        "json-array": _json,
        "json-object": _json,
        "jsonl": _json_lines,
        "table": _table,
        "parquet": _parquet,
        "flickr8k-tokens": _tokens,
        "lines": _lines,
    }
    return writers[family](source, mend)


def _json(source: Source, mend: _Counter) -> bytes:
    document = parse_json(source)
    if isinstance(document, dict) and isinstance(document.get("annotations"), list):
        mended: Any = {**document, "annotations": [mend(item) for item in document["annotations"]]}
    elif isinstance(document, dict):
        is_row = {"image", "caption"} <= roles_of(document).keys() and len(document) < 100
        mended = mend.in_row(document) if is_row else {k: mend(v) for k, v in document.items()}
    else:
        mended = [_mended_entry(item, mend) for item in document]
    lines = source.data.strip().count(b"\n")
    return orjson.dumps(mended, option=orjson.OPT_INDENT_2 if lines else None) + b"\n"


def _mended_entry(item: Any, mend: _Counter) -> Any:
    if isinstance(item, dict) and len(item) == 1 and not roles_of(item):
        return {key: mend(value) for key, value in item.items()}
    return mend(item) if isinstance(item, dict) else item


def _json_lines(source: Source, mend: _Counter) -> bytes:
    return b"".join(
        orjson.dumps(mend(row) if isinstance(row, dict) else row) + b"\n"
        for block, _ in line_blocks(source)
        for row in block
    )


def _table(source: Source, mend: _Counter) -> bytes:
    text = source.data.decode("utf-8")
    delimiter = delimiter_of(first_lines(source.data)[0]) or ","
    quoting = quoting_of(source.data, delimiter)
    with fields_up_to(len(text) + 1):
        lines = io.StringIO(text, newline="")
        header, *rows = list(csv.reader(lines, delimiter=delimiter, quoting=quoting))
    names = [name.strip() for name in header]
    key = roles_of(names).get("caption")
    if key is None:
        raise InputError(f'{source.name}: no caption column. Name one column "caption".')
    column = names.index(key)
    for row in rows:
        if column < len(row):
            row[column] = mend(row[column])
    out = io.StringIO(newline="")
    quote = None if quoting == csv.QUOTE_NONE else '"'
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, quotechar=quote, lineterminator="\n")
    writer.writerows([header, *rows])
    return out.getvalue().encode("utf-8")


def _parquet(source: Source, mend: _Counter) -> bytes:
    with parquet_errors(source.name):
        import pyarrow as arrow
        from pyarrow import parquet

        table = parquet_table(source)
        key = roles_of(table.column_names).get("caption")
        if key is None:
            raise InputError(f'{source.name}: no caption column. Name one column "caption".')
        place = table.column_names.index(key)
        kind = table.schema.field(key)
        captions = arrow.array(mend(table.column(key).to_pylist()), type=kind.type)
        sink = arrow.BufferOutputStream()
        parquet.write_table(table.set_column(place, kind, captions), sink)
        return bytes(sink.getvalue().to_pybytes())


def _tokens(source: Source, mend: _Counter) -> bytes:
    lines = []
    for line in source.data.decode("utf-8").split("\n"):
        caption_id, tab, text = line.partition("\t")
        lines.append(f"{caption_id}{tab}{mend(text)}" if tab else line)
    return "\n".join(lines).encode("utf-8")


def _lines(source: Source, mend: _Counter) -> bytes:
    lines = source.data.decode("utf-8").split("\n")
    return "\n".join(mend(line) for line in lines).encode("utf-8")
