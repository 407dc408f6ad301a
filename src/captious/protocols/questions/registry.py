"""Which question kinds there are: ours, and those that other packages bring.

Another package names, in the entry-point group `captious.questions`, a module that registers on
import; its kind may use any of our templates (`block`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from captious.errors import UnknownNameError
from captious.plugins import enter, load_plugins
from captious.protocols.questions.base import QuestionKind

GROUP = "captious.questions"
KindClass = TypeVar("KindClass", bound=type[QuestionKind])

_KNOWN: dict[str, type[QuestionKind]] = {}
# In the order in which they are offered; others follow by name.
_FIRST = ("scale", "choice", "multi", "number", "text", "yes_no", "pair", "rank")


def register(name: str) -> Callable[[KindClass], KindClass]:
    """Class decorator that makes a question kind known under `name`."""

    def remember(kind: KindClass) -> KindClass:
        enter(_KNOWN, "question kind", name, kind)
        kind.name = name
        return kind

    return remember


@cache
def question_kinds() -> dict[str, QuestionKind]:
    """Every question kind by name."""
    import captious.protocols.questions as package

    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    load_plugins(GROUP, _KNOWN)
    names = sorted(_KNOWN, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return {name: _KNOWN[name]() for name in names}


def question_kind(name: str) -> QuestionKind:
    """A question kind by its name.

    >>> question_kind("rank").title
    'Ranking of the captions'
    >>> question_kind("scales")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown question kind "scales". Did you mean "scale"?
    """
    known = question_kinds()
    if name not in known:
        raise UnknownNameError("question kind", name, known)
    return known[name]


def offered_kinds() -> dict[str, QuestionKind]:
    """The kinds that a file and the builder may ask for."""
    return {name: kind for name, kind in question_kinds().items() if kind.offered}
