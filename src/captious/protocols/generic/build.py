"""The YAML of a protocol from what was typed into a form, so that nobody has to write it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from captious.errors import FieldError, one_line
from captious.protocols.generic.file import parse_protocol
from captious.protocols.yaml_file import At

MOST_QUESTIONS = 12
ENDS = {"low": "the low end of the scale", "high": "the high end of the scale"}
PREFIX = "build."  # of the form's fields: build.kind, build.1.ask, build.1.low, …


def built_text(given: Mapping[str, str]) -> str:
    """The protocol that the fields describe; "" where no question was typed.

    What is wrong names the question and its field, for nobody has written the lines of the file.

    >>> print(built_text({"build.kind": "likert", "build.1.ask": "Is it true?", "build.1.high": "3",
    ...                   "build.1.low_label": "No", "build.raters": "2"}), end="")
    name: Is it true?
    kind: likert
    raters: 2
    questions:
      - aspect: q1
        ask: Is it true?
        low: 1
        high: 3
        labels: {1: "No"}
    """
    asked = [at for at in range(1, MOST_QUESTIONS + 1) if _text(given, f"{at}.ask")]
    if not asked:
        return ""
    pairwise = _text(given, "kind") == "pairwise"
    lines = [
        f"name: {_quoted(_text(given, 'name') or _text(given, f'{asked[0]}.ask'))}",
        f"kind: {'pairwise' if pairwise else 'likert'}",
        f"raters: {_whole(given, 'raters', 1)}",
        *(["comment: true"] if _text(given, "comment") == "yes" else []),
        "questions:",
    ]
    for at in asked:
        lines += [
            f"  - aspect: {_quoted(_text(given, f'{at}.aspect') or f'q{at}')}",
            f"    ask: {_quoted(_text(given, f'{at}.ask'))}",
        ]
        if help_ := _text(given, f"{at}.help"):
            lines.append(f"    help: {_quoted(help_)}")
        lines += _choice(given, at) if pairwise else _scale(given, at)
    text = "\n".join(lines) + "\n"
    parse_protocol(text, told=lambda path, message: _wrong(given, asked, path, message))
    return text


def _wrong(given: Mapping[str, str], asked: Sequence[int], path: At, message: str) -> FieldError:
    """A mistake at a place of the file, told at the field that it was typed into."""
    if path[:1] != ("questions",) or len(path) < 2:
        return FieldError(f"{PREFIX}{path[0] if path else 'kind'}", message)
    at = asked[int(path[1])]
    name = str(path[2]) if len(path) > 2 else "ask"
    field = {"labels": "low_label", "ties": "ask"}.get(name, name)
    return FieldError(f"{PREFIX}{at}.{field}", f"{_question(given, at)}: {message}")


def _question(given: Mapping[str, str], at: int) -> str:
    return f'question {at}, "{one_line(_text(given, f"{at}.ask"), 50)}"'


def _choice(given: Mapping[str, str], at: int) -> list[str]:
    return [f"    ties: {'false' if _text(given, f'{at}.ties') == 'no' else 'true'}"]


def _scale(given: Mapping[str, str], at: int) -> list[str]:
    low, high = _whole(given, f"{at}.low", 1), _whole(given, f"{at}.high", 5)
    ends = {low: _text(given, f"{at}.low_label"), high: _text(given, f"{at}.high_label")}
    named = ", ".join(
        f"{point}: {json.dumps(label, ensure_ascii=False)}" for point, label in ends.items() if label
    )
    return [f"    low: {low}", f"    high: {high}", *([f"    labels: {{{named}}}"] if named else [])]


def _text(given: Mapping[str, str], field: str) -> str:
    typed = "".join(one if one.isprintable() else " " for one in given.get(PREFIX + field, ""))
    return " ".join(typed.split())


def _whole(given: Mapping[str, str], field: str, usual: int) -> int:
    typed = _text(given, field) or str(usual)
    if not re.fullmatch(r"-?\d{1,6}", typed):
        at, _, what = field.rpartition(".")
        where = f"{_question(given, int(at))}: {ENDS[what]}" if at else what
        message = f'{where}: "{one_line(typed, 20)}" is not a whole number. Enter one such as {usual}.'
        raise FieldError(PREFIX + field, message)
    return int(typed)


def _quoted(text: str) -> str:
    """A text that YAML reads as it is, in quotes only where it would not."""
    plain = re.fullmatch(r"[A-Za-z][\w ,.?()'-]*", text) and not text.endswith(":")
    reserved = text.casefold() in ("yes", "no", "true", "false", "null", "on", "off", "y", "n")
    return text if plain and not reserved else json.dumps(text, ensure_ascii=False)
