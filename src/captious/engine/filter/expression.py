"""The small language of `--where`: `clipscore > 0.25 and length < 200`.

    condition  = all { "or" all }
    all        = one { "and" one }
    one        = "not" one | "(" condition ")" | "known" "(" column ")" | comparison
    comparison = value ("<" | "<=" | ">" | ">=" | "==" | "!=") value [ … value ]
               | value "in" "(" value { "," value } ")" | value "contains" text
    value      = number | "text" | column | `column in backquotes` | "length" | "words"

`length` is a caption's characters and `words` its words. A value that is missing (null, NaN) makes every
comparison false. Nothing is run but this: no Python, no names but columns.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, UnknownNameError, one_line

Cells = NDArray[Any]  # numbers as float64 (NaN: missing), texts as objects (None: missing)
Columns = Mapping[str, Cells]
Truths = NDArray[np.bool_]
COMPUTED = ("length", "words")  # of the caption

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<text>"[^"]*"|'[^']*')
  | `(?P<quoted>[^`]+)`
  | (?P<name>[A-Za-z_][\w.]*(?:\[[^\]]*\])?)
  | (?P<sign><=|>=|==|!=|<|>|=|\(|\)|,)
)""",
    re.VERBOSE,
)
_DEEPEST = 50


class Token(NamedTuple):
    """A word of the condition, and its position (counted from 1)."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True)
class Value:
    """A number, a text or a column."""

    kind: str
    text: str
    at: int

    def of(self, columns: Columns) -> Any:
        """The value in every row, or the one for all."""
        if self.kind == "number":
            return float(self.text)
        return self.text if self.kind == "text" else columns[self.text]

    def is_text(self, columns: Columns) -> bool:
        """Whether it is text and not numbers."""
        if self.kind == "column":
            return bool(columns[self.text].dtype == object)
        return self.kind == "text"


@dataclass(frozen=True)
class Condition:
    """A condition: what makes it true or false of every row, and the columns that it names."""

    test: Callable[[Columns], Truths]
    values: tuple[Value, ...]

    def names(self) -> list[str]:
        """The columns that are needed, each once."""
        return list(dict.fromkeys(value.text for value in self.values if value.kind == "column"))

    def check(self, known: Sequence[str]) -> None:
        """Refuse a column that is not there."""
        for value in self.values:
            if value.kind == "column" and value.text not in (*known, *COMPUTED):
                unknown = UnknownNameError("column", value.text, [*known, *COMPUTED])
                raise InputError(f"--where: position {value.at}: {unknown}")


def parse(text: str) -> Condition:
    """The condition that a text says.

    >>> import numpy as np
    >>> found = parse("cider > 0.5 and not words > 9")
    >>> found.names()
    ['cider', 'words']
    >>> found.test({"cider": np.array([0.9, 0.9, np.nan]), "words": np.array([5.0, 12.0, 5.0])})
    array([ True, False, False])
    """
    reader = _Reader(list(_tokens(text)), len(text))
    found = reader.condition()
    if (left := reader.peek()) is not None:
        raise _error(f'"{one_line(left.text)}" found where "and", "or" or the end was expected', left.at)
    return found


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise _error(f'"{one_line(text[start:], 20)}" cannot be read', start + 1)
        yield Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup) + 1)
        at = match.end()


def _error(what: str, at: int) -> InputError:
    return InputError(
        f"--where: position {at}: {what}. Write, for example, clipscore > 0.25 and length < 200."
    )


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[Token], end: int) -> None:
        self.tokens, self.end, self.place, self.depth = tokens, end, 0, 0

    def peek(self) -> Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, *texts: str) -> Token | None:
        """The next token, where it is one of these words or signs."""
        token = self.peek()
        if token is None or token.kind not in ("name", "sign") or token.text not in texts:
            return None
        self.place += 1
        return token

    def need(self, sign: str) -> None:
        if self.take(sign) is None:
            token = self.peek()
            raise _error(f'"{sign}" is missing', token.at if token else self.end + 1)

    def condition(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _error("too many brackets", self.end)
        found = self._joined("or", np.logical_or, lambda: self._joined("and", np.logical_and, self.one))
        self.depth -= 1
        return found

    def _joined(self, word: str, join: Any, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self.take(word):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        values = tuple(value for one in parts for value in one.values)
        return Condition(lambda columns: join.reduce([one.test(columns) for one in parts]), values)

    def one(self) -> Condition:
        turned = False
        while self.take("not"):
            turned = not turned
        found = self._plain()
        return Condition(lambda columns: ~found.test(columns), found.values) if turned else found

    def _plain(self) -> Condition:
        if self.take("("):
            inside = self.condition()
            self.need(")")
            return inside
        first = self.value()
        if first.text == "known" and self.take("("):
            column = self.value()
            self.need(")")
            return Condition(lambda columns: ~_missing(column.of(columns)), (column,))
        if self.take("in"):
            return self._in(first)
        if sign := self.take("contains"):
            return _contains(first, self.value(), sign.at)
        return self._compared(first)

    def _in(self, first: Value) -> Condition:
        self.need("(")
        others = [self.value()]
        while self.take(","):
            others.append(self.value())
        self.need(")")
        tests = [_comparison(first, "==", other, first.at).test for other in others]
        return Condition(
            lambda columns: np.logical_or.reduce([test(columns) for test in tests]), (first, *others)
        )

    def _compared(self, first: Value) -> Condition:
        tests, values = [], [first]
        while sign := self.take(*_COMPARE):
            values.append(self.value())
            tests.append(_comparison(values[-2], sign.text, values[-1], sign.at).test)
        if not tests:
            token = self.peek()
            raise _error(
                f'"{one_line(first.text)}" is not compared with anything', token.at if token else first.at
            )
        return Condition(
            lambda columns: np.logical_and.reduce([test(columns) for test in tests]), tuple(values)
        )

    def value(self) -> Value:
        token = self.peek()
        if token is None or token.kind == "sign" or token.text in ("and", "or", "in", "contains"):
            raise _error("a column, number or text is missing", token.at if token else self.end + 1)
        self.place += 1
        if token.kind == "number":
            return Value("number", token.text, token.at)
        if token.kind == "text":
            return Value("text", token.text[1:-1], token.at)
        return Value("column", token.text, token.at)


def _comparison(left: Value, sign: str, right: Value, at: int) -> Condition:
    def test(columns: Columns) -> Truths:
        texts = left.is_text(columns), right.is_text(columns)
        if texts[0] != texts[1]:
            raise _error("text is compared with a number", at)
        if texts[0] and sign not in ("=", "==", "!="):
            raise _error(f'text can be compared with == and !=, not with "{sign}"', at)
        a, b = left.of(columns), right.of(columns)
        known = ~(_missing(a) | _missing(b))
        rows = len(next(iter(columns.values())))
        return np.broadcast_to(np.asarray(_COMPARE[sign](a, b), dtype=bool) & known, (rows,))

    return Condition(test, (left, right))


def _contains(left: Value, right: Value, at: int) -> Condition:
    def test(columns: Columns) -> Truths:
        if not left.is_text(columns) or right.kind != "text":
            raise _error('"contains" needs a text column and a text in quotes', at)
        cells = left.of(columns)
        return np.array([cell is not None and right.text in cell for cell in cells], dtype=bool)

    return Condition(test, (left, right))


def _missing(cells: Any) -> Any:
    if isinstance(cells, np.ndarray):
        if cells.dtype == object:
            return np.array([cell is None for cell in cells], dtype=bool)
        return np.isnan(cells)
    return np.False_
