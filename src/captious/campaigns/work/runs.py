"""The search of a rater with many answers: where nothing is left for them is walked once and jumped later.

A rater's search goes through the open items of a label and room in the campaign's random order and
passes over what the rater has seen. Who has answered 100,000 items would pass over most of them at
every step. So a run of places where all is blocked for the rater is kept, with the number of the
newest change to an item at that time. A later search jumps over the run and looks, through the
index of changes, only at items that have come into it since. The runs are a memory of searches: the
result is that of the plain search, item by item. Mostly the first few items of a level are free, or
there are only a few: a sample of them comes first, and where it tells, nothing is walked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, nextafter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from captious.campaigns.store.database import writes
from captious.campaigns.store.rows import AnyRow
from captious.campaigns.work import pool_queries as queries

# From so many answers on a rater's searches are remembered.
MANY_ANSWERS = 300
# Items that are looked at with one question; so many changes in a run are gone through once more.
STRETCH = 64
# Fewer blocked items in a row are not worth a row of the table.
SHORTEST = 16
FIRST_PLACE, LAST_PLACE = 0.0, 1.0


class Run(NamedTuple):
    """Places from `low` up to and without `high` where all was blocked before any later change."""

    low: float
    high: float
    moved: int


def open_rows(
    connection: Connection, search: queries.Search, given: Mapping[str, Any], count: int
) -> list[AnyRow]:
    """Open items of one label: those that lack one response, then those that lack two, …"""
    rows: list[AnyRow] = []
    rooms: list[int] = []
    room: int | None = 0
    while room is not None and len(rows) < count:
        found, room = next_level(connection, search, {**given, "room": room}, count - len(rows))
        rows += found
        if room is not None:
            rooms.append(room)
    if rows or connection.dialect.name == "sqlite":
        return rows
    # An item that lost a slot meanwhile went from a level above to one that had been looked at.
    for room in reversed(rooms):
        rows = level_rows(connection, search, {**given, "room": room}, count) + rows
    return rows[:count]


def next_level(
    connection: Connection, search: queries.Search, given: Mapping[str, Any], count: int
) -> tuple[list[AnyRow], int | None]:
    """Free items of the lowest room above a given one, those ahead and then those behind; and that room."""
    found = search.sample.all(connection, {**given, "count": count})
    ahead = sum(row.item_place >= given["cursor"] for row in found)
    if ahead >= count:
        return found[:count], found[0].item_room
    extent = search.extent.first(connection, given)
    if extent.room is None:
        return [], None
    seen_ahead = extent.ahead <= queries.SAMPLE
    seen_all = seen_ahead and (extent.behind <= queries.SAMPLE or len(found) >= count)
    if seen_all and all(row.item_room == extent.room for row in found):
        return found[:count], extent.room
    return level_rows(connection, search, {**given, "room": extent.room}, count), extent.room


def level_rows(
    connection: Connection, search: queries.Search, given: Mapping[str, Any], count: int
) -> list[AnyRow]:
    """Items of one label and room in random order from the cursor on, then from the start up to it."""
    walk = _Walk(connection, search, given)
    rows = walk.between(given["cursor"], LAST_PLACE, count)
    return rows + walk.between(FIRST_PLACE, given["cursor"], count - len(rows))


class _Walk:
    """One search through one level; what it learns is kept where it may write."""

    def __init__(self, connection: Connection, search: queries.Search, given: Mapping[str, Any]) -> None:
        self.connection, self.search = connection, search
        self.newest, epoch = queries.NEWEST.first(connection, {})
        self.given = {**given, "epoch": epoch}
        self.keeps = writes(connection)

    def between(self, low: float, high: float, count: int) -> list[AnyRow]:
        """The first free items from a place up to another, in order."""
        found: list[AnyRow] = []
        before: Run | None = None
        size = min(STRETCH, 3 * count)  # mostly the first few are free
        while low < high and len(found) < count:
            run = self._next_run(low)
            if run is not None and run.low <= low:
                changed = self._changed(run)
                found += [row for row in changed if low <= row.item_place < high and self._is_free(row)]
                before = self._renewed(run, changed, before)
                low = run.high
            else:
                end = high if run is None else min(high, run.low)
                rows, seen = self._stretch(low, end, size)
                found += [row for row in rows if self._is_free(row)]
                after = run if run is not None and run.low == seen else None
                before = self._learn((low, seen), rows, before, after)
                low, size = seen, STRETCH
        return found[:count]

    def _is_free(self, row: AnyRow) -> bool:
        return not row.blocked and row.item_not_before <= self.given["now"]

    def _next_run(self, low: float) -> Run | None:
        row = queries.NEXT_RUN.first(self.connection, self.given | {"low": low})
        return None if row is None else Run(*row)

    def _changed(self, run: Run) -> list[AnyRow]:
        rows = self.search.changed.all(self.connection, self.given | run._asdict())
        return sorted(rows, key=lambda row: row.item_place)

    def _stretch(self, low: float, high: float, size: int) -> tuple[list[AnyRow], float]:
        """Some items from a place on, and up to where there are no others."""
        given = self.given | {"low": low, "high": high, "count": size}
        rows = self.search.between.all(self.connection, given)
        if len(rows) < size:
            return rows, high
        last = rows[-1].item_place
        if last == rows[0].item_place:
            return rows, nextafter(last, inf)
        # Another item may have the same place as the last.
        return [row for row in rows if row.item_place < last], last

    def _learn(
        self, seen: tuple[float, float], rows: Sequence[AnyRow], before: Run | None, after: Run | None
    ) -> Run | None:
        """Keep the runs of a stretch between two others; returns the one that ends where the stretch does."""
        if not self.keeps:
            return None
        last = None
        for low, high, count in _pieces(*seen, rows):
            last, new = None, Run(low, high, self.newest)
            follows = before if before is not None and before.high == low else None
            if follows and after and high == after.low:
                return self._replaced([follows, after], _joined(_joined(follows, new), after))
            if count >= SHORTEST:
                last = (
                    self._replaced([follows], _joined(follows, new)) if follows else self._replaced([], new)
                )
        return last

    def _renewed(self, run: Run, changed: Sequence[AnyRow], before: Run | None) -> Run | None:
        """A run in which much has changed is looked at anew; one that follows on another is joined to it."""
        if not self.keeps:
            return None
        if len(changed) > STRETCH:
            pieces = [*_pieces(run.low, run.high, changed)]
            # One with many gaps is walked again where the way leads through it.
            kept = [Run(low, high, self.newest) for low, high, _ in pieces if low < high]
            kept = kept if len(kept) <= SHORTEST else []
            self._replaced([run], *kept)
            return kept[-1] if kept and kept[-1].high == run.high else None
        if before is not None and before.high == run.low:
            return self._replaced([before, run], _joined(before, run))
        return run

    def _replaced(self, old: Sequence[Run], *new: Run) -> Run | None:
        for run in old:
            queries.DROP_RUN.change(self.connection, self.given | {"high": run.high})
        if not old:
            queries.DROP_OLD_RUNS.change(self.connection, self.given)
        for run in new:
            queries.KEEP_RUN.change(self.connection, self.given | run._asdict())
        return new[-1] if new else None


def _joined(one: Run, next_one: Run) -> Run:
    return Run(one.low, next_one.high, min(one.moved, next_one.moved))


def _pieces(low: float, high: float, rows: Sequence[AnyRow]) -> Iterator[tuple[float, float, int]]:
    """The parts of a stretch between items that are not blocked, and how many are blocked in each."""
    gaps = [row.item_place for row in rows if not row.blocked]
    starts = [low, *(nextafter(place, inf) for place in gaps)]
    ends = [*gaps, high]
    for start, end in zip(starts, ends, strict=True):
        count = sum(start <= row.item_place < end for row in rows if row.blocked)
        yield start, end, count
