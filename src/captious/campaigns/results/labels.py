"""Labels from rater models beside mean and vote: for the results page and the export."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from captious.corpus import Judgments
from captious.corpus.labels import RULE, Ability, Labels, labels_of
from captious.tables import Cell, Table

LABELS_TITLE, ABILITY_TITLE = "Labels from rater models, by system", "Raters' estimated ability"
ABILITY = (
    "Dawid-Skene: the probability that the rater gives the true value; MACE: the probability that the rater "
    "answers from knowledge rather than from habit"
)


def labelled(judgments: Judgments, aspects: Sequence[str]) -> dict[str, Labels]:
    """The labels of each aspect that was judged."""
    known = [aspect for aspect in aspects if aspect in judgments.aspects]
    return {aspect: labels_of(judgments, aspect) for aspect in known}


def label_tables(judgments: Judgments, aspects: Sequence[str]) -> list[Table]:
    """Each system's mean by every way to label, and the raters' abilities.

    Where no aspect has enough overlap, one empty table says why.
    """
    found = labelled(judgments, aspects)
    if not found:
        return []
    fitted = {aspect: one for aspect, one in found.items() if not one.reason}
    reasons = [f"{aspect}: {one.reason}" for aspect, one in found.items() if one.reason]
    note = "; ".join([RULE, *reasons])
    columns = ("aspect", "system", "mean", "vote", "Dawid-Skene", "MACE", "captions")
    rows = tuple(row for aspect, one in fitted.items() for row in _by_system(judgments, aspect, one))
    tables = [Table(LABELS_TITLE, columns, rows, note)]
    able = tuple((aspect, *able) for aspect, one in fitted.items() for able in _ablest(one.abilities))
    if able:
        heads = ("aspect", "rater", "Dawid-Skene", "MACE", "ratings")
        tables.append(Table(ABILITY_TITLE, heads, able, ABILITY))
    return tables


def _ablest(abilities: Sequence[Ability]) -> list[Ability]:
    return sorted(abilities, key=lambda one: (-one.dawid_skene, one.rater))


def _by_system(judgments: Judgments, aspect: str, found: Labels) -> Iterator[tuple[Cell, ...]]:
    systems = np.array([judgments.keys[row][1] for row in found.rows])
    for system in dict.fromkeys(systems.tolist()):
        own = systems == system
        means = [float(one[own].mean()) for one in (found.mean, found.vote, found.dawid_skene, found.mace)]
        yield (aspect, system, *means, int(own.sum()))


def label_rows(judgments: Judgments, found: Mapping[str, Labels]) -> Iterator[dict[str, Any]]:
    """A row for each caption and aspect; None where a model was not fitted."""
    for aspect, one in found.items():
        for at, row in enumerate(one.rows):
            image, system = judgments.keys[row]
            values = (one.mean, one.vote, one.dawid_skene, one.chance, one.mace)
            names = ("mean", "vote", "dawid_skene", "dawid_skene_chance", "mace")
            told = {name: _known(float(column[at])) for name, column in zip(names, values, strict=True)}
            yield {"image": image, "system": system, "aspect": aspect, **told, "ratings": one.ratings[at]}


def ability_rows(found: Mapping[str, Labels]) -> Iterator[dict[str, Any]]:
    """A row for each rater and aspect."""
    for aspect, one in found.items():
        for able in one.abilities:
            yield {"rater": able.rater, "aspect": aspect} | {
                "dawid_skene": able.dawid_skene,
                "mace": able.mace,
                "ratings": able.ratings,
            }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
