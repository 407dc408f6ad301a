"""WebAnno TSV 3, as WebAnno and INCEpTION write it: a token a line, a caption a file.

Offsets are UTF-16 units, and sentences are found by the offset of their first token; what stood between
them is a space. The first feature of a span layer is the kind; features named severity, confidence and
note are read. The image is the name of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from captious.corpus.finding_formats.utf16 import code_point
from captious.corpus.findings import Finding
from captious.corpus.readers.open import Source
from captious.errors import InputError

HEADER = "#FORMAT=WebAnno TSV 3"
TEXT = "#Text="
_TOKEN = re.compile(r"(\d+-\d+(?:\.\d+)?)\t(\d+)-(\d+)\t")
_NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_PARTS = re.compile(r"((?:\\.|[^|\\])*)(?:\||$)", re.DOTALL)
FEATURES = ("severity", "confidence", "note")


class _Layer(NamedTuple):
    """A layer: where its columns start, and the names of its features; none are read of other layers."""

    first: int
    features: list[str]
    spans: bool


class _Token(NamedTuple):
    """A token: where it starts and ends in UTF-16 units, and its columns."""

    line: int
    start: int
    end: int
    cells: list[str]


def read(source: Source, by: str) -> Iterator[Finding]:
    """The spans of all layers of spans."""
    lines = source.data.decode("utf-8").split("\n")
    layers: list[_Layer] = []
    column = 0
    tokens: list[_Token] = []
    text = b""
    waiting: list[str] = []
    for number, raw in enumerate(lines, 1):
        line = raw.removesuffix("\r")
        if line.startswith("#T_"):
            kind, _, names = line.partition("=")
            _, *features = names.split("|")
            layers.append(_Layer(column, features, kind == "#T_SP"))
            column += max(1, len(features))
        elif line.startswith(TEXT):
            waiting.append(_unescaped(line[len(TEXT) :]))
        elif token := _TOKEN.match(line):
            start, end = int(token[2]), int(token[3])
            if waiting:
                text = _put(text, " ".join(waiting), start, f"{source.name}: line {number}")
                waiting = []
            tokens.append(_Token(number, start, end, line[token.end() :].split("\t")[1:]))
        elif line and not line.startswith("#"):
            raise InputError(
                f"{source.name}: line {number}: is not a token of WebAnno TSV 3. Export it again."
            )
    caption = text.decode("utf-16-le", "surrogatepass")
    finding = Finding(source.stem, "", caption, None, None, "", source=by)
    found = [one for layer in layers if layer.spans for one in _spans(source.name, finding, layer, tokens)]
    yield from found or [finding]


def _put(text: bytes, sentence: str, start: int, where: str) -> bytes:
    """The text with a sentence from this UTF-16 unit on."""
    gap = start - len(text) // 2
    if gap < 0:
        raise InputError(f"{where}: the sentence starts before the last one ends. Export it again.")
    return text + (" " * gap + sentence).encode("utf-16-le", "surrogatepass")


def _spans(name: str, finding: Finding, layer: _Layer, tokens: list[_Token]) -> Iterator[Finding]:
    """Annotations of a layer: the tokens with the same number are one, others stand alone."""
    places: dict[str, tuple[int, int]] = {}
    values: dict[str, dict[str, str]] = {}
    features = layer.features or ["*"]
    for token in tokens:
        own = token.cells[layer.first : layer.first + len(features)]
        if len(own) < len(features):
            raise InputError(f"{name}: line {token.line}: has too few columns. Export it again.")
        for feature, cell in zip(features, own, strict=True):
            for rank, part in enumerate(_parts(cell)):
                numbered = _NUMBERED.fullmatch(part)
                key = f"[{numbered[2]}]" if numbered else f"{token.line}/{rank}"
                value = numbered[1] if numbered else part
                start, _ = places.get(key, (token.start, token.end))
                places[key] = (start, token.end)
                values.setdefault(key, {})[feature] = "" if value == "*" else _unescaped(value)
    for key, (start, end) in places.items():
        a, b = code_point(finding.caption, start), code_point(finding.caption, end)
        if a is None or b is None:
            raise InputError(f"{name}: the place {start}-{end} is not in its text. Export it again.")
        said = {feature.casefold(): value for feature, value in values[key].items()}
        kind = values[key].get(features[0]) or "unlabelled"
        severity, sure, note = (said.get(one, "") for one in FEATURES)
        try:
            confidence = float(sure or "nan")
        except ValueError:
            raise InputError(f'{name}: the confidence "{sure}" is not a number. Correct it.') from None
        yield finding._replace(start=a, end=b, kind=kind, severity=severity, note=note, confidence=confidence)


def _parts(cell: str) -> list[str]:
    """The annotations of a cell, which stand side by side; `_` is none."""
    if cell in ("_", ""):
        return []
    parts = [found[1] for found in _PARTS.finditer(cell)]
    return parts[:-1] if parts and not parts[-1] else parts


def _unescaped(text: str) -> str:
    """Without the backslashes before reserved characters, and with the tabs and line ends that they name."""
    named = {"t": "\t", "n": "\n", "r": "\r"}
    return re.sub(r"\\(->|.)", lambda found: named.get(found[1], found[1]), text)
