"""Where a caption's tuples come from: our caption parser, spaCy, or a file made elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import orjson

from captious.errors import InputError, UnknownNameError, one_line
from captious.files import GZIP, gunzip
from captious.text.parse import Parse
from captious.text.ptb.tokenise import tokenise_many
from captious.text.scene_graph import Tuple, clauses, discourse_tuples, scene_tuples

CAPTION, SPACY, FILE = "caption", "spacy", "corenlp-tuples"
Tokens = Sequence[str]


class TupleSource(Protocol):
    """Turns tokenised captions into tuples, and says what it is for the signature."""

    @property
    def name(self) -> str:
        """Everything about the source that changes the tuples."""
        ...

    def tuples(self, captions: Sequence[Tokens]) -> list[list[Tuple]]:
        """Tuples of each caption."""
        ...


class ParserSource:
    """Tuples by a parser: those of each caption by itself, or of a text of several sentences."""

    @property
    def name(self) -> str:
        """The parser with its weights."""
        raise NotImplementedError

    def parses(self, captions: Sequence[Tokens]) -> list[Parse]:
        """Parse of each caption."""
        raise NotImplementedError

    def tuples(self, captions: Sequence[Tokens]) -> list[list[Tuple]]:
        """Parse and read the scene graphs."""
        return [scene_tuples(parse) for parse in self.parses(captions)]

    def text_tuples(self, texts: Sequence[str]) -> list[list[Tuple]]:
        """Tuples of each text, whose sentences are read together."""
        parts = [clauses(text) for text in texts]
        parses = iter(self.parses(list(tokenise_many([part for several in parts for part in several]))))
        return [discourse_tuples([next(parses) for _ in several]) for several in parts]


class CaptionParserSource(ParserSource):
    """The caption parser, with the weights inside the package or those of a file; the rules."""

    def __init__(self, weights: Path | None = None) -> None:
        from captious.text.parser import caption_parser

        self._parser = caption_parser(weights)

    @property
    def name(self) -> str:
        """The parser and its weights."""
        return f"{CAPTION}:{self._parser.name}"

    def parses(self, captions: Sequence[Tokens]) -> list[Parse]:
        """Parse with the caption parser."""
        return self._parser.parse_many(captions)


class SpacySource(ParserSource):
    """A spaCy pipeline, its labels turned into Stanford's, then the rules."""

    @property
    def name(self) -> str:
        """The pipeline and its version."""
        from captious.text.spacy_parser import pipeline_name

        return f"{SPACY}:{pipeline_name()}"

    def parses(self, captions: Sequence[Tokens]) -> list[Parse]:
        """Parse with spaCy."""
        from captious.text.spacy_parser import parse_many

        return list(parse_many(captions))


class FileSource:
    """Precomputed tuples: JSON lines of {"caption": tokens, "tuples": [[...]]}."""

    def __init__(self, path: Path) -> None:
        content = _content(path)
        self.path = path
        self._name = f"{FILE}:{hashlib.sha256(content).hexdigest()[:8]}"
        self._tuples: dict[str, list[Tuple]] = {}
        for number, line in enumerate(content.splitlines(), start=1):
            if line.strip():
                caption, tuples = _row(path, number, line)
                self._tuples[caption] = tuples

    @property
    def name(self) -> str:
        """A hash of the file's content."""
        return self._name

    def tuples(self, captions: Sequence[Tokens]) -> list[list[Tuple]]:
        """Look the captions up by their tokens."""
        return [self._look_up(" ".join(tokens)) for tokens in captions]

    def _look_up(self, caption: str) -> list[Tuple]:
        found = self._tuples.get(caption)
        if found is not None:
            return found
        if not caption:
            return []
        raise InputError(
            f'{self.path}: no tuples for the caption "{one_line(caption)}". Add a line with these '
            "tokens (lower case, no punctuation), or use parser=caption."
        )


def tuple_source(parser: str) -> TupleSource:
    """Source named by the option `parser` of the metric.

    >>> tuple_source("caption").tuples([[]])
    [[]]
    """
    kind, colon, rest = parser.partition(":")
    if kind == CAPTION and (rest or not colon):
        return CaptionParserSource(Path(rest) if rest else None)
    if kind == SPACY and not colon:
        return SpacySource()
    if kind == FILE and rest:
        path = Path(rest)
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        return _file_source(path, changed)
    if kind in (CAPTION, FILE):
        raise InputError(f"spice: {kind}: needs a file. Write parser={kind}:FILE.")
    raise UnknownNameError("parser of spice", parser, [CAPTION, SPACY, f"{FILE}:FILE"])


def text_source(parser: str) -> ParserSource:
    """Source for texts of several sentences; tuples from a file cannot be read anew."""
    source = tuple_source(parser)
    if isinstance(source, ParserSource):
        return source
    raise InputError(
        f"spice: graph=discourse needs a parser, and parser={parser} gives tuples as they are. "
        "Leave one of the two options out."
    )


@lru_cache(maxsize=4)
def _file_source(path: Path, changed: int) -> FileSource:
    """A file is read again only if it has changed since."""
    return FileSource(path)


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gunzip(content, str(path)) if content.startswith(GZIP) else content
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. It should hold tuples as JSON lines.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error}).") from None


def _row(path: Path, number: int, line: bytes) -> tuple[str, list[Tuple]]:
    try:
        row: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: line {number} is not JSON ({error}).") from None
    if not isinstance(row, dict) or not isinstance(row.get("caption"), str):
        raise InputError(f'{path}: line {number}: "caption" is missing. Give the tokens as text.')
    tuples = row.get("tuples")
    right = isinstance(tuples, list) and all(
        isinstance(parts, list) and 1 <= len(parts) <= 3 and all(isinstance(part, str) for part in parts)
        for parts in tuples
    )
    if not right:
        raise InputError(f'{path}: line {number}: "tuples" must be a list of lists of one to three words.')
    return row["caption"], [tuple(parts) for parts in row["tuples"]]
