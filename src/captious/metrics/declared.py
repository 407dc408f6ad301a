"""What metrics declare of the texts that they are right for, as `captious doctor` and the docs list it."""

from __future__ import annotations

from collections.abc import Mapping

from captious.metrics.base import Limit, Metric
from captious.text.languages import ANY, SPACED

HEADER = ("metric", "longest text", "beyond it", "languages", "other languages")


def declared(metrics: Mapping[str, type[Metric]]) -> list[tuple[str, ...]]:
    """A row of `HEADER` for each metric.

    >>> from captious.metrics import known_metrics
    >>> declared(known_metrics())[0]
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
