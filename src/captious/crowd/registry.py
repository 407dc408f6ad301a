"""Which providers there are: ours, and those that other packages bring.

A provider registers itself with `@register("name")` in a module of `captious.crowd.providers`, or in a
module that an entry point of the group `captious.crowd` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from captious.crowd.base import Provider
from captious.plugins import Registry
from captious.protocols import options as declared

PROVIDERS = Registry[Provider]("provider", "captious.crowd.providers", "captious.crowd")
register = PROVIDERS.register


def known_providers() -> dict[str, type[Provider]]:
    """Every provider by name.

    >>> "panel" in known_providers()
    True
    """
    return dict(sorted(PROVIDERS.all().items()))


def provider(name: str, options: Mapping[str, Any] | None = None) -> Provider:
    """A provider by its name, with its options, each of its own type.

    >>> provider("pannel")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown provider "pannel". Did you mean "panel"?
    """
    kind = PROVIDERS.find(name)
    return kind(**declared.checked_options(kind, name, options or {}))
