"""Progress of long work, reported from where it is done.

An encoder that runs for an hour is deep inside a metric. It says `tell("tokens", done, total)`;
the caller receives it inside `reporting_to(report)`. Without one, it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Report = Callable[[str, int, int], None]
ASIDE = " · "  # what stands after it is shown, and does not begin something new

_LISTENER: ContextVar[Report | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(report: Report | None) -> Iterator[None]:
    """Pass progress inside the block to `report(what, done, total)`.

    >>> with reporting_to(lambda what, done, total: print(what, done, total)):
    ...     tell("images", 3, 10)
    images 3 10
    """
    before = _LISTENER.set(report)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def tell(what: str, done: int, total: int) -> None:
    """Say that `done` of `total` are done; `what` they are, in the plural."""
    report = _LISTENER.get()
    if report is not None:
        report(what, done, total)
