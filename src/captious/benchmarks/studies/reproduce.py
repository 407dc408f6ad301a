"""Recompute published values: expected, got, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from captious.arguments import check_arguments
from captious.benchmarks.data_files import MissingDataError, data_folder
from captious.benchmarks.datasets.thumb import Leaked
from captious.benchmarks.studies import measures as _measures  # noqa: F401  # registers them
from captious.benchmarks.studies.asked import Asked, Cells, Room
from captious.benchmarks.studies.checks import VERDICTS, Check, Verdict, judge
from captious.benchmarks.studies.study import SUFFIX, Study, StudyData, StudyTable, find_study, study_names
from captious.corpus.readers import PathText
from captious.engine import Progress
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.models.locate import sha256
from captious.tables import Cell, Shown, Table

if TYPE_CHECKING:
    import pandas as pd

LABELLED = ("misprint", "open")


@dataclass(frozen=True, repr=False)
class Reproduction(Shown):
    """All checks; `holds` where some value was met and none fails that was not known to fail."""

    checks: list[Check]

    @property
    def holds(self) -> bool:
        """Whether the answer is yes: something was met, and nothing else failed than what is known."""
        met = any(check.verdict in ("equal", "near") for check in self.checks)
        return met and not any(check.verdict == "not reproduced" and not check.label for check in self.checks)

    def count(self, verdict: Verdict) -> int:
        """How many checks have a verdict."""
        return sum(check.verdict == verdict for check in self.checks)

    def tables(self) -> list[Table]:
        """One table: expected, got and verdict of every printed value; notes are numbered below.

        Values of one table that are skipped for one reason share a line. The last line of the note counts
        the verdicts, of all and by study.
        """
        notes = list(dict.fromkeys(check.note for check in self.checks if check.note))
        titles = list(dict.fromkeys(title for check in self.checks for title in check.beside))
        rows: list[list[Cell]] = []
        for skipped, own in groupby(self.checks, _together):
            group = list(own)
            if skipped and len(group) > 1:
                rows.append(_skipped_line(group, titles, notes))
            else:
                rows += [_line(check, titles, notes) for check in group]
        header = ["benchmark", "table", "row", "column", "expected", "got", *titles, "verdict", "note"]
        sources = dict.fromkeys(check.table.paper for check in self.checks)
        numbered = [f"({number}) {line}" for number, line in enumerate(notes, 1)]
        return [Table("", header, rows, "\n".join([*numbered, *sources, self.counted()]))]

    def counted(self) -> str:
        """How many values have each verdict, of all and by study."""
        by_study: dict[str, list[Check]] = {}
        for check in self.checks:
            by_study.setdefault(check.study, []).append(check)
        parts = [f"{name}: {_counts(own)}" for name, own in by_study.items()]
        return "; ".join(parts if len(parts) < 2 else [*parts, f"all: {_counts(self.checks)}"])

    def to_pandas(self) -> pd.DataFrame:
        """A row for each printed value."""
        from captious.tables.frames import data_frame

        return data_frame([check.to_dict() for check in self.checks])

    def to_dict(self) -> dict[str, Any]:
        """Counts of verdicts and all checks."""
        counts = {name: self.count(name) for name in VERDICTS}
        return {"holds": self.holds, "counts": counts, "checks": [c.to_dict() for c in self.checks]}


def _together(check: Check) -> tuple[str, ...]:
    """What the values that share a line have in common; nothing for a value with a line of its own."""
    if check.verdict != "skipped":
        return ()
    return check.study, check.table.benchmark, check.table.title, check.table.of, check.note


def _number(note: str, notes: list[str]) -> str:
    return f"({notes.index(note) + 1})" if note else ""


def _line(check: Check, titles: list[str], notes: list[str]) -> list[Cell]:
    verdict = f"{check.verdict}: {check.label}" if check.label else check.verdict
    beside = [check.shown(check.beside.get(title)) for title in titles]
    names: list[Cell] = [check.table.benchmark, check.table.title, check.printed.row, check.printed.column]
    return [*names, check.expected, check.shown(check.got), *beside, verdict, _number(check.note, notes)]


def _skipped_line(group: list[Check], titles: list[str], notes: list[str]) -> list[Cell]:
    first = group[0]
    names: list[Cell] = [first.table.benchmark, first.table.title, f"{len(group)} values", ""]
    return [*names, "", "", *("" for _ in titles), first.verdict, _number(first.note, notes)]


def _counts(checks: list[Check]) -> str:
    found = []
    for verdict in VERDICTS:
        n = sum(check.verdict == verdict for check in checks)
        labels = [
            f"{sum(check.label == label for check in checks)} {label}"
            for label in LABELLED
            if any(check.label == label for check in checks)
        ]
        said = f" ({', '.join(labels)})" if verdict == "not reproduced" and labels else ""
        found.append(f"{n} {verdict}{said}")
    return ", ".join(found)


def reproduce(
    benchmarks: str | Sequence[str] = (),
    data: PathText | None = None,
    *,
    golden: PathText | None = None,
    images: PathText | None = None,
    leaked: Leaked | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Recompute the published values of some studies, or of all.

    `benchmarks` names studies (`thumb`, `vifidel`, …), files of your own studies, or benchmarks, of which
    all values of every study are recomputed. Values whose data or packages are not here are skipped, with
    the reason. `golden` is the folder of what other programs said; `images` the photographs of a metric
    that looks at them. `leaked` says how THumB's leaked references are treated. A metric that is asked for
    by name and lacks its weights is an error that tells all that is missing.

    >>> import tempfile
    >>> found = reproduce("thumb", tempfile.mkdtemp())  # a folder without the data
    >>> found.holds, found.count("skipped") == len(found.checks)
    (False, True)
    """
    check_arguments(reproduce, locals())
    wanted = [benchmarks] if isinstance(benchmarks, str) else list(benchmarks)
    chosen = _chosen(wanted)
    if leaked is not None and leaked not in get_args(Leaked):
        raise UnknownNameError("--leaked", leaked, get_args(Leaked))
    if leaked is not None and wanted and "thumb" not in wanted:
        raise InputError("--leaked is an option of thumb, which was not requested. Add thumb.")
    room = Room(
        _folder(None if data is None else Path(data)),
        images=None if images is None else Path(images),
        golden=None if golden is None else Path(golden),
        leaked=leaked,
        progress=progress,
    )
    done = [Asked(study, table, study.data[table.data], room) for study, own in chosen for table in own]
    for asked in done:
        asked.check()
    checks = [check for asked in done for check in checked(asked)]
    for name in wanted:
        own = [one for one in checks if one.table.benchmark == name]
        if own and all(one.verdict == "skipped" for one in own):
            _refuse_lacking([asked for asked in done if asked.table.benchmark == name])
    return Reproduction(checks)


