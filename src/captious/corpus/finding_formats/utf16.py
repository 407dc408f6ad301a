"""Offsets in UTF-16 units, as JavaScript and Java count, in code points."""

from __future__ import annotations


def code_point(text: str, units: int) -> int | None:
    """The code point that starts after so many UTF-16 units; None where none does.

    >>> code_point("👍 dog", 3), code_point("👍 dog", 1)
    (2, None)
    """
    data = text.encode("utf-16-le", "surrogatepass")[: 2 * units]
    if units < 0 or len(data) < 2 * units:
        return None
    try:
        return len(data.decode("utf-16-le"))
    except UnicodeDecodeError:
        return None
