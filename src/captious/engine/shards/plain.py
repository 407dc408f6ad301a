"""What metrics note, as JSON and back: numbers, texts, lists, and the records of metrics.

Never a pickle: loading one can run whatever code its author put there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from captious.errors import InputError

_CLASS, _TUPLE = "class", "tuple"


def to_plain(value: Any) -> Any:
    """A value as JSON holds it.

    >>> from captious.metrics.image_notes import Noted
    >>> from_plain(to_plain((1, [Noted(images=2)])))
    (1, [Noted(images=2, broken={}, texts=0, tokens=0)])
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [to_plain(own) for own in value]
    names = getattr(value, "_fields", None) or (
        [own.name for own in fields(value)] if is_dataclass(value) else None
    )
    if names is not None:
        kind = f"{type(value).__module__}:{type(value).__name__}"
        return {_CLASS: kind, "fields": {name: to_plain(getattr(value, name)) for name in names}}
    if isinstance(value, tuple):
        return {_TUPLE: [to_plain(own) for own in value]}
    if isinstance(value, Mapping):
        return {"dict": [[key, to_plain(own)] for key, own in value.items()]}
    raise InputError(
        f"a metric collected {type(value).__name__}, which cannot be saved with the scores. "
        "Let it collect numbers, texts, lists, dicts and dataclasses."
    )


def from_plain(value: Any) -> Any:
    """The value that `to_plain` turned into JSON; only records of metrics' modules are made again."""
    if isinstance(value, list):
        return [from_plain(own) for own in value]
    if not isinstance(value, dict):
        return value
    if _TUPLE in value:
        return tuple(map(from_plain, value[_TUPLE]))
    if "dict" in value:
        return {key: from_plain(own) for key, own in value["dict"]}
    module, _, name = value[_CLASS].partition(":")
    kind = getattr(import_module(module), name) if module.startswith("captious.metrics.") else None
    if not (isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))):
        raise InputError(f'the scores contain an unknown record type ("{value[_CLASS]}").')
    return kind(**{key: from_plain(own) for key, own in value["fields"].items()})
