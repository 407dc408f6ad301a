"""Examples of the explorer: what the page shows of each image, and how they are sorted.

The order is by *disagreement*. Over all captions that have both, each caption has a percentile by
the metric and one by the judgments (midranks: (n - rank + 0.5) / n x 100). Their difference shows
how much higher the metric places the caption than the judgments do, whatever the two scales are.
An image is sorted by its most disputed caption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError
from captious.report.explained import MARKED
from captious.report.photographs import Photograph
from captious.report.study import Study, higher_is_better
from captious.report.tables import aspect_text
from captious.stats.ranking import rank_systems

# Images that are in the page itself, and so are there without JavaScript.
SHOWN_WITHOUT_SCRIPT = 20
PAGE_LENGTH = 20

Fragments = Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Explorer:
    """All data of the explorer, as plain values for JSON.

    `data` is what the script reads. `order` are positions in `data["images"]` as the page opens;
    `rows[k]` are the corpus's rows of image `k` there.
    """

    data: dict[str, Any]
    order: list[int]
    rows: list[list[int]]

    @property
    def first(self) -> list[int]:
        """Positions of the images that the page shows before any script runs."""
        return self.order[:SHOWN_WITHOUT_SCRIPT]

    @property
    def opening_rows(self) -> list[list[int]]:
        """The corpus's rows of each image, in the order in which the page opens."""
        return [self.rows[place] for place in self.order]

    def with_panels(self, explanations: Fragments) -> Explorer:
        """The same with a panel for each caption that has an explanation."""
        n = sum(map(len, self.rows))
        panels = _panels(explanations, n)
        images = []
        for image, numbers in zip(self.data["images"], self.rows, strict=True):
            held = [[fragments[i] for fragments in panels.values()] for i in numbers]
            rows = [
                {**row, "p": own} if any(own) else row for row, own in zip(image["rows"], held, strict=True)
            ]
            images.append({**image, "rows": rows})
        data = {**self.data, "panels": list(panels), "images": images}
        return Explorer(data, self.order, self.rows)


def make_explorer(
    study: Study, photographs: Sequence[Photograph | None], metric: str, explanations: Fragments | None = None
) -> Explorer:
    """Gather the examples and put the most disputed image first."""
    metrics = [_metric_entry(study, name) for name in study.scores]
    aspects = [{"name": a, "label": aspect_text(a)} for a in _aspects(study)]
    rows = _rows(study)
    numbers = _rows_by_image(study, rows)
    images = [_image_entry(study, image, photographs[image], own, rows) for image, own in numbers.items()]
    data = {
        "systems": study.systems,
        "metrics": metrics,
        "aspects": aspects,
        "raters": study.judged.raters if study.judged else [],
        "panels": [],
        "opened": MARKED,
        "pageLength": PAGE_LENGTH,
        "metric": list(study.scores).index(metric),
        "sort": "disagreement" if aspects else "low",
        "images": images,
    }
    explorer = Explorer(data, _order(data), list(numbers.values()))
    return explorer.with_panels(explanations) if explanations else explorer


def percentiles(values: FloatArray, *, higher: bool = True) -> FloatArray:
    """Percentile of each value among all, ties sharing the middle; NaN stays NaN.

    >>> percentiles(np.array([3.0, 1.0, 3.0, np.nan, 2.0])).tolist()
    [75.0, 12.5, 75.0, nan, 37.5]
    """
    found = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    n = int(present.sum())
    if n:
        ranks = rank_systems(values[present], higher_is_better=higher, ties="average")
        found[present] = (n - ranks + 0.5) / n * 100
    return found


class View(NamedTuple):
    """Percentiles of every row by the metric and by the judgments, image by image."""

    metric: list[list[float]]
    judged: list[list[float]]


def first_view(data: dict[str, Any]) -> View | None:
    """The percentiles that the page opens with; `None` where nothing was judged."""
    if not data["aspects"]:
        return None
    rows = [row for image in data["images"] for row in image["rows"]]
    scores = np.array([_number(row["m"][data["metric"]]) for row in rows])
    judged = np.array([_number(row["h"][0]) for row in rows])
    both = ~np.isnan(scores) & ~np.isnan(judged)
    higher = data["metrics"][data["metric"]]["higher"]
    return View(
        _grouped(data, percentiles(np.where(both, scores, np.nan), higher=higher)),
        _grouped(data, percentiles(np.where(both, judged, np.nan))),
    )


