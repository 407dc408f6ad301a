"""One printed value against what was measured, and the verdict."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, get_args

from captious.benchmarks.studies.asked import Measured
from captious.benchmarks.studies.study import Printed, StudyTable
from captious.tables import Cell, Number

Verdict = Literal["equal", "near", "not comparable", "not reproduced", "skipped"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# A value on the very edge of rounding is printed as either neighbour.
SLACK = 1e-9


class Check(NamedTuple):
    """One printed value, the value of captious, and the verdict.

    `equal`: equal in every printed digit, or within a bound. `near`: different, but a measured cause covers
    the difference; the note gives its range. `not comparable`: different, and measured on something else
    than the paper's.
    `not reproduced`: none of these. A note says what is known. `beside` are the values on other versions of
    the data, by their titles.
    """

    study: str
    table: StudyTable
    printed: Printed
    got: float | None
    verdict: Verdict
    note: str
    beside: dict[str, float]

    @property
    def label(self) -> str:
        """What a value that is not reproduced is known as: `misprint`, `open`, or nothing."""
        return self.printed.label if self.verdict == "not reproduced" else ""

    @property
    def expected(self) -> Number:
        """The printed value."""
        sign = {"at_least": "≥ ", "at_most": "≤ "}.get(self.printed.bound, "")
        return Number(self.printed.value, f"{sign}{self.printed.text}")

    def shown(self, value: float | None) -> Cell:
        """A value of ours, with one decimal more than the paper."""
        if value is None:
            return ""
        decimals = len(self.printed.text.partition(".")[2])
        return Number(value, f"{value * self.printed.scale:.{decimals + 1}f}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "study": self.study,
            "benchmark": self.table.benchmark,
            "source": self.table.paper,
            "table": self.table.title,
            "row": self.printed.row,
            "column": self.printed.column,
            "measure": self.table.of,
            "expected": self.printed.value,
            "at_least": self.printed.bound == "at_least",
            "at_most": self.printed.bound == "at_most",
            "got": self.got,
            "beside": self.beside,
            "verdict": self.verdict,
            "label": self.label,
            "note": self.note,
            "known": bool(self.printed.label),
        }


def judge(printed: Printed, found: Measured) -> tuple[Verdict, str]:
    """The verdict on a measured value, and its note.

    >>> printed = Printed("overall", "cider", "43.9", percent=True)
    >>> judge(printed, Measured(0.43851))
    ('equal', '')
    >>> judge(printed, Measured(0.43, 0.42, 0.4386, "by the seed"))
    ('near', 'by the seed: 42.00 to 43.86')
    >>> judge(printed, Measured(0.43))[0]
    'not reproduced'
    """
    if _is_met(printed, found.value):
        return "equal", found.note
    low, high, reason = _range(printed, found)
    differs: Verdict = "not comparable" if printed.label == "not comparable" else "not reproduced"
    if math.isnan(low):
        return differs, printed.said or found.note
    decimals = len(printed.text.partition(".")[2]) + 1
    ends = (f"{value * printed.scale:.{decimals}f}" for value in (low, high))
    shown = f"{reason}: {' to '.join(ends)}"
    if low - printed.half_digit - SLACK <= printed.value <= high + printed.half_digit + SLACK:
        return "near", shown
    return differs, "; ".join(filter(None, (printed.said, f"not reached {shown}")))


def _range(printed: Printed, found: Measured) -> tuple[float, float, str]:
    """From where to where a value goes by all that is known to move it, and what that is."""
    low, high, reason = found.low, found.high, found.reason
    if printed.spread:
        spread = printed.spread / printed.scale
        low, high = (value if not math.isnan(value) else found.value for value in (low, high))
        low, high, reason = low - spread, high + spread, " and ".join(filter(None, (reason, printed.cause)))
    return low, high, reason


def _is_met(printed: Printed, got: float) -> bool:
    if printed.bound == "at_least":
        return got >= printed.value - SLACK
    if printed.bound == "at_most":
        return got <= printed.value + SLACK
    return abs(got - printed.value) <= printed.half_digit + SLACK
