"""What metrics declare of the texts that they are right for, as `captious doctor` and the docs list it."""

from __future__ import annotations

from collections.abc import Mapping

from captious.metrics.base import Limit, Metric

HEADER = ("metric", "longest text", "beyond it")


def declared(metrics: Mapping[str, type[Metric]]) -> list[tuple[str, ...]]:
    """A row of `HEADER` for each metric.

    >>> from captious.metrics import known_metrics
    >>> declared(known_metrics())[0]
    ('bertgrammar', '128 tokens', 'truncate (or error, chunk)')
    """
    return [(name, *_length(metric.longest)) for name, metric in metrics.items()]


def _length(longest: Limit | None) -> tuple[str, str]:
    if longest is None:
        return "any", ""
    others = [way for way in longest.beyond if way != longest.default]
    return str(longest), longest.default + (f" (or {', '.join(others)})" if others else "")
