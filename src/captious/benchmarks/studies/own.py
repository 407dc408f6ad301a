"""A study's tables on your own judgments: the same measures, with your systems, raters and aspects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from captious.arguments import check_arguments
from captious.benchmarks.studies import measures as _measures  # noqa: F401  # registers them
from captious.benchmarks.studies.asked import NOBODY, Asked, Cells, NoHumanError, Room
from captious.benchmarks.studies.study import StudyTable, find_study
from captious.corpus.judged import read_judgments
from captious.corpus.readers import PathText
from captious.engine import Progress
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.tables import Cell, Number, Shown, Table, number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class OwnTable:
    """A table of a study on your data: its values by row and column, or `why` it has none."""

    title: str
    table: StudyTable
    cells: dict[tuple[str, str], float]
    lacking: dict[str, str]
    why: str = ""

    @property
    def decimals(self) -> int:
        """How many decimals the paper prints."""
        return max(len(one.text.partition(".")[2]) for one in self.table.printed)

    def shown(self) -> Table:
        """The values as the paper prints them, with one decimal more."""
        rows = list(dict.fromkeys(row for row, _ in self.cells))
        named = [column for column in self.table.columns if any(column == own for _, own in self.cells)]
        columns = list(dict.fromkeys([*named, *(column for _, column in self.cells)]))
        body: list[list[Cell]] = [[row, *(self._cell(row, column) for column in columns)] for row in rows]
        return Table(self.title, ["", *columns], body)

    def _cell(self, row: str, column: str) -> Cell:
        value = self.cells.get((row, column))
        if value is None or math.isnan(value):
            return number(value)
        is_count = self.decimals == 0 and value.is_integer()
        scaled = value * (100 if self.table.percent else 1)
        return Number(value, f"{scaled:,.{0 if is_count else self.decimals + 1}f}")

    def with_part(self, other: OwnTable) -> OwnTable:
        """This table with the cells of another part of it."""
        return replace(self, cells=self.cells | other.cells, lacking=self.lacking | other.lacking)

    def with_title_of(self, other: OwnTable) -> OwnTable:
        """This table under what its title shares with another's."""
        theirs = other.title.split(", ")
        return replace(self, title=", ".join(part for part in self.title.split(", ") if part in theirs))


def _joined(found: Iterable[OwnTable]) -> list[OwnTable]:
    """Parts of a table together; and once what are several tables of the paper's, but one on your data."""
    whole: dict[object, OwnTable] = {}
    for one in found:
        key = (one.title, one.table.measure, one.table.percent, one.decimals, one.why)
        whole[key] = whole[key].with_part(one) if key in whole else one
    once: dict[object, OwnTable] = {}
    for one in whole.values():
        table = one.title.partition(", ")[0]
        same = (table, one.table.measure, repr(one.cells) if one.cells else one.title, one.why)
        once[same] = once[same].with_title_of(one) if same in once else one
    return list(once.values())


@dataclass(frozen=True, repr=False)
class OwnStudy(Shown):
    """The tables of a study on your data, and those that your data have nothing for."""

    name: str
    paper: str
    source: str
    found: tuple[OwnTable, ...]

    def tables(self) -> list[Table]:
        """The tables that have values, and last what has none, with the reason."""
        left_out: dict[str, list[str]] = {}
        for one in self.found:
            for name, why in (one.lacking or ({} if one.cells else {one.title: one.why})).items():
                left_out.setdefault(why, []).append(name)
        rows = [["; ".join(dict.fromkeys(names)), why] for why, names in left_out.items()]
        last = [Table("Left out", ["tables and metrics", "reason"], rows)] if rows else []
        return [*(one.shown() for one in self.found if one.cells), *last]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each value."""
        from captious.tables.frames import data_frame

        return data_frame(
            [
                {"table": one.title, "row": row, "column": column, "value": value}
                for one in self.found
                for (row, column), value in one.cells.items()
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "study": self.name,
            "paper": self.paper,
            "data": self.source,
            "tables": [
                {
                    "table": one.title,
                    "measure": one.table.measure,
                    "options": dict(one.table.options),
                    "values": [
                        {"row": row, "column": column, "value": value}
                        for (row, column), value in one.cells.items()
                    ],
                    "lacking": one.lacking,
                    "left_out": one.why,
                }
                for one in self.found
            ],
        }


def study(
    name: str,
    data: PathText,
    *,
    human: str | Sequence[str] = (),
    images: PathText | None = None,
    progress: Progress | None = None,
) -> OwnStudy:
    """Compute the tables of a study on your own judgments.

    `name` is a study (`thumb`, `iicr`, …) or a file of one; `data` a file of judgments, or the folder of an
    export. `human` names the systems whose captions people wrote, or is `none` if nobody did: tables without
    human captions need it. `images` is a folder of photographs for metrics that look at them.

    >>> import json, pathlib, tempfile
    >>> rows = [{"image": str(n), "system": system, "caption": f"{n} dogs", "rater": "r", "rating": n % 3}
    ...     for n in range(6) for system in ("a", "b")]
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mine.jsonl")
    >>> _ = path.write_text("\\n".join(map(json.dumps, rows)))
    >>> found = study("thumb", path, human="none")
    >>> next(one.cells for one in found.found if one.cells)
    {('a', 'overall'): 1.0, ('b', 'overall'): 1.0}
    """
    check_arguments(study, locals())
    own = find_study(name)
    path = _file(Path(data))
    people = (human,) if isinstance(human, str) else tuple(human)
    known = _systems(path)
    for one in people:
        if one != NOBODY and one not in known:
            raise UnknownNameError("--human", one, known)
    room = Room(None, path, people, None if images is None else Path(images), progress=progress)
    every = [Asked(own, table, own.data[table.data], room) for table in own.tables]
    for asked in every:
        asked.check()
    done = _joined(map(_on_own, every))
    if not any(one.cells for one in done):
        reasons = list(dict.fromkeys(one.why for one in done if one.table.measure != "by command"))
        raise InputError(f"{path}: has nothing for any table of {name}: {' '.join(reasons)}")
    return OwnStudy(name, own.paper, path.name, tuple(done))


def _file(path: Path) -> Path:
    """The judgments of an export's folder: the final ones where it has them."""
    if not path.is_dir():
        return path
    found = next(
        (path / name for name in ("final.jsonl", "judgments.jsonl") if (path / name).is_file()), None
    )
    if found is None:
        raise InputError(f"{path}: is no export: it has no final.jsonl. Give a file of judgments.")
    return found


def _systems(path: Path) -> list[str]:
    corpus = read_judgments(path).corpus
    return [] if corpus is None else list(corpus.systems)


def _on_own(asked: Asked) -> OwnTable:
    table = asked.table
    try:
        cells: Cells = asked.run()
    except NoHumanError:
        raise
    except (InputError, MissingDependencyError) as error:
        return OwnTable(table.title, table, {}, {}, error.typed)
    why = "" if cells else "your judgments have nothing for it"
    values = {cell: one.value for cell, one in cells.items()}
    return OwnTable(table.title, table, values, dict(asked.lacking), why)
