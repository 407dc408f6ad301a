"""Tell a file's format from its content; its name is asked only where the content is silent."""

from __future__ import annotations

import re
from typing import Literal

from captious.corpus.readers.names import NUMBERED_REFERENCE, roles_of
from captious.corpus.readers.open import Source
from captious.errors import InputError

Family = Literal[
    "json-array",
    "json-object",
    "jsonl",
    "lmms-eval",
    "table",
    "parquet",
    "flickr8k-tokens",
    "flickr8k-expert",
    "flickr8k-crowdflower",
    "lines",
]
TABLES = (".csv", ".tsv", ".tab", ".xlsx")
DELIMITERS = "\t,;|"
LONG = 1 << 12
TEXT_ROLES = {"caption", "references", "rating"}

EXPECTED = (
    'Give a list of {"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.'
)
LONE_VALUES = {"text": "one JSON text", "number": "a number", "word": "a truth value or null"}
_LONE_VALUE = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null)'
)
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
_CAPTION_ID = r"\S+#\d+"
_FIRST_LINES: tuple[tuple[Family, re.Pattern[str]], ...] = (
    ("flickr8k-expert", re.compile(rf"\S+\t{_CAPTION_ID}\t[1-4]\t[1-4]\t[1-4]\s*$")),
    ("flickr8k-crowdflower", re.compile(rf"\S+\t{_CAPTION_ID}\t[\d.]+\t\d+\t\d+\s*$")),
    ("flickr8k-tokens", re.compile(rf"{_CAPTION_ID}\t")),
)


def detect(source: Source) -> Family:
    """The family of formats that a file belongs to.

    >>> detect(Source("x", "x", b'[{"image_id": 1, "caption": "A dog."}]'))
    'json-array'
    >>> detect(Source("x", "x", b"image,caption"))
    'table'
    """
    if source.is_parquet:
        return "parquet"
    first, second = first_lines(source.data)
    _refuse_what_holds_no_captions(source, first, second)
    if first.startswith("["):
        return "json-array"
    if first.startswith("{"):
        # One object that goes on over the next line says so: with a comma, a colon, a bracket.
        goes_on = first.endswith((",", ":", "[", "{"))
        is_lines = not goes_on and (second.startswith("{") or (first[-1] == "}" and second != ""))
        if second == "":  # a single row and a map in one line look alike; the name decides
            is_lines = source.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
        lines: Family = "lmms-eval" if _is_lmms_eval(source.data) else "jsonl"
        return lines if is_lines else "json-object"
    for family, first_line in _FIRST_LINES:
        if first_line.match(first):
            return family
    if delimiter_of(first) or source.name.lower().removesuffix(".gz").endswith(TABLES):
        return "table"
    return "lines"


def _is_lmms_eval(data: bytes) -> bool:
    line = data[: data.find(b"\n") if b"\n" in data else len(data)]
    return b'"doc_id"' in line and b'"filtered_resps"' in line


def _refuse_what_holds_no_captions(source: Source, first: str, second: str) -> None:
    """Call a web page or a lone JSON value what it is; neither is a list of captions."""
    if _MARKUP.match(first):
        kind = "XML" if first.lower().startswith("<?xml") else "a web page (HTML)"
        raise InputError(
            f"{source.name}: is {kind}, not captions. "
            "The download may have saved an error page: open the file and check."
        )
    is_lines = source.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    if (is_lines or not second) and (value := _LONE_VALUE.fullmatch(first)):
        kind = next(name for name, text in value.groupdict().items() if text is not None)
        what = "each line contains" if second else "contains"
        raise InputError(f"{source.name}: {what} only {LONE_VALUES[kind]}. {EXPECTED}")


def delimiter_of(header: str) -> str | None:
    """The delimiter that makes a header of known column names out of a line; `None` if none does.

    >>> delimiter_of("image;caption;system")
    ';'
    >>> delimiter_of("A sign with a picture, text") is None
    True
    """
    for delimiter in DELIMITERS:
        cells = [cell.strip().strip('"') for cell in header.split(delimiter)]
        roles = roles_of(cells).keys()
        if len(cells) > 1 and "image" in roles and TEXT_ROLES & roles:
            return delimiter
        if "image" in roles and any(map(NUMBERED_REFERENCE.fullmatch, cells)):
            return delimiter
    return None


def first_lines(data: bytes) -> tuple[str, str]:
    """The first two lines that are not blank; of a very long line its head and its last sign."""
    found: list[bytes] = []
    start = 0
    while start < len(data) and len(found) < 2:
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end - start > 2 * LONG:
            found.append(data[start : start + LONG].lstrip() + data[end - LONG : end].rstrip()[-1:])
        elif line := data[start:end].strip():
            found.append(line)
        start = end + 1
    first, second = (line.decode("utf-8", "replace") for line in [*found, b"", b""][:2])
    return first, second
