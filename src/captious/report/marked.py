"""Captions with what metrics and raters marked in them, one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from captious.charts.marked_text import marked_html
from captious.corpus import Corpus, Findings
from captious.corpus.findings import Place

if TYPE_CHECKING:
    from markupsafe import Markup

MARKED = "What is wrong, and where"  # the panel that the page opens with


def marked_panels(corpus: Corpus, every: Sequence[Findings]) -> dict[str, list[str | Markup]]:
    """A panel for each caption that someone looked at: the caption once for each of them."""

    found = {name: places for one in every for name, places in one.places_in(corpus).items()}
    panels: list[str | Markup] = []
    for row, caption in enumerate(corpus.captions):
        own = {name: places for name, all_rows in found.items() if (places := all_rows[row]) is not None}
        panels.append(_panel(caption, own) if own else "")
    return {MARKED: panels} if any(panels) else {}


def _panel(caption: str, own: Mapping[str, Sequence[Place]]) -> Markup:
    """The caption of those who found something; the others by their names."""
    from markupsafe import Markup, escape

    marked = marked_html(caption, {name: places for name, places in own.items() if places})
    silent = [name for name, places in own.items() if not places]
    nothing = escape(f"Nothing found by {', '.join(silent)}.") if silent else ""
    return Markup(f'<div class="side-by-side">{marked}</div>') + (
        Markup("<p>{}</p>").format(nothing) if nothing else ""
    )


def legend(every: Sequence[Findings]) -> str | Markup:
    """The kinds of findings in their colours, and how a major one looks."""
    from markupsafe import Markup

    kinds = dict.fromkeys(kind for one in every for kind in one.kinds)
    samples = [(kind, Place(0, len(kind), kind)) for kind in kinds]
    if any("major" in one.severities for one in every):
        samples.append(("major", Place(0, 5, next(iter(kinds)), "major")))
    return Markup("".join(marked_html(text, {"": [place]}) for text, place in samples))
