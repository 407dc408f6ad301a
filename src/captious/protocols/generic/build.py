"""The YAML of a protocol from what was typed into a form, so that nobody has to write it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from captious.errors import FieldError, one_line
from captious.protocols.generic.file import parse_protocol
from captious.protocols.questions import as_number, question_kinds
from captious.protocols.yaml_file import At

MOST_QUESTIONS = 12
PREFIX = "build."  # of the form's fields: build.raters, build.1.kind, build.1.ask, build.1.low, …
USUAL = "scale"
# Where a mistake in a key of the file is shown; others have a field of their own name.
TYPED_AT = {"labels": "low_label"}


def built_text(given: Mapping[str, str]) -> str:
    """The protocol that the fields describe; "" where no question was typed.

    What is wrong names the question and its field, for nobody has written the lines of the file.

    >>> print(built_text({"build.1.kind": "scale", "build.1.ask": "Is it true?", "build.1.high": "3",
    ...                   "build.1.low_label": "No", "build.raters": "2"}), end="")
    name: Is it true?
    raters: 2
    comment: false
    questions:
    - aspect: q1
      kind: scale
      ask: Is it true?
      high: 3
      labels:
        1: 'No'
    """
    import yaml

    asked = [at for at in range(1, MOST_QUESTIONS + 1) if _text(given, f"{at}.ask")]
    if not asked:
        return ""
    file: dict[str, Any] = {
        "name": _text(given, "name") or _text(given, f"{asked[0]}.ask"),
        "raters": _raters(given),
        "comment": _text(given, "comment") == "yes",
        "questions": [_question(given, at) for at in asked],
    }
    text: str = yaml.safe_dump(file, sort_keys=False, allow_unicode=True, width=100)
    parse_protocol(text, told=lambda path, message: _wrong(given, asked, path, message))
    return text


def _question(given: Mapping[str, str], at: int) -> dict[str, Any]:
    kind = _text(given, f"{at}.kind") or USUAL
    aspect = _text(given, f"{at}.aspect") or f"q{at}"
    found: dict[str, Any] = {"aspect": aspect, "kind": kind, "ask": _text(given, f"{at}.ask")}
    if help_ := _text(given, f"{at}.help"):
        found["help"] = help_
    if _text(given, f"{at}.optional") == "yes":
        found["optional"] = True
    known = question_kinds().get(kind)
    for key in known.keys if known is not None else ():
        value = READ[key](given, at) if key in READ else None
        if value is not None:
            found[key] = value
    return found


def _number(name: str) -> Callable[[Mapping[str, str], int], int | float | None]:
    def read(given: Mapping[str, str], at: int) -> int | float | None:
        typed = _text(given, f"{at}.{name}")
        if not typed:
            return None
        value = as_number(typed)
        if value is None:
            where = f"{_named(given, at)}: {ENDS[name]}"
            message = (
                f'{where}: "{one_line(typed, 20)}" is not a number. Enter one such as {USUAL_ENDS[name]}.'
            )
            raise FieldError(f"{PREFIX}{at}.{name}", message)
        return int(value) if value.is_integer() else value

    return read


def _labels(given: Mapping[str, str], at: int) -> dict[Any, str] | None:
    """The names of the two ends, which are 1 and 5 where nothing was typed."""
    ends = {}
    for end in ("low", "high"):
        point = READ[end](given, at)
        ends[USUAL_ENDS[end] if point is None else point] = _text(given, f"{at}.{end}_label")
    return {point: label for point, label in ends.items() if label} or None


def _options(given: Mapping[str, str], at: int) -> list[str] | None:
    """One on each line."""
    lines = given.get(f"{PREFIX}{at}.options", "").splitlines()
    return [text for line in lines if (text := _printable(line))] or None


def _ties(given: Mapping[str, str], at: int) -> bool | None:
    return False if _text(given, f"{at}.no_ties") == "yes" else None


ENDS = {"low": "the low end", "high": "the high end", "step": "the step"}
USUAL_ENDS = {"low": 1, "high": 5, "step": 1}
# How the keys of a question in a file are typed.
READ: dict[str, Callable[[Mapping[str, str], int], Any]] = {
    **{name: _number(name) for name in ENDS},
    "labels": _labels,
    "options": _options,
    "ties": _ties,
}


def _wrong(given: Mapping[str, str], asked: Sequence[int], path: At, message: str) -> FieldError:
    """A mistake at a place of the file, told at the field that it was typed into."""
    if path[:1] != ("questions",) or len(path) < 2:
        return FieldError(f"{PREFIX}{path[0] if path and path[0] != 'questions' else '1.ask'}", message)
    at = asked[int(path[1])]
    name = str(path[2]) if len(path) > 2 else "ask"
    return FieldError(f"{PREFIX}{at}.{TYPED_AT.get(name, name)}", f"{_named(given, at)}: {message}")


def _named(given: Mapping[str, str], at: int) -> str:
    return f'question {at}, "{one_line(_text(given, f"{at}.ask"), 50)}"'


def _text(given: Mapping[str, str], field: str) -> str:
    return _printable(given.get(PREFIX + field, ""))


def _printable(typed: str) -> str:
    return " ".join("".join(one if one.isprintable() else " " for one in typed).split())


def _raters(given: Mapping[str, str]) -> int:
    typed = _text(given, "raters") or "1"
    if not re.fullmatch(r"-?\d{1,6}", typed):
        message = f'raters: "{one_line(typed, 20)}" is not a whole number. Enter one such as 1.'
        raise FieldError(f"{PREFIX}raters", message)
    return int(typed)
