"""Which providers there are: ours, and those that other packages bring.

A provider registers itself with `@register("name")` in a module of `captious.crowd.providers`, or in a
module that an entry point of the group `captious.crowd` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from captious.crowd.base import Provider
from captious.errors import UnknownNameError
from captious.plugins import enter, left_out, load_plugins
from captious.protocols import options as declared

ProviderClass = TypeVar("ProviderClass", bound=type[Provider])
GROUP = "captious.crowd"

_KNOWN: dict[str, type[Provider]] = {}


def register(name: str) -> Callable[[ProviderClass], ProviderClass]:
    """Class decorator that makes a provider known under `name`."""

    def remember(kind: ProviderClass) -> ProviderClass:
        enter(_KNOWN, "provider", name, kind)
        kind.name = name
        return kind

    return remember


@cache
def _load_all() -> None:
    import captious.crowd.providers as package

    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    load_plugins(GROUP, _KNOWN)


def known_providers() -> dict[str, type[Provider]]:
    """Every provider by name.

    >>> "panel" in known_providers()
    True
    """
    _load_all()
    return dict(sorted(_KNOWN.items()))


def notes() -> list[str]:
    """One line for each package whose provider could not be loaded."""
    _load_all()
    return left_out(GROUP)


def provider(name: str, options: Mapping[str, Any] | None = None) -> Provider:
    """A provider by its name, with its options, each of its own type.

    >>> provider("pannel")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown provider "pannel". Did you mean "panel"?
    """
    known = known_providers()
    if name not in known:
        raise UnknownNameError("provider", name, known)
    kind = known[name]
    return kind(**declared.checked_options(kind, name, options or {}))
