"""Read a generic protocol from YAML; what is wrong is one line with the line number."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from captious.corpus import Judgments
from captious.errors import InputError, one_line
from captious.protocols.base import MOST_IN_GROUP, MOST_RESPONSES, Guide
from captious.protocols.generic.rules import Generic, GenericKind, Question
from captious.protocols.yaml_file import At, YamlFile

KINDS: dict[str, GenericKind] = {"likert": "likert", "pairwise": "pairwise"}
TOP = ("name", "kind", "questions", "guide", "raters", "once_per_image", "group_size", "comment")
ASKED = {
    "likert": ("aspect", "ask", "help", "low", "high", "labels"),
    "pairwise": ("aspect", "ask", "help", "ties"),
}
ADVICE = ("title", "text", "examples")
WIDEST_SCALE = 101


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
    reader = YamlFile(text, source)
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


def _question(reader: YamlFile, kind: str, at: int, raw: object) -> Question:
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


def _guide(reader: YamlFile, at: int, raw: object) -> Guide:
    where: At = ("guide", at)
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


def _refuse_twice(reader: YamlFile, questions: tuple[Question, ...]) -> None:
    seen: set[str] = set()
    for at, question in enumerate(questions):
        if question.aspect in seen:
            raise reader.error(
                ("questions", at, "aspect"), f'aspect "{question.aspect}" is asked twice. Name each once.'
            )
        seen.add(question.aspect)
