"""Several metrics as one number, as rewards and stopping rules want it: the weighted sum of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from captious.errors import InputError
from captious.metrics.base import Metric
from captious.metrics.registry import Asked, listed, resolve_all

Weighted = Asked | Sequence[Asked] | Mapping[Any, float]


class Part(NamedTuple):
    """A metric and the weight of its scores."""

    metric: Metric
    weight: float


def parts_of(asked: Weighted, given: Sequence[str]) -> dict[str, Part]:
    """The metrics by name, of a list or of `{metric: weight}`; refused where one needs what is not `given`.

    >>> {name: part.weight for name, part in parts_of({"CIDEr": 1, "bleu4": 0.5}, ["references"]).items()}
    {'cider': 1.0, 'bleu4': 0.5}
    >>> parts_of("clipscore", ["references"])
    Traceback (most recent call last):
    captious.errors.InputError: clipscore needs image, and only references are given here. Give images=.
    """
    weights = asked if isinstance(asked, Mapping) else None
    named: list[Any] = list(weights) if weights is not None else listed(asked)  # type: ignore[arg-type]
    if not named:
        raise InputError("metric: none is named. Name one, for example cider.")
    found: dict[str, Part] = {}
    for one in named:
        weight = 1.0 if weights is None else weights[one]
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight != weight:  # noqa: PLR0124
            raise InputError(f"metric: the weight of {one} must be a number; found {weight!r}.")
        found |= {name: Part(metric, float(weight)) for name, metric in resolve_all([one]).items()}
    for name, part in found.items():
        if lacking := sorted(part.metric.needs - set(given)):
            have = " and ".join(given) or "captions"
            mend = "Give images=." if lacking == ["image"] else "Use another metric, for example cider."
            raise InputError(f"{name} needs {' and '.join(lacking)}, and only {have} are given here. {mend}")
    return found
