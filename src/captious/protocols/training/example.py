"""One example of a training: what is shown, the known answers, and why they are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from captious.protocols.item import Answer, Field, Item, item_from_dict, item_to_dict
from captious.protocols.known import answer_right

WHOLE = ""  # the explanation that is about all answers


@dataclass(frozen=True)
class Example:
    """An item of practice; `known` and `why` are by the names of its questions.

    `file` names its picture beside the file that it was read from.
    """

    item: Item
    known: Mapping[str, Any]
    why: Mapping[str, str] = field(default_factory=dict)
    file: str = ""


class Marked(NamedTuple):
    """What was answered to one question, what was expected, whether that is right, and why."""

    field: Field
    given: Answer | None
    expected: Any
    right: bool
    why: str


def mark(example: Example, answers: Mapping[str, Answer]) -> list[Marked]:
    """The questions whose answers are known, in the order of the form."""
    return [
        Marked(
            one,
            answers.get(one.name),
            example.known[one.name],
            answer_right(one, example.known[one.name], answers.get(one.name)),
            example.why.get(one.name, ""),
        )
        for one in example.item.form.fields
        if one.name in example.known
    ]


def example_to_dict(example: Example) -> dict[str, Any]:
    """An example as values that JSON can hold."""
    return {
        "item": item_to_dict(example.item),
        "known": dict(example.known),
        "why": dict(example.why),
        "file": example.file,
    }


def example_from_dict(stored: Mapping[str, Any]) -> Example:
    """The example that `example_to_dict` stored."""
    item = item_from_dict(stored["item"])
    return Example(item, dict(stored["known"]), dict(stored["why"]), stored.get("file", ""))
