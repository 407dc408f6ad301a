"""What other packages bring through entry points; one that fails harms nobody but itself."""

from __future__ import annotations

import warnings
from typing import Any

from captious.errors import CaptiousWarning, one_line

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


def left_out(group: str) -> list[str]:
    """One line for each plug-in of the group that could not be loaded."""
    return list(_LEFT_OUT.get(group, ()))
