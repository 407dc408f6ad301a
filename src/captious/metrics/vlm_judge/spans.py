"""Words that the judge quotes, found in the caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from captious.corpus.findings import KINDS, Place
from captious.models.chat import UnreadableError
from captious.text.places import lowered

NAME = "spans"
GRAMMAR = "grammar"
QUESTION = (
    f"- {NAME}: Every place of the caption that is wrong about the image, or badly written. A list, empty "
    'where there is none, of objects with "text", the wrong words exactly as the caption has them and no '
    f'more than these, and "kind", one of {", ".join((*KINDS, GRAMMAR))}.'
)


class Quoted(NamedTuple):
    """Words that the judge calls wrong, and their kind."""

    text: str
    kind: str


def schema() -> dict[str, Any]:
    """The list as a JSON schema of the strict kind."""
    kind = {"type": "string", "enum": [*KINDS, GRAMMAR]}
    item = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "kind": kind},
        "required": ["text", "kind"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": item}


def read(found: object) -> list[Quoted]:
    """The list of an answer."""
    if not isinstance(found, list):
        raise UnreadableError(f'"{NAME}" is not a list.')
    quoted = []
    for one in found:
        if not (isinstance(one, Mapping) and isinstance(one.get("text"), str)):
            raise UnreadableError(f'"{NAME}" has an entry without "text".')
        quoted.append(Quoted(one["text"].strip(), str(one.get("kind") or GRAMMAR)))
    return [one for one in quoted if one.text]


def places(caption: str, quoted: Sequence[Quoted]) -> tuple[list[Place], int]:
    """Where the quoted words are, and how many quotes are not in the caption.

    Case does not count; the same words quoted again are their next occurrence.

    >>> found, lost = places("A cat, a Cat.", [Quoted("cat", "object")] * 2 + [Quoted("dog", "object")])
    >>> [place[:3] for place in found], lost
    ([(2, 5, 'object'), (9, 12, 'object')], 1)
    """
    low, of = lowered(caption)
    found: list[Place] = []
    used: dict[str, int] = {}
    for text, kind in quoted:
        wanted = text.lower()
        start = low.find(wanted, used.get(wanted, 0))
        if start >= 0:
            used[wanted] = end = start + len(wanted)
            found.append(Place(of[start], of[end - 1] + 1, kind))
    return found, len(quoted) - len(found)
