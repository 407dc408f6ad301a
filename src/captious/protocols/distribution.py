"""How often each system gets each score of a scale, whatever the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from captious.protocols.item import Row
from captious.tables import Chart, Table

TITLE = "Scores by system"
HOW = "The share of each system's judgments at each point of the scale, including points that nobody used."


def distribution_table(rows: Iterable[Row], levels: Mapping[str, Sequence[float]]) -> list[Table]:
    """A row for each aspect, system and level, the best system by the first aspect first.

    Nothing where no aspect has levels.

    >>> rows = [Row("1", "m2", "A dog.", "r", "rating", 5.0, "first", 0.0)]
    >>> [row[2:] for row in distribution_table(rows, {"rating": (1.0, 5.0)})[0].rows]
    [(1.0, 0, 0.0), (5.0, 1, 1.0)]
    """
    counted: Counter[tuple[str, str, float]] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    for row in rows:
        known = levels.get(row.aspect)
        if known:
            nearest = min(known, key=lambda level, value=row.value: abs(level - value))  # type: ignore[misc]
            counted[row.aspect, row.system, nearest] += 1
            totals[row.aspect, row.system] += 1
    if not totals:
        return []
    first = next(aspect for aspect in levels if any(of == aspect for of, _ in totals))
    systems = sorted(
        dict.fromkeys(system for _, system in totals),
        key=lambda system: (
            -sum(
                level * counted[first, system, level] / max(1, totals[first, system])
                for level in levels[first]
            )
        ),
    )
    found = [
        (aspect, system, level, counted[aspect, system, level], counted[aspect, system, level] / total)
        for aspect in levels
        for system in systems
        if (total := totals[aspect, system])
        for level in levels[aspect]
    ]
    columns = ("aspect", "system", "score", "judgments", "share")
    chart = Chart("shares", "score", "share", series="system", panel="aspect", how=HOW)
    return [Table(TITLE, columns, tuple(found), "shares of the final judgments", chart=chart)]
