"""The human protocols by name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.audit import ErrorAudit
from captious.protocols.base import HumanProtocol
from captious.protocols.generic_file import read_protocol
from captious.protocols.humanr import Humanr
from captious.protocols.tagging import Tagging
from captious.protocols.thumb import Thumb

PROTOCOLS: dict[str, type[HumanProtocol]] = {kind.name: kind for kind in (Thumb, Humanr, Tagging, ErrorAudit)}
TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def protocol(name: str, **options: Any) -> HumanProtocol:
    """Return a protocol by its name, or the generic one that a YAML file describes.

    >>> protocol("humanr", target=2).group_size
    10
    >>> protocol("thum")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown protocol "thum". Did you mean "thumb"?
    """
    if Path(name).suffix.lower() in (".yaml", ".yml"):
        if options:
            raise InputError(f"{name}: options of a generic protocol stand in its file.")
        return read_protocol(name)
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return PROTOCOLS[name](**checked_options(name, options))


def checked_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a named protocol, each of its own type.

    >>> checked_options("tagging", {"two_rounds": "no", "raters": "3"})
    {'two_rounds': False, 'raters': 3}
    >>> checked_options("tagging", {"interval": "weeks"})
    Traceback (most recent call last):
    captious.errors.InputError: option interval of tagging: "weeks" is no number. Give a number.
    """
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    # The protocols' annotations are plain names, kept as text: "bool", "int", "float".
    own = dataclasses.fields(PROTOCOLS[name])  # type: ignore[arg-type]  # each is a dataclass
    types = {field.name: str(field.type) for field in own}
    for option in options:
        if option not in types:
            raise UnknownNameError(f"option of {name}", option, list(types))
    return {
        option: _typed(f"option {option} of {name}", types[option], value)
        for option, value in options.items()
    }


def _typed(where: str, kind: str, value: object) -> bool | int | float:
    shown = one_line(str(value), 40)
    if kind == "bool":
        found = value if isinstance(value, bool) else TRUTH.get(str(value).lower())
        if found is None:
            raise InputError(f'{where}: "{shown}" is neither true nor false. Give one of them.')
        return found
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = _number(value)
    if kind == "int":
        if not number.is_integer():
            raise InputError(f'{where}: "{shown}" is no whole number. Give a whole number.')
        return int(number)
    if not math.isfinite(number):
        raise InputError(f'{where}: "{shown}" is no number. Give a number.')
    return number


def _number(value: object) -> float:
    """The number that was typed; NaN where it is none."""
    if isinstance(value, bool) or not isinstance(value, str | float):
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan
