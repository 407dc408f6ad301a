"""Raters at a glance: how fast they are, how far they go with the others, and who is flagged."""

from __future__ import annotations

import math
from collections.abc import Sequence

from captious.campaigns.quality.control import RaterQuality
from captious.tables import Chart, Table

TITLE = "Raters: pace and agreement"
# Pace and agreement of fewer answers say nothing about a rater.
FEWEST_ANSWERS = 5
HOW = (
    "Further left: faster. Higher: closer to the mean of the other raters (correlation; guessing gives 0). "
    "Triangle: flagged by a rule. Cross: removed. Raters who share no items with others appear only in the "
    "table."
)


def rater_table(rows: Sequence[RaterQuality]) -> list[Table]:
    """A row for each rater with enough answers; nothing where no two can be drawn."""
    found = [
        (row.rater, row.median_seconds, row.agreement, row.shared, row.answered, _standing(row))
        for row in rows
        if row.answered >= FEWEST_ANSWERS
    ]
    drawable = [row for row in found if not (math.isnan(row[1]) or math.isnan(row[2]))]
    if len(drawable) < 2:
        return []
    chart = Chart(
        "points", "median seconds", "agreement", series="rater", mark="standing", y_scale=(-1.0, 1.0), how=HOW
    )
    columns = ("rater", "median seconds", "agreement", "shared answers", "answers", "standing")
    return [Table(TITLE, columns, tuple(found), chart=chart)]


def _standing(row: RaterQuality) -> str:
    if row.state != "active":
        return "removed"
    return f"flagged: {', '.join(row.flags)}" if row.flags else "no flag"
