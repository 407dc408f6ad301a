"""Judgments from elsewhere as items and responses of a protocol that asks about one caption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.base import Adopted, HumanProtocol, Item, Response

UNNAMED = "unnamed"


def adopted(
    rules: HumanProtocol,
    judgments: Judgments,
    corpus: Corpus,
    answers: Mapping[str, Callable[[float], Any]],
    *,
    seed: int,
    options: Mapping[str, Any] | None = None,
    file: str | None = None,
) -> Adopted:
    """One response for each caption and rater; `answers` turns the value of an aspect into its answer."""
    items = rules.items(_judged_only(corpus, judgments), seed=seed)
    raters = [name or UNNAMED for name in judgments.raters]
    responses = _responses(judgments, items, answers, raters)
    return Adopted(items, raters, responses, options or {}, file)


def _judged_only(corpus: Corpus, judgments: Judgments) -> Corpus:
    places = judgments.places_in(corpus)
    missing = next((key for key, at in zip(judgments.keys, places, strict=True) if at < 0), None)
    if missing is not None:
        raise InputError(f'image "{missing[0]}": {missing[1]} has no caption for it.')
    return corpus.select(np.unique(places))


def _responses(
    judgments: Judgments, items: list[Item], answers: Mapping[str, Callable[[float], Any]], raters: list[str]
) -> list[Response]:
    """From the first system that wrote the caption: it is judged once for all who wrote it."""
    item_of = {
        (item.image, system): (item, item.sources["A"][0]) for item in items for system in item.sources["A"]
    }
    given: dict[tuple[str, int], dict[str, Any]] = {}
    times: dict[tuple[str, int], float] = {}
    for row in range(len(judgments)):
        image, system = judgments.keys[int(judgments.example_of[row])]
        item, first = item_of[image, system]
        if system != first:
            continue
        key = (item.key, int(judgments.rater_of[row]))
        aspect = judgments.aspects[int(judgments.aspect_of[row])]
        own = given.setdefault(key, {})
        if aspect in own:
            raise InputError(
                f'image "{image}": {system} is judged twice on {aspect} by one rater. '
                "Import the raw responses instead, or keep one stage."
            )
        own[aspect] = answers[aspect](float(judgments.values[row]))
        times[key] = float(judgments.times[row])
    return [Response(item, own, raters[rater], times[item, rater]) for (item, rater), own in given.items()]
