"""Read a generic protocol from YAML; what is wrong is one line with the line number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from captious.corpus import Judgments
from captious.errors import InputError, MissingDependencyError, UnknownNameError, one_line
from captious.protocols.base import MOST_IN_GROUP, MOST_RESPONSES, Guide
from captious.protocols.generic.rules import Generic, GenericKind, Question

KINDS: dict[str, GenericKind] = {"likert": "likert", "pairwise": "pairwise"}
TOP = ("name", "kind", "questions", "guide", "raters", "once_per_image", "group_size", "comment")
ASKED = {
    "likert": ("aspect", "ask", "help", "low", "high", "labels"),
    "pairwise": ("aspect", "ask", "help", "ties"),
}
ADVICE = ("title", "text", "examples")
WIDEST_SCALE = 101
LONGEST_FILE = 100_000
DEEPEST = 10

Path_ = tuple[str | int, ...]


def parse_protocol(text: str, source: str = "protocol") -> Generic:
    """Return the protocol that a YAML text describes.

    >>> likert = parse_protocol('''
    ... name: helpfulness
    ... kind: likert
    ... questions:
    ...   - aspect: helpful
    ...     ask: Would it help someone who cannot see the image?
    ...     labels: {1: Not at all, 5: Very much}
    ... ''')
    >>> likert.questions[0].labels
    ((1, 'Not at all'), (5, 'Very much'))
    >>> parse_protocol("kind: likert")
    Traceback (most recent call last):
    captious.errors.InputError: protocol: line 1: "name" is missing. Give the protocol a name.
    """
    reader = _Reader(text, source)
    top = reader.mapping((), reader.data, TOP)
    label = reader.text((), top, "name", "Give the protocol a name.")
    kind = reader.text((), top, "kind", "Give likert or pairwise.")
    if kind not in KINDS:
        raise reader.error(("kind",), f'kind "{one_line(kind)}" is not likert or pairwise.')
    asked = reader.sequence((), top, "questions")
    if not asked:
        raise reader.error(
            ("questions",) if "questions" in top else (),
            '"questions" is empty or missing. Give one question at least.',
        )
    questions = tuple(_question(reader, kind, at, raw) for at, raw in enumerate(asked))
    _refuse_twice(reader, questions)
    guides = tuple(_guide(reader, at, raw) for at, raw in enumerate(reader.sequence((), top, "guide")))
    return Generic(
        kind=KINDS[kind],
        questions=questions,
        label=label,
        guides=guides,
        raters=reader.whole((), top, "raters", 1, 1, MOST_RESPONSES),
        once_per_image=reader.flag((), top, "once_per_image", False),
        group_size=reader.whole((), top, "group_size", 1, 1, MOST_IN_GROUP),
        comment=reader.flag((), top, "comment", False),
    )


def likert_text(judgments: Judgments, name: str) -> str:
    """A Likert protocol with the aspects of some judgments, as its YAML text."""
    values = judgments.values
    if not np.array_equal(values, np.round(values)):
        raise InputError(
            f"values such as {values[values != np.round(values)][0]:g} are no points of a "
            "Likert scale. Import the raw responses instead: the whole export."
        )
    questions = []
    for aspect in judgments.aspects:
        own = values[judgments.rows(aspect)]
        low, high = int(own.min()), max(int(own.max()), int(own.min()) + 1)
        if high - low >= WIDEST_SCALE:
            raise InputError(f"{aspect} goes from {low} to {high}: too wide for a scale.")
        questions.append({"aspect": aspect, "ask": f"{aspect}?", "low": low, "high": high})
    # JSON is YAML.
    return json.dumps({"name": name, "kind": "likert", "questions": questions}) + "\n"


def _question(reader: _Reader, kind: str, at: int, raw: object) -> Question:
    where: Path_ = ("questions", at)
    own = reader.mapping(where, raw, ASKED[kind])
    aspect = reader.text(where, own, "aspect", "Give a short name, such as helpful.")
    if not aspect.replace("_", "").replace("-", "").isalnum() or aspect == "comment":
        raise reader.error(
            (*where, "aspect"),
            f'aspect "{one_line(aspect)}": use letters, digits, _ and - (comment is taken).',
        )
    ask = reader.text(where, own, "ask", "Write the question that raters read.")
    help_ = reader.text(where, own, "help", "", required=False)
    if kind == "pairwise":
        return Question(aspect, ask, help_, ties=reader.flag(where, own, "ties", True))
    low, high = reader.whole(where, own, "low", 1), reader.whole(where, own, "high", 5)
    if not low < high or high - low >= WIDEST_SCALE:
        at_key = "high" if "high" in own else "low" if "low" in own else "aspect"
        raise reader.error(
            (*where, at_key),
            f"a scale from {low} to {high}: give a high above the low, {WIDEST_SCALE} points at most.",
        )
    return Question(aspect, ask, help_, low, high, _labels(reader, where, own, low, high))


def _labels(
    reader: _Reader, where: Path_, own: Mapping[str, object], low: int, high: int
) -> tuple[tuple[int, str], ...]:
    raw = own.get("labels") or {}
    if not isinstance(raw, dict):
        raise reader.error((*where, "labels"), '"labels" must be points with names: {1: Poor}.')
    for point, label in raw.items():
        place = (*where, "labels", str(point))
        whole = isinstance(point, int) and not isinstance(point, bool)
        if not whole or not low <= point <= high:
            raise reader.error(place, f"label of {point!r}: no point from {low} to {high}.")
        if not isinstance(label, str):
            raise reader.error(place, f"label of {point}: {label!r} is not a text. Quote it.")
    return tuple(sorted(raw.items()))


def _guide(reader: _Reader, at: int, raw: object) -> Guide:
    where: Path_ = ("guide", at)
    own = reader.mapping(where, raw, ADVICE)
    examples = reader.sequence(where, own, "examples")
    for row, example in enumerate(examples):
        if not isinstance(example, str):
            raise reader.error((*where, "examples", row), f"example {example!r} is not a text. Quote it.")
    return Guide(
        reader.text(where, own, "title", "Give the advice a title."),
        reader.text(where, own, "text", "Write the advice."),
        tuple(examples),
    )


def _refuse_twice(reader: _Reader, questions: tuple[Question, ...]) -> None:
    seen: set[str] = set()
    for at, question in enumerate(questions):
        if question.aspect in seen:
            raise reader.error(
                ("questions", at, "aspect"), f'aspect "{question.aspect}" is asked twice. Name each once.'
            )
        seen.add(question.aspect)


class _Reader:
    """A parsed file that knows the line of each of its keys."""

    def __init__(self, text: str, source: str) -> None:
        try:
            import yaml
        except ImportError as error:
            raise MissingDependencyError("PyYAML is needed for protocol files", "protocols") from (error)
        self.source = source
        self.lines: dict[Path_, int] = {(): 1}
        if len(text) > LONGEST_FILE:
            raise InputError(f"{source}: {len(text)} characters; {LONGEST_FILE} are the most.")
        try:
            _refuse_bombs(yaml, text, source)
            self._walk(yaml.compose(text, Loader=yaml.SafeLoader), ())
            self.data: object = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError) as error:
            raise InputError(_one_line(source, error)) from error

    def _walk(self, node: Any, path: Path_) -> None:
        kind = getattr(node, "id", "")
        if path and path not in self.lines:
            self.lines[path] = node.start_mark.line + 1
        if kind == "mapping":
            seen: set[str] = set()
            for key, value in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in seen:
                    raise InputError(f'{self.source}: line {line}: "{one_line(name)}" is given twice.')
                seen.add(name)
                self.lines[(*path, name)] = line
                self._walk(value, (*path, name))
        elif kind == "sequence":
            for at, value in enumerate(node.value):
                self._walk(value, (*path, at))

    def error(self, path: Path_, message: str) -> InputError:
        """An error at a place; at its nearest parent where the place itself has no line."""
        while path not in self.lines:
            path = path[:-1]
        return InputError(f"{self.source}: line {self.lines[path]}: {message}")

    def mapping(self, path: Path_, raw: object, known: tuple[str, ...]) -> dict[str, object]:
        """A mapping with known keys only."""
        if not isinstance(raw, dict):
            raise self.error(path, f"expected keys such as {known[0]} and {known[1]}.")
        for key in raw:
            if key not in known:
                message = str(UnknownNameError("key", one_line(str(key)), known))
                raise self.error((*path, str(key)), message)
        return raw

    def sequence(self, path: Path_, own: Mapping[str, object], key: str) -> list[Any]:
        """A list, empty where the key is missing."""
        raw = own.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            raise self.error((*path, key), f'"{key}" must be a list, each entry after "- ".')
        return raw

    def text(
        self, path: Path_, own: Mapping[str, object], key: str, how: str, *, required: bool = True
    ) -> str:
        """A text that is not blank."""
        raw = own.get(key)
        if raw is None and not required:
            return ""
        if raw is None:
            raise self.error(path, f'"{key}" is missing. {how}')
        if not isinstance(raw, str) or not raw.strip():
            raise self.error((*path, key), f'"{key}" must be a text; found {raw!r}. {how}'.strip())
        return " ".join(raw.split())

    def whole(
        self,
        path: Path_,
        own: Mapping[str, object],
        key: str,
        default: int,
        least: int | None = None,
        most: int | None = None,
    ) -> int:
        """A whole number, from `least` to `most`."""
        raw = own.get(key, default)
        if isinstance(raw, bool) or not isinstance(raw, int):
            raise self.error((*path, key), f'"{key}" must be a whole number; found {raw!r}.')
        if least is not None and raw < least:
            raise self.error((*path, key), f'"{key}" is {raw}. Give {least} or more.')
        if most is not None and raw > most:
            raise self.error((*path, key), f'"{key}" is over {most:,}. Give less.')
        return raw

    def flag(self, path: Path_, own: Mapping[str, object], key: str, default: bool) -> bool:
        """True or false."""
        raw = own.get(key, default)
        if not isinstance(raw, bool):
            raise self.error((*path, key), f'"{key}" must be true or false; found {raw!r}.')
        return raw


def _refuse_bombs(yaml: Any, text: str, source: str) -> None:
    """An alias can make a small file unfold without end, deep nesting can stall the parser."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{source}: line {line}: aliases (*) are not read here.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(f"{source}: line {line}: nested too deeply. A protocol is flat.")


def _one_line(source: str, error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{source}: {where}not YAML: {one_line(str(problem))}."
