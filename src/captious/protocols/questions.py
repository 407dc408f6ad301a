"""Questions of one's own, as a file describes them: those of a protocol, and those of a survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from captious.errors import one_line
from captious.protocols.form import Field, Option
from captious.protocols.yaml_file import At, YamlFile

ASKED = {
    "likert": ("aspect", "ask", "help", "low", "high", "labels"),
    "pairwise": ("aspect", "ask", "help", "ties"),
}
WIDEST_SCALE = 101


class Question(NamedTuple):
    """One question: a scale for a Likert protocol, a choice of captions for a pairwise one."""

    aspect: str
    ask: str
    help: str = ""
    low: int = 1
    high: int = 5
    labels: tuple[tuple[int, str], ...] = ()
    ties: bool = True


def read_question(reader: YamlFile, kind: str, at: int, raw: object) -> Question:
    """One question of a file."""
    where: At = ("questions", at)
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
    reader: YamlFile, where: At, own: Mapping[str, object], low: int, high: int
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


def refuse_twice(reader: YamlFile, aspects: Sequence[str]) -> None:
    """Refuse a name that two questions have."""
    seen: set[str] = set()
    for at, aspect in enumerate(aspects):
        if aspect in seen:
            raise reader.error(
                ("questions", at, "aspect"), f'aspect "{aspect}" is asked twice. Name each once.'
            )
        seen.add(aspect)


def scale_field(question: Question, *, required: bool = True) -> Field:
    """A question with a scale as a field of a form."""
    return Field(
        question.aspect,
        "number",
        question.ask,
        question.help,
        required,
        low=question.low,
        high=question.high,
        step=1,
        options=tuple(Option(str(point), label) for point, label in question.labels),
    )
