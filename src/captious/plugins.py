"""What other packages bring through entry points; one that fails harms nobody but itself."""

from __future__ import annotations

import warnings
from typing import Any

from captious.errors import CaptiousWarning, InputError, one_line

_LEFT_OUT: dict[str, list[str]] = {}


def load_plugins(group: str, known: dict[str, Any]) -> None:
    """Import every module that an entry point of the group names; each registers into `known`.

    One that fails is left out whole, with a warning that names its package and the reason.
    """
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        before = dict(known)
        try:
            entry.load()
        # The code of another package may fail in any way, and must not take ours down.
        except Exception as error:  # noqa: BLE001
            known.clear()
            known.update(before)
            package = entry.dist.name if entry.dist is not None else entry.module
            reason = one_line(f"{type(error).__name__}: {error}", 200)
            note = f'{group}: "{entry.name}" of {package} is left out: {reason}'
            _LEFT_OUT.setdefault(group, []).append(note)
            warnings.warn(note, CaptiousWarning, stacklevel=2)


def enter(known: dict[str, Any], what: str, name: str, kind: Any) -> None:
    """Make a class known under its name; refused where it is unfinished or the name is another module's.

    >>> enter({}, "protocol", "mine", type("Mine", (), {"__abstractmethods__": frozenset({"items"})}))
    Traceback (most recent call last):
    captious.errors.InputError: protocol "mine" lacks items. Define it.
    """
    missing = sorted(kind.__abstractmethods__)
    if missing:
        raise InputError(f'{what} "{name}" lacks {", ".join(missing)}. Define it.')
    before = known.get(name)
    if before is not None and before.__module__ != kind.__module__:
        raise InputError(
            f'{what} "{name}" is registered twice: by {before.__module__} and by '
            f"{kind.__module__}. Rename one."
        )
    known[name] = kind


def left_out(group: str) -> list[str]:
    """One line for each plug-in of the group that could not be loaded."""
    return list(_LEFT_OUT.get(group, ()))
