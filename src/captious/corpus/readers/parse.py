"""Parse JSON and JSON lines fast, in blocks, and say where it goes wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from captious.corpus.readers.open import Source
from captious.errors import InputError

BLOCK = 4 << 20
_BETWEEN_OBJECTS = re.compile(rb"\}\s*,\s*(?=\{)")
# What stands from the last sign before the fault on, and what to do about it.
_FAULTS = (
    (re.compile(rb",\s*[\]}]"), "there is a comma before the closing bracket. Remove it."),
    (re.compile(rb".?\s*'", re.DOTALL), "text is in single quotes. JSON needs double quotes."),
    (
        re.compile(rb"\]\s*[\[{]"),
        "a second document begins here. Give one list, or one object per line (.jsonl).",
    ),
    (
        re.compile(rb".?\s*(?:None|True|False)\b", re.DOTALL),
        "a Python value. Write null, true or false, or save with json.dump.",
    ),
    (re.compile(rb'["\]}\w]\s*["{\[]'), "a comma or colon is missing before this position."),
)
_NOT_JSON_NUMBERS = re.compile(rb"-?(?:NaN|Infinity)")


def parse_json(source: Source) -> Any:
    """The whole file as one JSON value."""
    try:
        return orjson.loads(source.data)
    except orjson.JSONDecodeError as error:
        raise _located(source, source.data, error) from None


def array_blocks(source: Source) -> Iterator[list[Any]]:
    """The items of a JSON array, some megabytes at a time.

    The text is cut where one object ends and the next begins. Such a place may also lie inside a
    string or a nested list; the block that ends there is then not valid JSON, and the rest of the
    file is parsed in one piece.
    """
    data = source.data
    start = data.index(b"[") + 1
    while len(data) - start > 2 * BLOCK:
        cut = _BETWEEN_OBJECTS.search(data, start + BLOCK)
        if cut is None:
            break
        try:
            block = orjson.loads(b"[" + data[start : cut.start() + 1] + b"]")
        except orjson.JSONDecodeError:
            break
        yield block
        start = cut.end()
    try:
        rest = orjson.loads(b"[" + data[start:])
    except orjson.JSONDecodeError:
        rest = parse_json(source)
    yield rest


def line_blocks(source: Source, first: int = 1) -> Iterator[tuple[list[Any], list[int]]]:
    """The values of JSON lines and their numbers, counted from `first`, some megabytes at a time."""
    data, start, line = source.data, 0, first
    while start < len(data):
        end = data.find(b"\n", start + BLOCK)
        end = len(data) if end < 0 else end
        block = data[start:end]
        yield _parse_lines(source, block, line)
        line += block.count(b"\n") + 1
        start = end + 1


def _parse_lines(source: Source, block: bytes, first: int) -> tuple[list[Any], list[int]]:
    text = block.rstrip()
    lines = text.count(b"\n") + 1
    try:
        # A JSON string holds no raw newline, so every newline stands between two values.
        values = orjson.loads(b"[" + text.replace(b"\n", b",") + b"]")
    except orjson.JSONDecodeError:
        values = None
    if values is not None and len(values) == lines:
        return values, list(range(first, first + lines))
    kept, numbers = [], []
    for number, line in enumerate(block.split(b"\n"), first):
        if line.strip():
            kept.append(_parse_line(source, line, number))
            numbers.append(number)
    return kept, numbers


def _parse_line(source: Source, line: bytes, number: int) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _located(source, line, error, line=number) from None


def _located(
    source: Source, text: bytes, error: orjson.JSONDecodeError, *, line: int | None = None
) -> InputError:
    # orjson counts characters, the text is bytes: equal up to the fault where all is ASCII.
    at = len(error.doc[: error.pos].encode("utf-8")) if not text.isascii() else error.pos
    where = f"{source.name}: line {line or error.lineno}, column {error.colno}"
    number = _NOT_JSON_NUMBERS.match(text, at)
    if number is not None:
        found = number.group().decode()
        return InputError(f"{where}: {found} is not JSON. Write null, or leave the entry out.")
    if "depth" in error.msg or "ecursion" in error.msg:
        return InputError(
            f"{where}: lists or objects are nested too deeply. Captions need two levels at most."
        )
    if at >= len(text.rstrip()):
        return InputError(
            f"{where}: the JSON ends too early. The file was cut short; write or copy it again."
        )
    places = (at, _before(text, at))
    why = next((said for fault, said in _FAULTS if any(fault.match(text, place) for place in places)), None)
    return InputError(f"{where}: not valid JSON{f': {why}' if why else '. Correct it there.'}")


def _before(text: bytes, at: int) -> int:
    """The last character before `at` that is not white space; errors are reported there."""
    while at > 0 and text[at - 1 : at].isspace():
        at -= 1
    return max(at - 1, 0)


def repeated_keys(source: Source, strings: int) -> dict[str, int]:
    """Keys that a JSON object holds more than once (a parser silently keeps the last).

    `strings` is how many strings the parsed object holds, keys and all: where the text has as
    many pairs of quotes, no key was lost, and the slow way round is not needed.
    """
    data = source.data
    quotes = data.count(b'"') - data.count(b'\\"')
    if b"\\\\" not in data and quotes == 2 * strings:
        return {}
    pairs = json.loads(data, object_pairs_hook=lambda found: found)
    counts: dict[str, int] = {}
    for key, _ in pairs:
        counts[key] = counts.get(key, 0) + 1
    return {key: count for key, count in counts.items() if count > 1}
