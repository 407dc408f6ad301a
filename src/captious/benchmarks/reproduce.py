"""Recompute published values: expected, got, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from captious.benchmarks.image_text import MissingWeightsError
from captious.benchmarks.locate import MissingDataError, data_folder
from captious.benchmarks.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published import Published, half_unit, published_values
from captious.benchmarks.recompute import RECOMPUTED
from captious.engine import Progress
from captious.errors import InputError, UnknownNameError

Verdict = Literal["holds", "near", "explained", "differs", "skipped"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# A value on the very edge of rounding is printed as either neighbour.
SLACK = 1e-9


class Check(NamedTuple):
    """One published value, what we got, and the verdict.

    `holds`: the printed value to its last digit, or a bound that is reached. `near`: within a
    wider tolerance, for the reason that is told. `explained`: not the printed value, but what the
    released data are known to give. A note on what holds says what was counted.
    """

    published: Published
    got: float | None
    verdict: Verdict
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        entry = self.published
        return {
            "benchmark": entry.benchmark,
            "source": entry.source,
            "table": entry.table,
            "row": entry.row,
            "column": entry.column,
            "measure": entry.key.partition("/")[0],
            "expected": entry.value,
            "at_least": entry.at_least,
            "got": self.got,
            "tolerance": entry.tolerance,
            "verdict": self.verdict,
            "note": self.note,
        }


@dataclass(frozen=True)
class Reproduction:
    """All checks; `holds` where some value was met and none differs."""

    checks: list[Check]

    @property
    def holds(self) -> bool:
        """Whether the answer is yes: something was checked, and nothing differs."""
        verdicts = {check.verdict for check in self.checks}
        return "differs" not in verdicts and bool(verdicts & {"holds", "near"})

    def count(self, verdict: Verdict) -> int:
        """How many checks have a verdict."""
        return sum(check.verdict == verdict for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Counts of verdicts and all checks."""
        counts = {name: self.count(name) for name in VERDICTS}
        return {"holds": self.holds, "counts": counts, "checks": [c.to_dict() for c in self.checks]}


def reproduce(
    benchmarks: Sequence[str] = (),
    data: Path | None = None,
    progress: Progress | None = None,
    *,
    golden: Path | None = None,
    parser: Path | None = None,
    images: Path | None = None,
) -> Reproduction:
    """Recompute the published values of some benchmarks, or of all.

    Values whose data or packages are not here are skipped, with the reason. `golden` is the
    folder of what other programs said; `parser` a file of weights for SPICE's caption parser;
    `images` the photographs of a metric that looks at them. Such a metric that is asked for by name
    and lacks its weights is an error that tells all that is missing.
    """
    for name in benchmarks:
        if name not in RECOMPUTED:
            raise UnknownNameError("benchmark to reproduce", name, RECOMPUTED)
    if parser is not None and benchmarks and "spice" not in benchmarks:
        raise InputError("--parser is a choice of spice, which was not asked for. Add it.")
    checks: list[Check] = []
    for name in benchmarks or RECOMPUTED:
        entries = [entry for entry in published_values() if entry.benchmark == name]
        try:
            request = ReproductionRequest(data_folder(data), progress, golden, parser, images)
            measured = RECOMPUTED[name](request)
        except MissingDataError as error:
            measured = Measurements(skipped={"": str(error)})
        except MissingWeightsError as error:
            if name in benchmarks:
                raise
            measured = Measurements(skipped={"": str(error)})
        checks += [check(entry, measured) for entry in entries]
    return Reproduction(checks)


def check(entry: Published, measured: Measurements) -> Check:
    """Compare one published value with what was measured.

    >>> entry = published_values()[0]
    >>> entry.printed, check(entry, Measurements({entry.key: 4.8249})).verdict
    ('4.82', 'holds')
    >>> check(entry, Measurements({entry.key: 4.826})).verdict
    'differs'
    """
    got = measured.values.get(entry.key)
    if got is None:
        return Check(entry, None, "skipped", measured.why(entry.key))
    scale = 100 if entry.percent else 1
    remark = measured.remark(entry.key)
    if entry.at_least:
        return Check(entry, got, "holds" if got >= entry.value - SLACK else "differs", remark)
    if abs(got - entry.value) <= half_unit(entry.printed) / scale + SLACK:
        return Check(entry, got, "holds", remark)
    if abs(got - entry.value) <= entry.tolerance + SLACK:
        return Check(entry, got, "near", entry.reason)
    if entry.released:
        reach = half_unit(entry.released) / scale
        if abs(got - entry.released_value) <= reach + SLACK:
            return Check(entry, got, "explained", entry.reason)
    return Check(entry, got, "differs", entry.reason or remark)
