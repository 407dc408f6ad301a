"""Captions that are in memory already: data frames, data sets, dicts, lists of rows."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import orjson

from captious.corpus.columns import is_list, is_table, listed
from captious.corpus.readers.json_files import read_json_array, read_json_object
from captious.corpus.readers.names import ROLES, is_of_use, roles_of
from captious.corpus.readers.open import Source
from captious.corpus.readers.rows import Column, Rows
from captious.corpus.readers.tables import rows_of_columns
from captious.errors import InputError, UnknownNameError

JUDGMENTS = "judgments"  # how messages call them
_JSON = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY


class Columns:
    """Lists by the names of their columns, as a table."""

    def __init__(self, cells: Mapping[str, Any]) -> None:
        self.cells = cells

    @property
    def column_names(self) -> list[str]:
        """The names, in order."""
        return list(self.cells)

    def __getitem__(self, name: str) -> Any:
        return self.cells[name]


def in_columns(given: object) -> bool:
    """Whether a dict holds a list for each column, as `frame.to_dict("list")` gives.

    >>> in_columns({"image_id": [7], "caption": ["A dog."]}), in_columns({"7": ["A dog."]})
    (True, False)
    """
    if not isinstance(given, Mapping) or is_table(given):
        return False
    roles = roles_of(map(str, given))
    named = [listed(given[key]) for key in roles.values() if key in given]
    telling = {"caption", "rating"} & roles.keys() or {"image", "references"} <= roles.keys()
    return bool(telling) and all(map(is_list, named)) and len(set(map(len, named))) == 1


def are_rows(given: object) -> bool:
    """Whether something is a list of dicts, one a caption."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(row, Mapping) for row in given)


def read_memory(given: Any, name: str, *, names: Mapping[str, str] | None = None) -> Rows:
    """Rows of what is in memory; `name` is the file's name in messages and names the system.

    `names` says which column plays a role where its name does not tell: `{"caption": "my_text"}`.

    >>> read_memory({"7": "A dog."}, "mine").columns
    {'image': ['7'], 'caption': ['A dog.']}
    >>> read_memory([{"id": 7, "alt": "A dog."}], "mine").columns
    {'image': [7], 'caption': ['A dog.']}
    """
    given = listed(given)
    if in_columns(given):
        given = Columns({str(key): listed(column) for key, column in given.items()})
    if is_table(given):
        given = _settled(given, name)
        return rows_of_columns(_columns(given, name, names or {}), name, name, "table", column_names(given))
    if not isinstance(given, Mapping) and not are_rows(given):
        kind = type(given).__name__
        captions = "" if name == JUDGMENTS else ", a dict from image id to caption"
        raise InputError(f"{name}: found {kind}. Give a file, a data frame{captions}, or rows as dicts.")
    try:
        data = orjson.dumps(
            [_plain(row) for row in given] if are_rows(given) else _plain(given), option=_JSON
        )
    except TypeError as error:
        raise InputError(f"{name}: {error}. Captions must be text.") from None
    read = read_json_array if are_rows(given) else read_json_object
    return read(Source(name, name, data))


def is_path(given: object) -> bool:
    """Whether something names a file."""
    return isinstance(given, str | PathLike)


def _settled(given: Any, name: str) -> Any:
    """A table of which an index with a name is a column; several tables are refused."""
    if isinstance(getattr(given, "column_names", None), Mapping):
        splits = list(map(str, given))
        raise InputError(f'{name}: contains splits ({", ".join(splits)}). Give one: dataset["{splits[0]}"].')
    index = getattr(given, "index", None)
    own = [one for one in getattr(index, "names", ()) if one is not None]
    if own and hasattr(given, "reset_index") and not set(own) & set(given.columns):
        return given.reset_index()
    return given


def _plain(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: _listed(value) for key, value in mapping.items()}


def _listed(value: Any) -> Any:
    value = listed(value)
    return list(value) if isinstance(value, tuple | set | frozenset) else value


def column_names(given: Any) -> list[str]:
    """The names of a table's columns."""
    own = getattr(given, "column_names", None)
    return [str(name) for name in (given.columns if own is None else own)]


def _columns(given: Any, name: str, names: Mapping[str, str]) -> dict[str, Column]:
    found = column_names(given)
    _require_roles(names, name)
    renamed = {own: role for role, own in names.items()}
    for own in renamed:
        if own not in found:
            raise InputError(f'{name}: there is no column "{own}". Found: {", ".join(found)}.')
    wanted = {one: renamed.get(one, one) for one in found if one in renamed or is_of_use(one)}
    for own in wanted:
        if found.count(own) > 1:
            raise InputError(
                f'{name}: {found.count(own)} columns are called "{own}". Drop or rename all but one.'
            )
    roles = set(names)
    return {
        role: [_listed(cell) for cell in _cells(given, own)]
        for own, role in wanted.items()
        if own in renamed or role not in roles
    }


def _require_roles(names: object, name: str) -> None:
    if not isinstance(names, Mapping):
        kind = type(names).__name__
        raise InputError(f'{name}: columns is of type {kind}. Give a dict, as {{"caption": "my_text"}}.')
    for role in names:
        if not is_of_use(str(role)):
            raise UnknownNameError("role in columns", str(role), ROLES)


def _cells(given: Any, column: str) -> list[Any]:
    return list(listed(given[column]))
