"""Texts that both engines can keep: checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping

from captious.errors import FieldError, InputError, one_line
from captious.protocols import Problem

# PostgreSQL's indexes take 2,704 bytes a row, and a key may hold another.
LONGEST_ID = 1000


def storable(text: str, what: str) -> str:
    """The text, refused where a database cannot keep it (a NUL, half of a surrogate pair)."""
    if not is_storable(text):
        raise FieldError(what, f"{what}: it holds a character that cannot be stored. Remove it.")
    return text


def checked_id(text: str, what: str) -> str:
    """A text that rows are found by, refused where an index cannot hold it on either engine.

    >>> checked_id("dog.jpg", "image")
    'dog.jpg'
    """
    if len(storable(text, what).encode()) > LONGEST_ID:
        raise InputError(
            f'{what} "{one_line(text, 40)}": {len(text):,} characters are too many to be found by. '
            f"Give {LONGEST_ID:,} bytes at most."
        )
    return text


def is_storable(text: str) -> bool:
    """Whether both engines can keep the text.

    >>> is_storable("caf\\u00e9"), is_storable("\\x00"), is_storable("\\ud800")
    (True, False, False)
    """
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def unstorable(answers: Mapping[str, object]) -> list[Problem]:
    """What is wrong with answers that no database could hold."""
    return [
        Problem(name, "The text holds a character that cannot be stored. Remove it.")
        for name, answer in answers.items()
        if isinstance(answer, str) and not is_storable(answer)
    ]
