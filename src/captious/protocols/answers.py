"""Answers of any form as numbers, so that rules and statistics need to know no protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from captious.protocols.item import Answer, Field, Item

Numbers = dict[str, float]


class Mark(NamedTuple):
    """What a rater says of one caption (or of a pair): the same question has the same `about`.

    `numbers` holds each answer on a scale of 0 to 1, by what it is about.
    """

    about: tuple[str, ...]
    numbers: Numbers


def shares(field: Field, answer: Answer | None) -> dict[tuple[str, str], float]:
    """Where an answer stands between the ends of its field, by aspect and caption; nothing for texts.

    >>> shares(Field("stars", "scale", "Stars", low=1, high=5, step=1), 4.0)
    {('stars', ''): 0.75}
    """
    if answer is None:
        return {}
    ends = field.rules.ends(field)
    low, high = ends or (0.0, 1.0)
    return {
        (said.aspect(field), said.caption or field.caption): (said.value - low) / (high - low)
        for said in field.rules.numbers(field, answer)
    }


def marks(item: Item, answers: Mapping[str, Answer]) -> list[Mark]:
    """One mark for each caption that is asked about, or one for the item as a whole.

    What is asked about carries the image and the text, so that a later stage or another page with
    the same caption meets it.
    """
    texts = {caption.key: caption.text for caption in item.captions}
    together = (item.image, *texts.values())
    found: dict[tuple[str, ...], Numbers] = {}
    for field in item.form.fields:
        for (aspect, caption), share in shares(field, answers.get(field.name)).items():
            about = (item.image, texts[caption]) if caption in texts else together
            found.setdefault(about, {})[aspect] = share
    return [Mark(about, numbers) for about, numbers in found.items()]
