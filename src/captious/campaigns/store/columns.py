"""What every table is made of: one metadata, JSON as text, keys and texts."""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import Column, Dialect, ForeignKey, Integer, MetaData, Text, TypeDecorator

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
