"""A caption with what a metric finds wrong in it: for metrics that mark places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from captious.charts.marked_text import described, marked_html
from captious.corpus.findings import Place
from captious.tables import Cell, Table

COLUMNS = ["text", "kind", "severity", "confidence", "evidence", "note"]


@dataclass(frozen=True)
class MarkedExplanation:
    """A caption's score, and the places in it that the metric marks."""

    metric: str
    signature: str
    system: str
    image_id: str
    caption: str
    score: float
    findings: Sequence[Place]

    def text_of(self, place: Place) -> str:
        """The words of a place; empty for what is missing."""
        return self.caption[place.start : place.end] if place.start is not None else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found = [
            place._asdict()
            | {"text": self.text_of(place)}
            | ({"confidence": None} if math.isnan(place.confidence) else {})
            for place in self.findings
        ]
        return {
            "metric": self.metric,
            "signature": self.signature,
            "system": self.system,
            "image_id": self.image_id,
            "caption": self.caption,
            "score": self.score,
            "findings": found,
        }


def marked_table(one: MarkedExplanation) -> Table:
    """A row for each finding, in the order of the caption; what is missing comes last."""
    rows: list[list[Cell]] = []
    for place in sorted(one.findings, key=lambda place: math.inf if place.start is None else place.start):
        sure: Cell = "–" if math.isnan(place.confidence) else place.confidence
        text = one.text_of(place) or "(missing)"
        rows.append([text, place.kind, place.severity or "–", sure, place.evidence or "–", place.note or "–"])
    title = f"{one.metric} {one.score:.4f}, {one.system}, image {one.image_id}: {one.caption}"
    nothing = [] if rows else ["nothing found"]
    return Table(title, COLUMNS, rows, "\n".join([*nothing, one.signature]))


def marked_picture(one: MarkedExplanation) -> str:
    """The caption as HTML with its places coloured; `MARKED_CSS` has the colours."""
    return marked_html(one.caption, {one.metric: one.findings})


def marked_in_words(one: MarkedExplanation) -> str:
    """The findings as sentences.

    >>> place = Place(2, 5, "object", evidence="dog")
    >>> marked_in_words(MarkedExplanation("chair", "", "m", "7", "A pup.", 1.0, [place]))
    'pup: object (dog).'
    """
    said = [f"{one.text_of(place) or 'missing'}: {described(place)}." for place in one.findings]
    return " ".join(said) or "Nothing found."
