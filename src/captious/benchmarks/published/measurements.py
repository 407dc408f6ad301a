"""What a reproduction is asked, and what it measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from captious.benchmarks.datasets.thumb import Leaked
from captious.engine import Progress


class ReproductionRequest(NamedTuple):
    """Where the data are, golden values may be and photographs are, and SPICE's caption parser.

    `golden`, `parser` and `images` are what was named; None leaves them to where they usually are.
    `leaked` is how THumB's leaked references are treated; None replaces them where that can be done.
    """

    data: Path
    progress: Progress | None = None
    golden: Path | None = None
    parser: Path | None = None
    images: Path | None = None
    leaked: Leaked | None = None


class Range(NamedTuple):
    """From where to where a value goes by something that the paper leaves open, and what that is."""

    low: float
    high: float
    reason: str


@dataclass
class Measurements:
    """Values by key; for keys that could not be measured the reason; remarks on those that were.

    `ranges` holds what was measured of the reason why a value may differ from the printed one.
    """

    values: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)

    def vary(self, key: str, values: Iterable[float], reason: str) -> None:
        """Say that a key's value takes all these values for a reason."""
        found = list(values)
        self.ranges[key] = Range(min(found), max(found), reason)

    def why(self, key: str) -> str:
        """Why a key has no value: the reason of its longest prefix that has one."""
        return _of_prefix(self.skipped, key) or "not measured"

    def remark(self, key: str) -> str:
        """What there is to say of a key's value.

        >>> Measurements(remarks={"r/": "all items"}).remark("r/thumb")
        'all items'
        """
        return _of_prefix(self.remarks, key)


def _of_prefix(texts: dict[str, str], key: str) -> str:
    found = [prefix for prefix in texts if key.startswith(prefix)]
    return texts[max(found, key=len)] if found else ""


Recompute = Callable[[ReproductionRequest], Measurements]
