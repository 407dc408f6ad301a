"""Numbers, times and spans as people read them; templates call these as `f.number(...)`."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query

NOTHING = "–"
MINUTE, HOUR, DAY = 60, 3600, 86400


def number(value: object, digits: int = 2) -> str:
    """A table's cell: texts as they are, whole numbers with commas, others rounded.

    >>> number(12345), number(0.1234), number(float("nan")), number("m2"), number(None)
    ('12,345', '0.12', '–', 'm2', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value + 0.0:,.{digits}f}" if math.isfinite(value) else NOTHING
    return str(value)


def percent(share: float | None, digits: int = 0) -> str:
    """A share in per cent.

    >>> percent(0.256), percent(None)
    ('26%', '–')
    """
    return NOTHING if share is None or math.isnan(share) else f"{100 * share:.{digits}f}%"


def when(time: float | None) -> str:
    """A moment, to the minute, in UTC.

    >>> when(0.0), when(None)
    ('1970-01-01 00:00 UTC', '–')
    """
    return NOTHING if time is None else f"{_moment(time):%Y-%m-%d %H:%M} UTC"


def iso(time: float) -> str:
    """A moment for the `datetime` of a `<time>`.

    >>> iso(0.0)
    '1970-01-01T00:00:00Z'
    """
    return f"{_moment(time):%Y-%m-%dT%H:%M:%SZ}"


def _moment(time: float) -> datetime:
    return datetime.fromtimestamp(min(max(time, 0.0), 253402300799.0), tz=UTC)


def span(seconds: float | None) -> str:
    """A span in its two largest units.

    >>> span(4.2), span(75), span(3 * 3600 + 60), span(50 * 3600), span(None)
    ('4 s', '1 min 15 s', '3 h 1 min', '2 d 2 h', '–')
    """
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return _two(whole, MINUTE, "min", 1, "s")
    if whole < DAY:
        return _two(whole, HOUR, "h", MINUTE, "min")
    return _two(whole, DAY, "d", HOUR, "h")


def _two(whole: int, large: int, large_name: str, small: int, small_name: str) -> str:
    rest = whole % large // small
    return f"{whole // large} {large_name}" + (f" {rest} {small_name}" if rest else "")


def hours(number: float | None) -> str:
    """A span given in hours.

    >>> hours(2.5), hours(None)
    ('2 h 30 min', '–')
    """
    return span(None if number is None else number * 3600)


def along(value: float, low: float, high: float, width: float = 100.0) -> float:
    """Where a value stands on a drawn scale, kept inside it.

    >>> along(0.0, -1.0, 1.0), along(7.0, -1.0, 1.0)
    (50.0, 100.0)
    """
    share = (value - low) / (high - low) if high > low else 0.0
    return round(width * min(max(share, 0.0), 1.0), 2)


Offset = Annotated[int, Query(ge=0, le=10_000_000)]


def links_around(here: str, offset: int, rows: int, *, more: bool) -> dict[str, Any]:
    """The addresses of the next and the previous part, "" where there is none.

    >>> links_around("/raters", 50, 100, more=True)
    {'next_page': '/raters?offset=150', 'previous_page': '/raters?offset=0'}
    """
    return {
        "next_page": f"{here}?offset={offset + rows}" if more else "",
        "previous_page": f"{here}?offset={max(0, offset - rows)}" if offset else "",
    }
