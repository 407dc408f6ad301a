"""Settings and results of a meta-evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from captious.arguments import check_arguments
from captious.benchmarks.protocol import Protocol
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED

IntervalBy = Literal["cluster", "item", "analytic"]
INTERVALS: tuple[IntervalBy, ...] = get_args(IntervalBy)


class Value(NamedTuple):
    """A coefficient with its interval, the number of rows, and the reason if it is NaN."""

    value: float
    low: float
    high: float
    n: int
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found: dict[str, Any] = {"value": self.value, "low": self.low, "high": self.high}
        return found | {"n": self.n} | ({"reason": self.reason} if self.reason else {})


class Difference(NamedTuple):
    """Metric `a` minus metric `b` on the same draws.

    Williams' test is available only for Pearson at the item level; it treats rows as independent.
    """

    a: str
    b: str
    coefficient: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_williams: float


@dataclass(frozen=True)
class MetaResult:
    """The result of a meta-evaluation, with its protocol."""

    benchmark: str
    protocol: dict[str, Any]
    n: int
    results: dict[str, dict[str, Value]]
    signatures: dict[str, str]
    notes: tuple[str, ...] = ()
    differences: list[Difference] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape: benchmark, protocol, n, results by metric and coefficient."""
        found: dict[str, Any] = {
            "benchmark": self.benchmark,
            "protocol": self.protocol,
            "n": self.n,
            "results": {
                metric: {name: value.to_dict() for name, value in values.items()}
                for metric, values in self.results.items()
            },
            "signatures": self.signatures,
        }
        if self.notes:
            found["notes"] = list(self.notes)
        if self.differences:
            found["comparisons"] = [pair._asdict() for pair in self.differences]
        return found


@dataclass(frozen=True)
class MetaSettings:
    """Settings that override those of the protocol; `None` keeps the protocol's own.

    >>> MetaSettings(coefficients=("pearson",), interval="item", resamples=200).confidence is None
    True
    """

    aspect: str | None = None
    coefficients: tuple[str, ...] | None = None
    level: str | None = None
    interval: IntervalBy = "cluster"
    resamples: int = DEFAULT_RESAMPLES
    confidence: float | None = None
    seed: int = DEFAULT_SEED
    compare: bool = False

    def __post_init__(self) -> None:
        check_arguments(MetaSettings, vars(self))


def described(protocol: Protocol, settings: MetaSettings) -> dict[str, Any]:
    """The protocol with how the intervals were drawn, for JSON."""
    interval: dict[str, Any] = {"interval": settings.interval}
    if settings.interval != "analytic":
        interval |= {"resamples": settings.resamples, "resampling_seed": settings.seed}
    return protocol.to_dict() | interval
