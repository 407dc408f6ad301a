"""Classes by name: ours, and what other packages bring through entry points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

from captious.errors import CaptiousWarning, InputError, UnknownNameError, one_line

Kind = TypeVar("Kind")
Decorated = TypeVar("Decorated", bound=type[Any])


class Registry(Generic[Kind]):
    """The classes of a kind: those that the modules of a package register, then those of other packages.

    Another package names, in an entry point of the group, a module that registers on import. One that
    fails is left out whole, with a warning that names its package and the reason; the others go on.

    >>> registry = Registry[object]("model", "captious.data")
    >>> @registry.register("mine")
    ... class Mine:
    ...     pass
    >>> registry.find("mein")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown model "mein". Did you mean "mine"?
    """

    def __init__(self, what: str, package: str, group: str = "") -> None:
        self.what, self.package, self.group = what, package, group
        self.known: dict[str, type[Kind]] = {}
        self.left_out: list[str] = []  # one line for each package that could not be loaded
        self.loaded = False

    def register(self, name: str) -> Callable[[Decorated], Decorated]:
        """Class decorator that makes a class known under `name`, unless another module has the name.

        >>> unfinished = type("Unfinished", (), {"__abstractmethods__": frozenset({"items"})})
        >>> Registry[object]("protocol", "captious.data").register("mine")(unfinished)
        Traceback (most recent call last):
        captious.errors.InputError: protocol "mine" lacks items. Define it.
        """

        def remember(kind: Decorated) -> Decorated:
            missing = sorted(getattr(kind, "__abstractmethods__", ()))
            if missing:
                raise InputError(f'{self.what} "{name}" lacks {", ".join(missing)}. Define it.')
            before = self.known.get(name)
            if before is not None and before.__module__ != kind.__module__:
                raise InputError(
                    f'{self.what} "{name}" is registered twice: by {before.__module__} and by '
                    f"{kind.__module__}. Rename one."
                )
            kind.name = name
            self.known[name] = kind
            return kind

        return remember

    def all(self) -> dict[str, type[Kind]]:
        """Every class by name."""
        self.load()
        return self.known

    def find(self, name: str) -> type[Kind]:
        """The class of a name."""
        known = self.all()
        if name not in known:
            raise UnknownNameError(self.what, name, known)
        return known[name]

    def load(self) -> None:
        """Import our modules, then those of other packages, so that nobody takes our names; once."""
        if not self.loaded:
            for module in iter_modules(import_module(self.package).__path__):
                import_module(f"{self.package}.{module.name}")
            self.loaded = True
            self._load_others()

    def _load_others(self) -> None:
        from importlib.metadata import entry_points

        for entry in entry_points(group=self.group) if self.group else ():
            before = dict(self.known)
            try:
                entry.load()
            # The code of another package may fail in any way, and must not take ours down.
            except Exception as error:  # noqa: BLE001
                self.known.clear()
                self.known.update(before)
                package = entry.dist.name if entry.dist is not None else entry.module
                reason = one_line(f"{type(error).__name__}: {error}", 200)
                note = f'{self.group}: "{entry.name}" of {package} is left out: {reason}'
                self.left_out.append(note)
                warnings.warn(note, CaptiousWarning, stacklevel=2)
