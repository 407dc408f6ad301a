"""Lists that are shown a part at a time."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

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
