"""Columns, and lists of texts as people hold them: Series, arrays, generators."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from captious.errors import InputError, one_line

# pyarrow's columns, those of pandas and polars, and arrays and tensors.
_WAYS = ("to_pylist", "to_list", "tolist")


def is_table(given: object) -> bool:
    """Whether something has named columns: a pandas frame, a `datasets.Dataset`, a pyarrow table."""
    return hasattr(given, "columns") or hasattr(given, "column_names")


def listed(column: Any) -> Any:
    """The list of a Series, an array, a column or a generator; anything else as it is.

    A lazy frame is collected.

    >>> listed(word for word in ("a", "b")), listed("a")
    (['a', 'b'], 'a')
    """
    if hasattr(column, "collect") and hasattr(column, "collect_schema"):
        return column.collect()  # polars' lazy frame
    if is_table(column):
        return column
    for way in _WAYS:
        if hasattr(column, way):
            return getattr(column, way)()
    return list(column) if isinstance(column, Iterator) else column


def list_in_text(cell: object) -> object:
    """The list that a text holds, as JSON or as Python prints it; anything else as it is.

    >>> list_in_text('["A dog."]'), list_in_text("['A dog.', 'The dog.']"), list_in_text("[sic] A dog.")
    (['A dog.'], ['A dog.', 'The dog.'], '[sic] A dog.')
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    try:
        found = orjson.loads(cell)
    except orjson.JSONDecodeError:
        try:
            found = ast.literal_eval(cell.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return cell
    return found if isinstance(found, list) else cell


def is_list(given: object) -> bool:
    """Whether something is a list to us: it has a length and an order, and is no text, dict or table.

    >>> is_list(("a", "b")), is_list({"a": "b"}.values()), is_list("ab"), is_list({"a": "b"})
    (True, True, False, False)
    """
    others = isinstance(given, str | bytes | dict) or is_table(given) or hasattr(given, "keys")
    return isinstance(given, Collection) and not others


def is_missing(cell: object) -> bool:
    """Whether a cell holds nothing: None, NaN, or what pandas has for them.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if cell is None or isinstance(cell, float):
        return cell is None or cell != cell  # noqa: PLR0124 - NaN is not itself
    return type(cell).__name__ in ("NAType", "NaTType")  # pandas' own, which is not imported for it


def require_list(given: object, name: str) -> None:
    """Refuse what has no length or cannot be gone through: nothing, a number."""
    if not (hasattr(given, "__len__") and hasattr(given, "__iter__")):
        raise InputError(f"{name} must be a list; found {type(given).__name__}. Put the entries in a list.")


def require_texts(texts: Sequence[str], name: str) -> None:
    """Refuse a plain text in place of a list, and anything in the list that is no text.

    >>> require_texts(["a dog", None], "captions")
    Traceback (most recent call last):
    captious.errors.InputError: captions: entry 2 is missing (None); it must be text. Fill it or leave it out.
    """
    if isinstance(texts, str):
        raise InputError(
            f'{name} must be a list of texts; found the plain text "{one_line(texts, 40)}". Put it in a list.'
        )
    require_list(texts, name)
    for place, text in enumerate(texts, 1):
        if isinstance(text, str):
            continue
        if is_missing(text):
            raise InputError(
                f"{name}: entry {place} is missing ({text}); it must be text. Fill it or leave it out."
            )
        raise InputError(f"{name}: entry {place} is of type {type(text).__name__}; it must be text.")


IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Label = TypeVar("Label", bound=Hashable)


def factorise(labels: Iterable[Label]) -> tuple[list[Label], IntArray]:
    """Distinct labels in order of appearance, and where each entry points.

    >>> names, places = factorise(["m2", "vinvl", "m2"])
    >>> names, places.tolist()
    (['m2', 'vinvl'], [0, 1, 0])
    """
    known: defaultdict[Label, int] = defaultdict()
    known.default_factory = known.__len__  # an unseen label gets the next number
    places = np.fromiter(map(known.__getitem__, labels), dtype=np.int64)
    return list(known), places