def _order(data: dict[str, Any]) -> list[int]:
    """Positions of the images in the order that the page opens with."""
    view = first_view(data)
    if view is None:
        metric = data["metrics"][data["metric"]]
        sign = 1 if metric["higher"] else -1
        scores = [[_number(row["m"][data["metric"]]) for row in i["rows"]] for i in data["images"]]
        return sorted(range(len(scores)), key=lambda i: _least([sign * v for v in scores[i]]))
    gaps = [
        [abs(a - b) for a, b in zip(*own, strict=True)] for own in zip(view.metric, view.judged, strict=True)
    ]
    return sorted(range(len(gaps)), key=lambda i: -_greatest(gaps[i]))


def _aspects(study: Study) -> list[str]:
    return list(study.judged.means) if study.judged else []


def _metric_entry(study: Study, name: str) -> dict[str, Any]:
    scored = study.scores[name]
    better = higher_is_better(name)
    return {"name": name, "label": scored.printed, "percent": scored.percent, "higher": better}


def _rows(study: Study) -> list[dict[str, Any]]:
    corpus, judged = study.corpus, study.judged
    systems = study.systems
    place = {corpus.systems.index(system): k for k, system in enumerate(systems)}
    scores = _rounded(np.stack([study.scores[name].values for name in study.scores], axis=1))
    means = _rounded(np.stack(list(judged.means.values()), axis=1)) if judged else None
    several = judged is not None and judged.several_raters
    ratings = _rounded(np.stack(list(judged.ratings.values()), axis=1)) if judged and several else None
    rows = []
    for i in range(len(corpus)):
        row: dict[str, Any] = {"s": place[int(corpus.system_of[i])], "c": corpus.captions[i], "m": scores[i]}
        if means is not None:
            row["h"] = means[i]
        if ratings is not None:
            row["r"] = ratings[i]
        rows.append(row)
    return rows


def _rows_by_image(study: Study, rows: list[dict[str, Any]]) -> dict[int, list[int]]:
    """Rows of the corpus by image, in the order of the systems."""
    by_image: dict[int, list[int]] = {}
    for i, image in enumerate(study.corpus.image_of.tolist()):
        by_image.setdefault(image, []).append(i)
    for own in by_image.values():
        own.sort(key=lambda i: rows[i]["s"])
    return by_image


def _image_entry(
    study: Study, image: int, photograph: Photograph | None, numbers: list[int], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    corpus = study.corpus
    used = (int(corpus.references_of[i]) for i in numbers)
    sets = dict.fromkeys(one for one in used if one != NO_REFERENCES)
    references = list(dict.fromkeys(text for one in sets for text in corpus.references[one]))
    entry: dict[str, Any] = {
        "id": corpus.image_ids[image],
        "refs": references,
        "rows": [rows[i] for i in numbers],
    }
    if photograph is not None:
        entry |= {"src": photograph.src, "w": photograph.width, "h": photograph.height}
    if corpus.objects is not None and corpus.objects[image]:
        entry["objects"] = _counted(corpus.objects[image])
    return entry


def _counted(objects: list[str]) -> list[str]:
    """`dog x 2` if a label occurs twice."""
    counts: dict[str, int] = {}
    for label in objects:
        counts[label] = counts.get(label, 0) + 1
    return [label if n == 1 else f"{label} × {n}" for label, n in counts.items()]


def _panels(explanations: Fragments, n: int) -> dict[str, list[str]]:
    """Explanations as safe HTML: plain text is escaped, `markupsafe.Markup` is taken as it is."""
    from markupsafe import escape

    panels = {}
    for title, fragments in explanations.items():
        if len(fragments) != n:
            raise InputError(
                f'explanation "{title}" has {len(fragments)} entries for {n} captions; '
                "give one for each, empty where there is none."
            )
        panels[title] = [str(escape(fragment)) for fragment in fragments]
    return panels


def _rounded(values: FloatArray) -> list[Any]:
    """Numbers with six figures, `None` for NaN: the page ranks exactly the numbers it holds."""
    return [_round(value) for value in values.tolist()]


def _round(value: Any) -> Any:
    if isinstance(value, list):
        return [_round(one) for one in value]
    return None if isnan(value) else float(f"{value:.6g}")


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _grouped(data: dict[str, Any], values: FloatArray) -> list[list[float]]:
    column, grouped, start = values.tolist(), [], 0
    for image in data["images"]:
        grouped.append(column[start : start + len(image["rows"])])
        start += len(image["rows"])
    return grouped


def _greatest(values: list[float]) -> float:
    return max((value for value in values if not isnan(value)), default=float("-inf"))


def _least(values: list[float]) -> float:
    return min((value for value in values if not isnan(value)), default=float("inf"))
