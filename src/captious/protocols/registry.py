"""The human protocols by name."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from captious.errors import InputError, UnknownNameError
from captious.protocols.audit import ErrorAudit
from captious.protocols.base import HumanProtocol
from captious.protocols.generic_file import read_protocol
from captious.protocols.humanr import Humanr
from captious.protocols.tagging import Tagging
from captious.protocols.thumb import Thumb

PROTOCOLS: dict[str, type[HumanProtocol]] = {
    kind.name: kind for kind in (Thumb, Humanr, Tagging, ErrorAudit)
}


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
    kind = PROTOCOLS[name]
    known = list(inspect.signature(kind).parameters)
    for option in options:
        if option not in known:
            raise UnknownNameError(f"option of {name}", option, known)
    return kind(**options)
