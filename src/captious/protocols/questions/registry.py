"""Which question kinds there are: ours, and those that other packages bring.

Another package names, in the entry-point group `captious.questions`, a module that registers on
import; its kind may use any of our templates (`block`).
"""

from __future__ import annotations

from functools import cache

from captious.errors import UnknownNameError
from captious.plugins import Registry
from captious.protocols.questions.base import QuestionKind

KINDS = Registry[QuestionKind]("question kind", "captious.protocols.questions", "captious.questions")
register = KINDS.register

# In the order in which they are offered; others follow by name.
_FIRST = ("scale", "choice", "multi", "number", "text", "yes_no", "pair", "rank")


@cache
def question_kinds() -> dict[str, QuestionKind]:
    """Every question kind by name."""
    known = KINDS.all()
    names = sorted(known, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return {name: known[name]() for name in names}


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
