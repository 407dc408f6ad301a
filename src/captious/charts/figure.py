"""`Figure`: a chart with its words, its finding, its table twin and its specification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from captious.tables import Table

Spec = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """One chart of the report.

    `how` says what is drawn, `finding` what it shows here; together they are
    the text alternative. `wide` and `narrow` are Vega-Lite specifications of the same data, for
    pages and papers, and for phones.
    """

    key: str
    title: str
    how: str
    finding: str
    table: Table
    wide: Spec
    narrow: Spec

    @property
    def alternative(self) -> str:
        """The text alternative of the chart."""
        return f"{self.title}. {self.finding}"


def listed(names: list[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["bleu4", "cider", "meteor"])
    'bleu4, cider and meteor'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
