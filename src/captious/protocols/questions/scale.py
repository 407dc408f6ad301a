"""A rating scale: whole points from low to high, some of them with names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from captious.protocols.questions.base import Field, Option, register
from captious.protocols.questions.number import MOST_LEVELS, Number

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile


@register("scale")
class Scale(Number):
    """A Likert scale."""

    title: ClassVar[str] = "Rating scale"
    keys: ClassVar[tuple[str, ...]] = ("low", "high", "labels")

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """From `low` (1) to `high` (5), with names in `labels`."""
        low, high = file.whole(where, own, "low", 1), file.whole(where, own, "high", 5)
        if not low < high or high - low >= MOST_LEVELS:
            at_key = "high" if "high" in own else "low" if "low" in own else "aspect"
            raise file.error(
                (*where, at_key),
                f"a scale from {low} to {high}: give a high above the low, {MOST_LEVELS} points at most.",
            )
        return replace(field, low=low, high=high, step=1, options=_labels(file, where, own, low, high))


def _labels(file: YamlFile, where: At, own: Mapping[str, object], low: int, high: int) -> tuple[Option, ...]:
    raw = own.get("labels") or {}
    if not isinstance(raw, dict):
        raise file.error((*where, "labels"), '"labels" must be points with names: {1: Poor}.')
    for point, label in raw.items():
        place = (*where, "labels", str(point))
        whole = isinstance(point, int) and not isinstance(point, bool)
        if not whole or not low <= point <= high:
            raise file.error(place, f"label of {point!r}: no point from {low} to {high}.")
        if not isinstance(label, str):
            raise file.error(place, f"label of {point}: {label!r} is not a text. Quote it.")
    return tuple(Option(str(point), label) for point, label in sorted(raw.items()))
