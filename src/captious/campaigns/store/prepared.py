"""Statements that are composed once, compiled once for each engine, and run on the driver itself.

A rater's page asks a dozen small questions; composing, caching and wrapping them costs SQLAlchemy
several times what the database needs to answer. The statement is still SQLAlchemy's, so that there
is one text for both engines; JSON columns come and go as text, and truth on SQLite as 0 and 1.

On PostgreSQL works that go in step (`in_step`) share a statement: their values are rows of a table
`given`, numbered by `n`, which the answer begins with. What PostgreSQL is asked in one such statement,
SQLite, where a statement costs little, may be asked in several.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.base import Executable

from captious.campaigns.store.in_step import Values, asked_in_step

_CHANGES = "captious_changes"


class _Compiled(NamedTuple):
    sql: str
    # SQLite takes values by place, PostgreSQL by name.
    order: tuple[str, ...] | None
    constants: dict[str, Any]
    row: Callable[[Sequence[Any]], Any] | None
    # Whether PostgreSQL may change something with it, which its driver does not count.
    changes: bool
    # The statement for many works at once.
    many: str = ""
    # Statements that are run one after another instead.
    steps: Sequence[_Compiled] = ()

    def values(self, given: Values) -> Any:
        """The values as the driver takes them."""
        if self.order is None:
            return {**self.constants, **given} if self.constants else given
        constants = self.constants
        return [given[name] if name in given else constants[name] for name in self.order]


class Prepared:
    """A statement; given as one for each engine where the two spell it differently.

    Works that go in step on PostgreSQL ask it together where there is a way to: with `shared` for a
    question, whose text is made, or where the statement is the text for many, in the driver's spelling.
    Several statements are run in their order with the same values, until one that returns rows has none;
    the rows are those of the last that returns any. `holds` and `last` are as `in_step` says.
    """

    def __init__(
        self,
        statement: Executable | Mapping[str, Executable | Sequence[Executable] | str],
        *,
        shared: bool = False,
        holds: str = "",
        last: bool = False,
    ) -> None:
        self.statement, self.shared, self.holds, self.last = statement, shared, holds, last
        for_many = isinstance(statement, Mapping) and isinstance(statement["postgresql"], str)
        self._in_step = bool(shared or holds or last or for_many)
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

    def answers(self, connection: Connection, given: Sequence[Values]) -> Sequence[Any]:
        """The answers to several works on PostgreSQL, as cursors have them."""
        dialect = connection.dialect
        made = self._compiled.get(dialect.name) or self._compile(dialect)
        if made.sql and (len(given) == 1 or not made.many):
            return [self._execute(connection, made, made.sql, made.values(one)) for one in given]
        rows = [{**one, "n": at} for at, one in enumerate(given)]
        values = {**made.constants, "given": orjson.dumps(rows).decode()}
        found: list[_Rows] = [_Rows() for _ in given]
        for at, *row in self._execute(connection, made, made.many, values).fetchall():
            found[at].append(row)
        return found

    def _run(self, connection: Connection, given: Values) -> tuple[_Compiled, Any]:
        dialect = connection.dialect
        made = self._compiled.get(dialect.name) or self._compile(dialect)
        if self._in_step and dialect.name != "sqlite":
            answer = asked_in_step(self, given)
            if answer is not None:
                return made, answer
            if not made.sql:
                return made, self.answers(connection, [given])[0]
        if made.steps:
            return made, self._run_steps(connection, made.steps, given)
        return made, self._execute(connection, made, made.sql, made.values(given))

    def _run_steps(self, connection: Connection, steps: Sequence[_Compiled], given: Values) -> _Rows:
        rows = _Rows()
        for step in steps:
            cursor = self._execute(connection, step, step.sql, step.values(given))
            if step.row is not None:
                rows = _Rows(cursor.fetchall())
                if not rows:
                    break
        return rows

    def _execute(self, connection: Connection, made: _Compiled, sql: str, values: Any) -> Any:
        if made.changes:
            note_change(connection)
        try:
            return driver_of(connection).execute(sql, values)
        except connection.dialect.loaded_dbapi.Error as error:
            raise _wrapped(connection, sql, error) from error

    def _compile(self, dialect: Dialect) -> _Compiled:
        statement: Any = self.statement
        if isinstance(statement, Mapping):
            statement = statement[dialect.name]
        if isinstance(statement, str):
            made = _Compiled("", None, {}, None, not _is_read(statement), statement)
        elif isinstance(statement, tuple):
            made = _Compiled(
                "", None, {}, None, True, steps=[self._compiled_one(one, dialect) for one in statement]
            )
        else:
            made = self._compiled_one(statement, dialect)
        self._compiled[dialect.name] = made
        return made

    def _compiled_one(self, statement: Any, dialect: Dialect) -> _Compiled:
        compiled = statement.compile(dialect=dialect)
        names = statement.exported_columns.keys() if hasattr(statement, "exported_columns") else ()
        order = None if compiled.positiontup is None else tuple(compiled.positiontup)
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        kind: Any = namedtuple("Row", names, rename=True) if names else None
        row = None if kind is None else kind._make
        sql = str(compiled)
        changes = dialect.name != "sqlite" and not _is_read(sql)
        shared = self.shared and dialect.name != "sqlite"
        many = _asked_by_many(sql, compiled, dialect, constants) if shared else ""
        return _Compiled(sql, order, constants, row, changes, many)


class _Rows(list[Any]):
    """The answer to one of several works, as a cursor has it."""

    def fetchall(self) -> list[Any]:
        """Every row."""
        return self

    def fetchone(self) -> Any:
        """The first row, or None."""
        return self[0] if self else None

    @property
    def rowcount(self) -> int:
        """How many rows there are."""
        return len(self)


def given_rows(columns: Mapping[str, str]) -> str:
    """The table `given` of a statement for many works, made of the parameter `given`."""
    kinds = ", ".join(f'"{name}" {kind}' for name, kind in {"n": "integer", **columns}.items())
    return f"json_to_recordset(CAST(%(given)s AS json)) AS given({kinds})"


def _asked_by_many(sql: str, compiled: Any, dialect: Dialect, constants: Mapping[str, Any]) -> str:
    """A question asked for each row of `given`."""
    kinds = {
        name: bind.type.compile(dialect=dialect)
        for bind, name in compiled.bind_names.items()
        if name not in constants
    }
    each = re.sub(
        r"%\((\w+)\)s(::[A-Z]+)?", lambda found: f'given."{found[1]}"' if found[1] in kinds else found[0], sql
    )
    return f"SELECT given.n, answer.* FROM {given_rows(kinds)}, LATERAL ({each}) AS answer"


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