def _chosen(wanted: Sequence[str]) -> list[tuple[Study, list[StudyTable]]]:
    """Whole studies by name, and of the others the tables of the benchmarks that are named."""
    files = [find_study(name) for name in wanted if name.endswith((SUFFIX, ".yml"))]
    studies = [find_study(name) for name in study_names()]
    named = {name for name in wanted if not name.endswith((SUFFIX, ".yml"))}
    known = dict.fromkeys([*study_names(), *(table.benchmark for study in studies for table in study.tables)])
    for name in named:
        if name not in known:
            raise UnknownNameError("benchmark to reproduce", name, known)
    found = [(study, list(study.tables)) for study in files]
    for study in studies:
        everything = study.name in named or not wanted
        tables = [table for table in study.tables if everything or table.benchmark in named]
        if tables:
            found.append((study, tables))
    return found


def _folder(given: Path | None) -> Path | None:
    """The data folder; one that is named must be there."""
    try:
        return data_folder(given)
    except MissingDataError:
        if given is not None:
            raise
        return None


def _refuse_lacking(tables: Sequence[Asked]) -> None:
    """Whoever names a metric whose weights are missing is told all that is missing at once."""
    weights = list(dict.fromkeys(why for asked in tables for why in asked.lacking.values()))
    others = list(dict.fromkeys(asked.missing for asked in tables if asked.missing))
    if weights:
        raise InputError("; ".join(weights) + (f" (also missing: {' '.join(others)})" if others else ""))


def checked(asked: Asked) -> list[Check]:
    """Every printed value of a table against what is measured."""
    table, beside = asked.table, asked.study.data.get(asked.table.beside)
    cells, why = _measured(asked)
    others: dict[str, Cells] = {}
    if beside is not None and cells:
        others[beside.title or beside.name] = _measured(Asked(asked.study, table, beside, asked.room))[0]
    copies = _copies(asked.data, asked.room.folder) if cells else ""
    found = []
    for printed in table.printed:
        cell = (printed.row, printed.column)
        if cell not in cells:
            lacks = asked.lacking.get(printed.row) or asked.lacking.get(printed.column)
            found.append(Check(asked.study.name, table, printed, None, "skipped", lacks or why, {}))
            continue
        verdict, note = judge(printed, cells[cell])
        values = {title: own[cell].value for title, own in others.items() if cell in own}
        note = "; ".join(filter(None, (note, copies)))
        found.append(Check(asked.study.name, table, printed, cells[cell].value, verdict, note, values))
    return found


def _measured(asked: Asked) -> tuple[Cells, str]:
    """The values of a table, and why it has none or lacks some."""
    try:
        return asked.run(), f"{asked.data.benchmark or asked.data.name} has no such value"
    except MissingDependencyError as error:
        asked.lacking[""] = error.typed
        return {}, error.typed
    except MissingDataError as error:
        asked.missing = error.typed
        return {}, error.typed
    except InputError as error:
        raise InputError(f"{asked.study.name}: {asked.table.title}: {error.typed}") from None


def _copies(data: StudyData, folder: Path | None) -> str:
    """A remark where a file is another copy than that whose hash the study names."""
    if folder is None:
        return ""
    paths = [(folder / name, name, digest) for name, digest in data.files.items() if digest]
    other = [name for path, name, digest in paths if path.is_file() and sha256(path) != digest]
    return f"{', '.join(other)}: another copy than the one that the study names" if other else ""
