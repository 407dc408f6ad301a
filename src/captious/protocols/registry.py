"""Which protocols there are: ours, and those that other packages bring.

A protocol registers itself with `@register("name")`. Another package names, in the entry-point
group `captious.protocols`, a module that registers on import. One that cannot be imported is left
out, with a note that names it; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from captious.errors import InputError
from captious.files import text_of
from captious.plugins import Registry
from captious.protocols import options as declared
from captious.protocols.base import HumanProtocol
from captious.protocols.capabilities import Capability, FromFile

ProtocolClass = TypeVar("ProtocolClass", bound=type[HumanProtocol])

PROTOCOLS = Registry[HumanProtocol]("protocol", "captious.protocols", "captious.protocols")


def register(name: str) -> Callable[[ProtocolClass], ProtocolClass]:
    """Class decorator that makes a protocol known under `name`."""

    def remember(kind: ProtocolClass) -> ProtocolClass:
        Capability.refuse_without(kind)
        return PROTOCOLS.register(name)(kind)

    return remember


def known_protocols() -> dict[str, type[HumanProtocol]]:
    """Every protocol by name: those with options first, then those that a file describes.

    >>> list(known_protocols())[0]
    'thumb'
    """
    known = PROTOCOLS.all().items()
    return dict(sorted(known, key=lambda pair: (issubclass(pair[1], FromFile), _place(pair[0]))))


def _place(name: str) -> tuple[int, str]:
    """Ours as the documents list them, then the others by name."""
    ours = ("thumb", "humanr", "tagging", "audit", "spans", "spoken")
    return (ours.index(name) if name in ours else len(ours), name)


def kind_of(name: str) -> type[HumanProtocol]:
    """The class of a protocol by its name."""
    return PROTOCOLS.find(name)


def described_by(name: str) -> type[HumanProtocol] | None:
    """The protocol that a file of that name describes, by its ending; None where none does.

    >>> described_by("mine.yaml").name, described_by("thumb")
    ('generic', None)
    """
    ending = Path(name).suffix.lower()
    return next((kind for kind in known_protocols().values() if ending in FromFile.kind(kind).suffixes), None)


def protocol(name: str, **options: Any) -> HumanProtocol:
    """Return a protocol by its name, or the one that a file describes.

    >>> protocol("humanr", target=2).group_size
    10
    >>> protocol("thum")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown protocol "thum". Did you mean "thumb"?
    """
    kind = described_by(name)
    if kind is None:
        return kind_of(name)(**checked_options(name, options))
    return rules_of(kind.name, options, text_of(Path(name)), source=name)


def rules_of(
    name: str, options: Mapping[str, Any], file: str | None = None, *, source: str = "protocol"
) -> HumanProtocol:
    """A protocol by its name and options, or by the text of the file that describes it.

    >>> rules_of("tagging", {"raters": 2}).name
    'tagging'
    """
    kind = kind_of(name)
    if not FromFile.kind(kind).suffixes:
        return kind(**checked_options(name, options))
    if options:
        raise InputError(f"{source}: options of a {name} protocol are set in its file.")
    if not file:
        raise InputError(
            f"{name}: the protocol's file ({FromFile.kind(kind).suffixes[0]}) is missing. Give it."
        )
    found: HumanProtocol = FromFile.kind(kind).from_text(file, source)
    return found


def checked_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a named protocol, each of its own type.

    >>> checked_options("tagging", {"two_rounds": "no", "raters": "3"})
    {'two_rounds': False, 'raters': 3}
    >>> checked_options("tagging", {"interval": "weeks"})
    Traceback (most recent call last):
    captious.errors.InputError: option interval of tagging: "weeks" is not a number.
    """
    return declared.checked_options(kind_of(name), name, options)
