"""`Rows`: what a reader hands over, as it stood in the file, before anything is judged valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from captious.corpus.columns import list_in_text
from captious.corpus.readers.names import is_of_use, roles_of
from captious.errors import InputError, one_line

Column = list[object]


class _Missing:
    """Marks a cell whose key is not in its row, which is not the same as null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


class Problem(NamedTuple):
    """One thing wrong with one place of a file."""

    code: str
    place: str
    what: str
    mend: str
    image: str | None = None

    def line(self, source: str) -> str:
        """The problem as one line: file, place, what, how to fix it."""
        place = f"{self.place}: " if self.place else ""
        return f"{source}: {place}{self.what}. {self.mend}"


@dataclass(frozen=True)
class Places:
    """The place of each row in its file: `entry 17`, `line 3`, `row 5` or `key "391895"`.

    Entries, lines and rows are counted from 1.

    >>> Places("line", [2, 5])[1]
    'line 5'
    """

    unit: str
    numbers: Sequence[int] | None = None
    keys: Sequence[str] | None = None

    def __getitem__(self, row: int) -> str:
        if self.keys is not None:
            return f'{self.unit} "{one_line(self.keys[row], 40)}"'
        return f"{self.unit} {self.numbers[row] if self.numbers is not None else row + 1}"


@dataclass(frozen=True, eq=False)
class Rows:
    """Raw columns of a file under the names of their roles, with the place of each row.

    `problems` are faults of shape (an entry that is no object, an empty list); where such a fault
    leaves an empty row, the row is `broken`.
    `keys` maps roles to the file's own names; `file_names` are those of COCO
    annotations; `grouped` is true where the file holds a list of captions for an image.
    """

    source: str
    stem: str
    format: str
    columns: dict[str, Column]
    places: Places
    keys: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    file_names: dict[str, str] = field(default_factory=dict)
    grouped: bool = False
    broken: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values()), default=0)

    def taken(self, rows: Sequence[int]) -> Rows:
        """Some of the rows, each with its own place in the file."""
        kept = {place: row for row, place in enumerate(rows)}
        numbers, keys = self.places.numbers, self.places.keys
        return replace(
            self,
            columns={name: [column[row] for row in rows] for name, column in self.columns.items()},
            places=Places(
                self.places.unit,
                [row + 1 if numbers is None else numbers[row] for row in rows],
                None if keys is None else [keys[row] for row in rows],
            ),
            broken=frozenset(kept[row] for row in self.broken if row in kept),
        )

    def key(self, role: str, default: str) -> str:
        """The file's own name for a role, for messages."""
        return self.keys.get(role, default)


class ColumnBuilder:
    """Grows columns from objects, a block at a time, so that the objects can go again."""

    def __init__(self, wanted: Callable[[str], bool] = is_of_use) -> None:
        self.wanted = wanted
        self.columns: dict[str, Column] = {}
        self.length = 0
        self.not_objects: list[tuple[int, object]] = []

    def extend(self, objects: Sequence[object]) -> None:
        """Add a block of parsed JSON objects; what is no object becomes an empty row."""
        rows: list[dict[str, object]] = []
        if set(map(type, objects)) <= {dict}:
            rows = objects  # type: ignore[assignment]
        else:
            for offset, item in enumerate(objects):
                if not isinstance(item, dict):
                    self.not_objects.append((self.length + offset, item))
                rows.append(item if isinstance(item, dict) else {})
        for key in filter(self.wanted, dict.fromkeys(key for row in rows for key in row)):
            column = self.columns.setdefault(key, [MISSING] * self.length)
            try:
                column.extend([row[key] for row in rows])
            except KeyError:
                del column[self.length :]
                column.extend([row.get(key, MISSING) for row in rows])
        self.length += len(rows)
        for column in self.columns.values():
            column.extend([MISSING] * (self.length - len(column)))


def by_role(columns: dict[str, Column]) -> tuple[dict[str, Column], dict[str, str]]:
    """Columns under the names of their roles; the rest keep their own names.

    References that are written as a list in one text, as pandas and VLMEvalKit do, become a list; a caption
    that is becomes one too, so that nobody takes its brackets for words.
    """
    roles = roles_of(columns)
    taken = set(roles.values())
    named = {role: columns[key] for role, key in roles.items()}
    for role in {"references", "caption"} & named.keys():
        named[role] = [list_in_text(cell) for cell in named[role]]
    # A file with both "seg_id" and "image" keeps the first as its image column.
    rest = {k: column for k, column in columns.items() if k not in taken and k not in named}
    return named | rest, roles


def refuse(source: str, problems: Sequence[Problem]) -> None:
    """Raise the first problem as an `InputError`, and say how many more there are."""
    if not problems:
        return
    more = len(problems) - 1
    tail = f" ({more:,} more; captious data check lists them.)" if more else ""
    raise InputError(problems[0].line(source) + tail)
