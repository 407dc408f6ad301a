"""Answers of any form as numbers, so that rules and statistics need to know no protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from captious.protocols.form import Answer, Field, as_number
from captious.protocols.item import Item

Numbers = dict[str, float]


class Mark(NamedTuple):
    """What a rater says of one caption (or of a pair): the same question has the same `about`.

    `numbers` holds each answer on a scale of 0 to 1, by the question's name without the caption's
    key.
    """

    about: tuple[str, ...]
    numbers: Numbers


def as_share(field: Field, answer: Answer | None) -> float | None:
    """Where an answer stands between the ends of its field, 0 to 1; None for texts and silence.

    Options stand in the form's order, evenly. Amounts of a multi-choice are summed, and what is
    above 1 counts as 1.

    >>> as_share(Field("stars", "number", "Stars", low=1, high=5), 4.0)
    0.75
    """
    if answer is None or field.kind in ("text", "audio"):
        return None
    if field.kind == "multi":
        return min(1.0, sum(answer.values())) if isinstance(answer, dict) else None
    if field.kind == "choice":
        places = [option.value for option in field.options]
        if answer not in places:
            return None
        return places.index(str(answer)) / max(1, len(places) - 1)
    value = as_number(answer)
    if value is None or field.low is None or field.high is None or field.high <= field.low:
        return value
    return (value - field.low) / (field.high - field.low)


def marks(item: Item, answers: Mapping[str, Answer]) -> list[Mark]:
    """One mark for each caption that is asked about, or one for the item as a whole.

    What is asked about carries the image and the text, so that a later stage or another page with
    the same caption meets it.
    """
    texts = {caption.key: caption.text for caption in item.captions}
    together = (item.image, *texts.values())
    found: dict[tuple[str, ...], Numbers] = {}
    for field in item.form.fields:
        share = as_share(field, answers.get(field.name))
        if share is None:
            continue
        about = (item.image, texts[field.caption]) if field.caption in texts else together
        name = field.name.removeprefix(f"{field.caption}.") if field.caption else field.name
        found.setdefault(about, {})[name] = share
    return [Mark(about, numbers) for about, numbers in found.items()]


def answer_text(field: Field, answer: Answer | None) -> str:
    """An answer as a person would say it.

    >>> answer_text(Field("stars", "number", "Stars", low=1, high=5), 4.0)
    '4'
    """
    if answer is None or answer == {}:
        return "none"
    if isinstance(answer, dict):
        return ", ".join(_option_text(field, value, amount) for value, amount in answer.items())
    if field.kind == "choice":
        return _option_text(field, str(answer), None)
    return f"{answer:g}" if isinstance(answer, float) else str(answer)


def _option_text(field: Field, value: str, amount: float | None) -> str:
    option = field.option(value)
    label = option.label if option is not None else value
    return f"{label} ({amount:g})" if amount else label
