"""What every table is made of: one metadata, JSON as text, keys, and texts that both engines can keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import Column, Dialect, ForeignKey, Integer, MetaData, Text, TypeDecorator

from captious.errors import FieldError, InputError, one_line
from captious.protocols import Problem

# PostgreSQL's indexes take 2,704 bytes a row, and a key may hold another.
LONGEST_ID = 1000

# Alembic and error messages need the same name for a constraint on both engines.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Json(TypeDecorator[Any]):
    """A value as JSON text: the same bytes on both engines, and in a backup."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Python to text."""
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Text to Python."""
        return None if value is None else orjson.loads(value)


def key() -> Column[int]:
    """The number of a row."""
    return Column("id", Integer, primary_key=True)


def to(target: str, *, nullable: bool = False, name: str = "") -> Column[int]:
    """The number of a row of another table."""
    return Column(name or f"{target}_id", Integer, ForeignKey(f"{target}.id"), nullable=nullable)


def text_column(name: str, default: str | None = None) -> Column[str]:
    """A text that is always there."""
    return Column(name, Text, nullable=False, server_default=default)


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
        if not all(is_storable(text) for text in _texts(answer))
    ]


def _texts(answer: object) -> list[str]:
    """The texts of an answer: itself, or those of its marks."""
    marks = [answer] if isinstance(answer, str) else answer
    if not isinstance(marks, list):
        return []
    found = [text for mark in marks for text in (mark.values() if isinstance(mark, dict) else [mark])]
    return [text for text in found if isinstance(text, str)]
