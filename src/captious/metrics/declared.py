"""What metrics declare, for `captious doctor` and the docs: texts that they are right for, and weights."""

from __future__ import annotations

from collections.abc import Mapping

from captious.metrics.base import Limit, Metric
from captious.metrics.registry import known_metrics, resolve
from captious.models.weights.find import refuse_no_weights
from captious.models.weights.known import KNOWN
from captious.text.languages import ANY, SPACED


def weights_of(name: str) -> tuple[str, ...]:
    """All weights that a metric runs; any other name must be one of weights, or a path.

    >>> weights_of("clipscore"), weights_of("openai/clip-vit-base-patch32")
    (('ViT-B-32/openai',), ('openai/clip-vit-base-patch32',))
    """
    if name in known_metrics():
        return resolve(name).weights()
    refuse_no_weights(name, [*known_metrics(), *KNOWN])
    return (name,)


def users_of_weights() -> dict[str, list[str]]:
    """Every metric's weights and all that we know of, each with the metrics that run them."""
    users: dict[str, list[str]] = {}
    for name in known_metrics():
        for one in resolve(name).weights():
            users.setdefault(one, []).append(name)
    return users | {one: [] for one in KNOWN if one not in users}


HEADER = ("metric", "longest text", "beyond it", "languages", "other languages")


def declared(metrics: Mapping[str, type[Metric]]) -> list[tuple[str, ...]]:
    """A row of `HEADER` for each metric.

    >>> from captious.metrics import known_metrics
    >>> declared({"bertgrammar": known_metrics()["bertgrammar"]})[0]
    ('bertgrammar', '128 tokens', 'truncate (or error, chunk)', 'en', 'refused')
    """
    return [(name, *_length(metric.longest), *_languages(metric)) for name, metric in metrics.items()]


def _languages(metric: type[Metric]) -> tuple[str, str]:
    claimed = metric().languages()
    if ANY in claimed:
        return ANY, ""
    refused = metric.strict_language or SPACED in claimed
    return ", ".join(claimed), "refused" if refused else "note; refused in another script"


def _length(longest: Limit | None) -> tuple[str, str]:
    if longest is None:
        return "any", ""
    others = [way for way in longest.beyond if way != longest.default]
    return str(longest), longest.default + (f" (or {', '.join(others)})" if others else "")
