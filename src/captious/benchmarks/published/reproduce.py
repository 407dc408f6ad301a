"""Recompute published values: expected, got, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from captious.arguments import check_arguments
from captious.benchmarks.data_files.locate import MissingDataError, data_folder
from captious.benchmarks.datasets.thumb import Leaked
from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published.recompute.by_benchmark import RECOMPUTED
from captious.benchmarks.published.recompute.image_text import MissingWeightsError
from captious.benchmarks.published.recompute.thumb import LEAKED
from captious.benchmarks.published.values import Published, published_values
from captious.corpus.readers import PathText
from captious.engine import Progress
from captious.errors import InputError, UnknownNameError
from captious.tables import Cell, Number, Shown, Table

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["equal", "near", "not reproduced", "skipped"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# A value on the very edge of rounding is printed as either neighbour.
SLACK = 1e-9


class Check(NamedTuple):
    """One published value, the value of captious, and the verdict.

    `equal`: equal in every printed digit, or within a bound. `near`: different, but a measured cause
    covers the difference. `not reproduced`: neither. A note gives the cause with its figures, or what is
    known.
    """

    published: Published
    got: float | None
    verdict: Verdict
    note: str

    @property
    def expected(self) -> Number:
        """The published value as it is printed."""
        entry = self.published
        sign = "≥ " if entry.at_least else "≤ " if entry.at_most else ""
        return Number(entry.value, f"{sign}{entry.printed}")

    @property
    def shown(self) -> Cell:
        """What we got, with one decimal more than the paper."""
        if self.got is None:
            return ""
        decimals = len(self.published.printed.partition(".")[2])
        scale = 100 if self.published.percent else 1
        return Number(self.got, f"{self.got * scale:.{decimals + 1}f}")

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
            "at_most": entry.at_most,
            "got": self.got,
            "verdict": self.verdict,
            "note": self.note,
            "known": bool(entry.open),
        }


@dataclass(frozen=True, repr=False)
class Reproduction(Shown):
    """All checks; `holds` where some value was met and none fails that was not known to fail."""

    checks: list[Check]

    @property
    def holds(self) -> bool:
        """Whether the answer is yes: something was met, and nothing else failed than what is known."""
        met = any(check.verdict in ("equal", "near") for check in self.checks)
        return met and not any(
            check.verdict == "not reproduced" and not check.published.open for check in self.checks
        )

    def count(self, verdict: Verdict) -> int:
        """How many checks have a verdict."""
        return sum(check.verdict == verdict for check in self.checks)

    def tables(self) -> list[Table]:
        """One table: expected, got and verdict of every published value; notes are numbered below."""
        said = list(dict.fromkeys(check.note for check in self.checks if check.note))
        rows: list[list[Cell]] = [
            [
                check.published.benchmark,
                check.published.table,
                check.published.row,
                check.published.column,
                check.expected,
                check.shown,
                check.verdict,
                f"({said.index(check.note) + 1})" if check.note else "",
            ]
            for check in self.checks
        ]
        header = ["benchmark", "table", "row", "column", "expected", "got", "verdict", "note"]
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in VERDICTS)
        sources = list(dict.fromkeys(check.published.source for check in self.checks))
        notes = [f"({number}) {line}" for number, line in enumerate(said, 1)]
        return [Table("", header, rows, "\n".join([*notes, *sources, counts]))]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each published value."""
        from captious.tables.frames import data_frame

        return data_frame([check.to_dict() for check in self.checks])

    def to_dict(self) -> dict[str, Any]:
        """Counts of verdicts and all checks."""
        counts = {name: self.count(name) for name in VERDICTS}
        return {"holds": self.holds, "counts": counts, "checks": [c.to_dict() for c in self.checks]}


def reproduce(
    benchmarks: str | Sequence[str] = (),
    data: PathText | None = None,
    *,
    golden: PathText | None = None,
    parser: PathText | None = None,
    images: PathText | None = None,
    leaked: Leaked | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Recompute the published values of some benchmarks, or of all.

    Values whose data or packages are not here are skipped, with the reason. `golden` is the
    folder of what other programs said; `parser` a file of weights for SPICE's caption parser;
    `images` the photographs of a metric that looks at them. Such a metric that is asked for by name
    and lacks its weights is an error that tells all that is missing. `leaked` says how THumB's
    leaked references are treated.

    >>> import tempfile
    >>> found = reproduce("thumb", tempfile.mkdtemp())  # a folder without the data
    >>> found.holds, found.count("skipped") == len(found.checks)
    (False, True)
    """
    check_arguments(reproduce, locals())
    benchmarks = [benchmarks] if isinstance(benchmarks, str) else benchmarks
    for name in benchmarks:
        if name not in RECOMPUTED:
            raise UnknownNameError("benchmark to reproduce", name, RECOMPUTED)
    if parser is not None and benchmarks and "spice" not in benchmarks:
        raise InputError("--parser is an option of spice, which was not requested. Add spice.")
    if leaked is not None and leaked not in LEAKED:
        raise UnknownNameError("--leaked", leaked, LEAKED)
    if leaked is not None and benchmarks and "thumb" not in benchmarks:
        raise InputError("--leaked is an option of thumb, which was not requested. Add thumb.")
    folder, said, weights, photographs = (
        Path(path) if path is not None else None for path in (data, golden, parser, images)
    )
    if folder is not None:
        data_folder(folder)  # one that is named must be there
    checks: list[Check] = []
    for name in benchmarks or RECOMPUTED:
        entries = [entry for entry in published_values() if entry.benchmark == name]
        try:
            request = ReproductionRequest(data_folder(folder), progress, said, weights, photographs, leaked)
            measured = RECOMPUTED[name](request)
        except MissingDataError as error:
            measured = Measurements(skipped={"": error.typed})
        except MissingWeightsError as error:
            if name in benchmarks:
                raise
            measured = Measurements(skipped={"": error.typed})
        checks += [check(entry, measured) for entry in entries]
    return Reproduction(checks)


def check(entry: Published, measured: Measurements) -> Check:
    """Compare one published value with what was measured.

    >>> entry = published_values()[0]
    >>> entry.printed, check(entry, Measurements({entry.key: 4.8249})).verdict
    ('4.82', 'equal')
    >>> check(entry, Measurements({entry.key: 4.826})).verdict
    'not reproduced'
    """
    got = measured.values.get(entry.key)
    if got is None:
        return Check(entry, None, "skipped", measured.why(entry.key))
    remark = measured.remark(entry.key)
    if _is_met(entry, got):
        return Check(entry, got, "equal", remark)
    varied = measured.ranges.get(entry.key)
    reaches = varied is not None and (
        varied.low - entry.half_digit - SLACK <= entry.value <= varied.high + entry.half_digit + SLACK
    )
    if varied is not None and reaches:
        return Check(entry, got, "near", varied.reason)
    said = [entry.open or remark, f"not reached {varied.reason}" if varied is not None else ""]
    return Check(entry, got, "not reproduced", "; ".join(filter(None, said)))


def _is_met(entry: Published, got: float) -> bool:
    if entry.at_least:
        return got >= entry.value - SLACK
    if entry.at_most:
        return got <= entry.value + SLACK
    return abs(got - entry.value) <= entry.half_digit + SLACK
