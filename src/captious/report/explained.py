"""Which captions of a report are taken apart, and the panels that show it.

A picture with its table weighs some 10 kB, so that not every caption has one. Those have that a
reader meets first: each metric's best and worst captions, and those of the images that the page
opens with, as many as there is room for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from captious.charts.marked_text import marked_html
from captious.corpus import Corpus, Findings
from captious.corpus.findings import Place
from captious.errors import InputError
from captious.explanation import BY_IMAGE, EXPLAINED, can_explain, explain_rows, fragment
from captious.report.study import Study

if TYPE_CHECKING:
    from markupsafe import Markup

MARKED = "What is wrong, and where"  # the panel that the page opens with


def marked_panels(corpus: Corpus, every: Sequence[Findings]) -> dict[str, list[str | Markup]]:
    """A panel for each caption that someone looked at: the caption once for each of them."""

    found = {name: places for one in every for name, places in one.places_in(corpus).items()}
    panels: list[str | Markup] = []
    for row, caption in enumerate(corpus.captions):
        own = {name: places for name, all_rows in found.items() if (places := all_rows[row]) is not None}
        panels.append(_marked_panel(caption, own) if own else "")
    return {MARKED: panels} if any(panels) else {}


def _marked_panel(caption: str, own: Mapping[str, Sequence[Place]]) -> Markup:
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


MOST_EXPLAINED = 20  # captions of each metric
EXTREMES = 2  # captions at each end of a metric


def chosen_metrics(study: Study, asked: Sequence[str] | None) -> list[str]:
    """Metrics to explain: those asked for, by default all that can be without a neural network."""
    if asked is None:  # covering fifty parts of an image takes a minute and more: only where asked for
        return [name for name in study.scores if can_explain(name) and name.partition("[")[0] not in BY_IMAGE]
    for name in asked:
        if not can_explain(name):
            raise InputError(f"{name} cannot be explained. Use {', '.join(EXPLAINED)}.")
        if name not in study.scores:
            raise InputError(
                f"{name} cannot be explained because it is not among the metrics of the report: "
                f"{', '.join(study.scores)}. Add it to the metrics, or explain another one."
            )
    return list(dict.fromkeys(asked))


def chosen_rows(study: Study, metric: str, opening: Sequence[Sequence[int]], most: int) -> list[int]:
    """Captions to explain: the worst and the best by the metric, then those of the first images.

    `opening` are the rows of each image, in the order in which the page opens.
    """
    values = study.oriented(metric)
    order = [row for row in np.argsort(values, kind="stable").tolist() if not np.isnan(values[row])]
    shown = [row for own in opening for row in own]
    return list(dict.fromkeys([*order[:EXTREMES], *order[::-1][:EXTREMES], *shown]))[:most]


def explanation_panels(
    study: Study, opening: Sequence[Sequence[int]], asked: Sequence[str] | None, most: int
) -> dict[str, list[str]]:
    """Title -> a fragment for each caption of the corpus, empty where there is none."""
    panels = {}
    for number, metric in enumerate(chosen_metrics(study, asked)):
        fragments = [""] * len(study.corpus)
        for row in chosen_rows(study, metric, opening, most):
            fragments[row] = _panel(study, metric, row, f"why-{number}-{row}")
        if any(fragments):
            panels[f"Why {study.printed(metric)} gave this score"] = fragments
    return panels


def _panel(study: Study, metric: str, row: int, key: str) -> str | Markup:
    from markupsafe import Markup

    scored = study.scores[metric]
    judged = study.judged.means if study.judged else None
    try:
        (told,) = explain_rows(
            study.corpus, metric, [row], scores=scored.values, signature=scored.signature, judged=judged
        )
    except InputError as error:  # a score of 0: there was nothing to move
        return str(error)
    return Markup(fragment(told, key))
