"""Statements that are composed once, compiled once for each engine, and run on the driver itself.

A rater's page asks a dozen small questions; composing, caching and wrapping them costs SQLAlchemy
several times what the database needs to answer. The statement is still SQLAlchemy's, so that there
is one text for both engines; JSON columns come and go as text, and truth on SQLite as 0 and 1.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.base import Executable

Values = Mapping[str, Any]
_CHANGES = "captious_changes"


class _Compiled(NamedTuple):
    sql: str
    # SQLite takes values by place, PostgreSQL by name.
    order: tuple[str, ...] | None
    constants: dict[str, Any]
    row: Callable[[Sequence[Any]], Any] | None
    # Whether PostgreSQL may change something with it, which its driver does not count.
    changes: bool

    def values(self, given: Values) -> Any:
        """The values as the driver takes them."""
        if self.order is None:
            return {**self.constants, **given} if self.constants else given
        constants = self.constants
        return [given[name] if name in given else constants[name] for name in self.order]


class Prepared:
    """A statement; given as one for each engine where the two spell it differently."""

    def __init__(self, statement: Executable | Mapping[str, Executable]) -> None:
        self.statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def all(self, connection: Connection, given: Values) -> list[Any]:
        """Every row, as a named tuple."""
        made, cursor = self._run(connection, given)
        rows = cursor.fetchall()
        return [made.row(row) for row in rows] if made.row else rows

    def first(self, connection: Connection, given: Values) -> Any:
        """The first row, or None."""
        made, cursor = self._run(connection, given)
        row = cursor.fetchone()
        return made.row(row) if row is not None and made.row else row

    def value(self, connection: Connection, given: Values) -> Any:
        """The first column of the first row, or None."""
        row = self._run(connection, given)[1].fetchone()
        return None if row is None else row[0]

    def change(self, connection: Connection, given: Values) -> int:
        """Write; how many rows it changed."""
        return int(self._run(connection, given)[1].rowcount)

    def _run(self, connection: Connection, given: Values) -> tuple[_Compiled, Any]:
        dialect = connection.dialect
        made = self._compiled.get(dialect.name) or self._compile(dialect)
        if made.changes:
            note_change(connection)
        try:
            return made, driver_of(connection).execute(made.sql, made.values(given))
        except dialect.loaded_dbapi.Error as error:
            raise _wrapped(connection, made.sql, error) from error

    def _compile(self, dialect: Dialect) -> _Compiled:
        statement: Any = self.statement
        if isinstance(statement, Mapping):
            statement = statement[dialect.name]
        compiled = statement.compile(dialect=dialect)
        names = statement.exported_columns.keys() if hasattr(statement, "exported_columns") else ()
        order = None if compiled.positiontup is None else tuple(compiled.positiontup)
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        kind: Any = namedtuple("Row", names, rename=True) if names else None
        row = None if kind is None else kind._make
        sql = str(compiled)
        changes = dialect.name != "sqlite" and not _is_read(sql)
        made = self._compiled[dialect.name] = _Compiled(sql, order, constants, row, changes)
        return made


def driver_of(connection: Connection) -> Any:
    """The driver's own connection."""
    return connection.connection.driver_connection


def changes_of(connection: Connection) -> int:
    """A number that grows with whatever is written over the connection."""
    if connection.dialect.name == "sqlite":
        return int(driver_of(connection).total_changes)
    return int(connection.info.get(_CHANGES, 0))


def note_change(connection: Connection, sql: str = "") -> None:
    """Count a statement that was not only a question, for `changes_of`."""
    if not _is_read(sql):
        connection.info[_CHANGES] = connection.info.get(_CHANGES, 0) + 1


def _is_read(sql: str) -> bool:
    return sql.lstrip().upper().startswith("SELECT")


def _wrapped(connection: Connection, sql: str, error: Any) -> Exception:
    """The driver's error as SQLAlchemy raises it; a connection that is gone is not used again."""
    dialect = connection.dialect
    gone = dialect.is_disconnect(error, connection.connection, None)
    if gone:
        # The others of the pool were cut with it.
        connection.invalidate(error)
        connection.engine.dispose()
    wrapped: Exception = DBAPIError.instance(
        sql,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=gone,
        dialect=dialect,
    )
    return wrapped
