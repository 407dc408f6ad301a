"""The cards of the explorer as the template shows them before any script runs.

`static/explorer.js` draws the same cards from the same data; a browser test compares the two.
"""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple

from captious.report.explorer import Explorer, first_view
from captious.report.study import number_text


class Entry(NamedTuple):
    """A name with its value, as text."""

    name: str
    text: str


class Versus(NamedTuple):
    """Where the metric and the judgments place a caption, from 0 to 100."""

    metric: float
    judged: float
    metric_text: str
    judged_text: str
    verdict: str


class Panel(NamedTuple):
    """An explanation as safe HTML; `place` is that of its title among all panels."""

    place: int
    title: str
    html: str


class Candidate(NamedTuple):
    """One caption on a card."""

    place: int
    system: str
    caption: str
    versus: Versus | None
    score: str
    disputed: bool
    entries: list[Entry]
    panels: list[Panel]


class Card(NamedTuple):
    """One image with its candidates."""

    image: dict[str, Any]
    alternative: str
    candidates: list[Candidate]


def first_cards(explorer: Explorer) -> list[Card]:
    """The cards that are in the page itself."""
    data = explorer.data
    view = first_view(data)
    cards = []
    for place in explorer.first:
        image = data["images"][place]
        versus = [
            _versus(data, row, view.metric[place][k], view.judged[place][k]) if view else None
            for k, row in enumerate(image["rows"])
        ]
        gaps = [abs(one.metric - one.judged) if one else -1.0 for one in versus]
        candidates = [
            Candidate(
                place=row["s"],
                system=data["systems"][row["s"]],
                caption=row["c"],
                versus=versus[k],
                score="" if versus[k] else _score_line(data, row),
                disputed=versus[k] is not None and k == gaps.index(max(gaps)),
                entries=_entries(data, row),
                panels=_panels(data, row),
            )
            for k, row in enumerate(image["rows"])
        ]
        cards.append(Card(image, alternative_text(image), candidates))
    return cards


def alternative_text(image: dict[str, Any]) -> str:
    """What a photograph shows, in the words of its first reference."""
    return image["refs"][0] if image["refs"] else f"Photograph {image['id']}"


def score_text(metric: dict[str, Any], value: float | None) -> str:
    """A metric's score of one caption."""
    if value is None:
        return "–"
    return number_text(value * 100, 1) if metric["percent"] else number_text(value, 3)


def _versus(data: dict[str, Any], row: dict[str, Any], a: float, b: float) -> Versus | None:
    if isnan(a) or isnan(b):
        return None
    metric, aspect = data["metrics"][data["metric"]], data["aspects"][0]
    return Versus(
        metric=a,
        judged=b,
        metric_text=f"{metric['label']} {score_text(metric, row['m'][data['metric']])}, "
        f"percentile {number_text(a, 0)}",
        judged_text=f"judged {aspect['label']} {number_text(row['h'][0], 2)}, percentile {number_text(b, 0)}",
        verdict=_verdict(metric["label"], a - b),
    )


def _score_line(data: dict[str, Any], row: dict[str, Any]) -> str:
    """The score that orders the cards, for a caption that has no judgment beside it."""
    metric = data["metrics"][data["metric"]]
    return f"{metric['label']} {score_text(metric, row['m'][data['metric']])}"


def _verdict(metric: str, gap: float) -> str:
    size = number_text(abs(gap), 0)
    if size == "0":
        return f"{metric} and the judgments rank it equally"
    points = "1 point" if size == "1" else f"{size} points"
    return f"{metric} ranks it {points} {'higher' if gap > 0 else 'lower'}"


def _entries(data: dict[str, Any], row: dict[str, Any]) -> list[Entry]:
    entries = [
        Entry(metric["label"], score_text(metric, value))
        for metric, value in zip(data["metrics"], row["m"], strict=True)
    ]
    for k, aspect in enumerate(data["aspects"]):
        if row["h"][k] is None:
            continue
        by_rater = [
            f"{rater} {value:g}"
            for rater, value in zip(data["raters"], row["r"][k] if "r" in row else [], strict=False)
            if value is not None
        ]
        text = number_text(row["h"][k], 2) + (f" ({', '.join(by_rater)})" if by_rater else "")
        entries.append(Entry(f"judged {aspect['label']}", text))
    return entries


def _panels(data: dict[str, Any], row: dict[str, Any]) -> list[Panel]:
    named = zip(data["panels"], row.get("p", []), strict=False)
    return [Panel(place, title, html) for place, (title, html) in enumerate(named) if html]
