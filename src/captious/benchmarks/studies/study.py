"""A study as a file: data, tables, how each is recomputed, and what was printed.

The files of the papers are beside this module (`thumb.yaml`, …); anybody may write another. All cells of
the YAML are read as text, so that a printed 0.30 keeps its zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from captious.corpus.readers import open_source
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.yaml_file import not_yaml

SUFFIX = ".yaml"
STUDY_KEYS = ("paper", "data", "metrics", "tables")
DATA_KEYS = (
    *("title", "benchmark", "judgments", "captions", "references", "images", "objects", "scores"),
    *("where", "only", "without", "ratings", "files", "get"),
)
LABELS = ("misprint", "open", "not comparable")
BOUNDS = ("at_least", "at_most")
TABLE_KEYS = ("table", "benchmark", "paper", "measure", "of", "data", "beside", "percent", "bound", "columns")
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
NONE = "-"  # a cell that the paper leaves empty


@dataclass(frozen=True)
class StudyData:
    """One version of some data: a benchmark with choices, or files below the data folder.

    Of `judgments`, `where` keeps the rows with `COLUMN=VALUE`, `only` and `without` the images that fit a
    pattern or do not, and `ratings: each` compares every rating instead of their mean. `files` are the
    files by their SHA-256; `get` is the command that brings what is missing.
    """

    name: str
    title: str = ""
    benchmark: str = ""
    judgments: str = ""
    captions: str = ""
    references: str = ""
    images: str = ""
    objects: str = ""
    scores: str = ""
    where: str = ""
    only: str = ""
    without: str = ""
    ratings: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    get: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


class Printed(NamedTuple):
    """One printed number, the cell that it stands in, and what is known of it.

    `label` and `said` are set where the value is known to differ, `spread` and `cause` where a measured
    cause lets it differ by so much.
    """

    row: str
    column: str
    text: str
    percent: bool
    bound: str = ""
    label: str = ""
    said: str = ""
    spread: float = 0.0
    cause: str = ""

    @property
    def scale(self) -> int:
        """100 where the paper prints a hundred times our measurement."""
        return 100 if self.percent else 1

    @property
    def value(self) -> float:
        """The number on the scale of our measurements."""
        return float(self.text.replace(",", "")) / self.scale

    @property
    def half_digit(self) -> float:
        """Half a unit of the last printed digit, on the scale of our measurements."""
        return half_unit(self.text) / self.scale


def half_unit(printed: str) -> float:
    """Half a unit of the last printed digit.

    >>> half_unit("43.9"), half_unit("327")
    (0.05, 0.5)
    """
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


@dataclass(frozen=True)
class StudyTable:
    """A table of a paper, or the part of it that is recomputed in one way.

    `benchmark` is the name under which `captious reproduce` lists it, `of` what its values are called in
    JSON. `options` are those of the measure.
    """

    title: str
    benchmark: str
    paper: str
    measure: str
    of: str
    data: str
    beside: str
    columns: tuple[str, ...]
    printed: tuple[Printed, ...]
    percent: bool
    options: Mapping[str, str]

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(dict.fromkeys(one.row for one in self.printed))


@dataclass(frozen=True)
class Study:
    """A study: its name, its paper, its data, its metrics by printed name, and its tables."""

    name: str
    paper: str
    data: Mapping[str, StudyData]
    metrics: Mapping[str, str]
    tables: tuple[StudyTable, ...]


def study_names() -> tuple[str, ...]:
    """The studies that come with captious.

    >>> "thumb" in study_names()
    True
    """
    folder = files("captious.benchmarks.studies")
    return tuple(sorted(one.name.removesuffix(SUFFIX) for one in folder.iterdir() if SUFFIX in one.name))


def find_study(name: str) -> Study:
    """A study by its name, or from a file.

    >>> find_study("thumb").paper.partition(",")[0]
    'Kasai et al. 2022'
    """
    if name.endswith((SUFFIX, ".yml")):
        path = Path(name)
        if not path.is_file():
            raise InputError(f"{path}: there is no such file. Name a study file, or one of {_listed()}.")
        return parse_study(open_source(path).data.decode(errors="replace"), path.stem, str(path))
    if name not in study_names():
        raise UnknownNameError("study", name, study_names())
    return _own(name)


def _listed() -> str:
    return ", ".join(study_names())


@cache
def _own(name: str) -> Study:
    source = files("captious.benchmarks.studies").joinpath(name + SUFFIX)
    return parse_study(source.read_text(encoding="utf-8"), name, name + SUFFIX)


def parse_study(text: str, name: str, source: str) -> Study:
    """A study from the text of its file."""
    import yaml

    try:
        raw = yaml.load(text, Loader=yaml.BaseLoader)  # all cells are text; no tag is resolved
    except yaml.YAMLError as error:
        raise InputError(not_yaml(source, error)) from None
    own = _mapping(raw, source, "the study", STUDY_KEYS)
    data = {
        key: _data(key, value, source) for key, value in _mapping(own.get("data", {}), source, "data").items()
    }
    metrics = {key: str(value) for key, value in _mapping(own.get("metrics", {}), source, "metrics").items()}
    paper = str(own.get("paper", name))
    listed = own.get("tables")
    if not isinstance(listed, list) or not listed:
        raise InputError(f'{source}: has no "tables". List at least one.')
    tables = tuple(_table(one, name, paper, data, source) for one in listed)
    return Study(name, paper, data, metrics, tables)


def _mapping(raw: object, source: str, what: str, known: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise InputError(f"{source}: {what}: expected keys with values.")
    unknown = next((key for key in raw if known and key not in known), None)
    if unknown is not None:
        raise InputError(f"{source}: {what}: {UnknownNameError('key', one_line(str(unknown)), known)}")
    return raw


def _texts(
    own: dict[str, Any], source: str, what: str, known: tuple[str, ...], but: tuple[str, ...]
) -> dict[str, Any]:
    """The keys and values, all of them text but those named; other keys than the known may be options."""
    other = next((key for key, value in own.items() if key not in but and not isinstance(value, str)), None)
    if other is None:
        return own
    if other not in known:
        raise InputError(f"{source}: {what}: {UnknownNameError('key', one_line(str(other)), (*known, *but))}")
    raise InputError(f'{source}: {what}: "{other}": expected text, such as "a b" for several names.')


def _data(name: str, raw: object, source: str) -> StudyData:
    what = f"data {one_line(str(name), 60)}"
    own = _texts(_mapping(raw, source, what), source, what, DATA_KEYS, but=("files",))
    known = {key: own[key] for key in DATA_KEYS if key in own}
    choices = {key: str(value) for key, value in own.items() if key not in DATA_KEYS}
    if not any(key in known for key in ("benchmark", "judgments", "captions")):
        raise InputError(f'{source}: {what}: give a "benchmark", or a file of "judgments" or "captions".')
    return StudyData(name, **known, choices=choices)


def _table(raw: object, study: str, paper: str, data: Mapping[str, StudyData], source: str) -> StudyTable:
    what = f"table {one_line(str(raw.get('table', '?')), 60)}" if isinstance(raw, dict) else "a table"
    of_cells = ("rows", "varies", *LABELS)
    own = _texts(_mapping(raw, source, what), source, what, TABLE_KEYS, but=of_cells)
    missing = next((key for key in ("table", "measure", "data", "columns", "rows") if key not in own), None)
    if missing is not None:
        raise InputError(f'{source}: {what}: has no "{missing}".')
    for key in ("data", "beside"):
        if key in own and own[key] not in data:
            raise InputError(f"{source}: {what}: {UnknownNameError('data', str(own[key]), data)}")
    bound = str(own.get("bound", ""))
    if bound not in ("", *BOUNDS):
        raise InputError(f"{source}: {what}: {UnknownNameError('bound', bound, BOUNDS)}")
    columns = tuple(str(own["columns"]).split())
    said = str(own.get("percent", "no"))
    if said not in TRUTHS:
        raise InputError(f'{source}: {what}: percent: "{one_line(said, 30)}" is neither yes nor no.')
    percent = TRUTHS[said]
    return StudyTable(
        title=str(own["table"]),
        benchmark=str(own.get("benchmark", study)),
        paper=str(own.get("paper", paper)),
        measure=str(own["measure"]),
        of=str(own.get("of", own["measure"])),
        data=str(own["data"]),
        beside=str(own.get("beside", "")),
        columns=columns,
        printed=tuple(_printed(own, columns, percent, bound, source, what)),
        percent=percent,
        options={key: str(value) for key, value in own.items() if key not in (*TABLE_KEYS, *of_cells)},
    )


def _printed(
    own: Mapping[str, Any], columns: tuple[str, ...], percent: bool, bound: str, source: str, what: str
) -> list[Printed]:
    known = {
        pattern: (label, str(said))
        for label in LABELS
        for pattern, said in _mapping(own.get(label, {}), source, f"{what}, {label}").items()
    }
    varies = _mapping(own.get("varies", {}), source, f"{what}, varies")
    found = []
    for row, cells in _mapping(own["rows"], source, f"{what}, rows").items():
        texts = str(cells).split()
        if len(texts) != len(columns):
            raise InputError(f"{source}: {what}: row {row}: {len(texts)} values for {len(columns)} columns.")
        for column, text in zip(columns, texts, strict=True):
            if text == NONE:
                continue
            _number(text, f"{source}: {what}: row {row}")
            label, said = _of_cell(known, row, column) or ("", "")
            spread, cause = _spread(str(_of_cell(varies, row, column) or "0"), f"{source}: {what}")
            found.append(Printed(row, column, text, percent, bound, label, said, spread, cause))
    for pattern in (*known, *varies):
        if not any(_fits(one.row, one.column, pattern) for one in found):
            raise InputError(
                f'{source}: {what}: "{one_line(pattern)}" is no cell of it. Write ROW/COLUMN, with * for '
                "anything."
            )
    return found


def _number(text: str, where: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise InputError(f'{where}: "{one_line(text, 60)}" is not a number.') from None


def _spread(text: str, where: str) -> tuple[float, str]:
    """By how much a cell varies, and the cause."""
    spread, _, cause = text.partition(" ")
    return _number(spread, f"{where}, varies"), cause


def _of_cell(patterns: Mapping[str, Any], row: str, column: str) -> Any:
    """What belongs to the first pattern `ROW/COLUMN` that a cell fits; a star stands for anything."""
    return next((said for pattern, said in patterns.items() if _fits(row, column, pattern)), None)


def _fits(row: str, column: str, pattern: str) -> bool:
    return fnmatchcase(f"{row}/{column}", pattern)
