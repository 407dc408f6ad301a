"""What a measure is asked, and what it answers: the data of a table, and a value for each of its cells."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from captious.benchmarks.data_files import GOLDEN, GOLDEN_VARIABLE, MissingDataError, source_of
from captious.benchmarks.datasets.own_file import load_own_file
from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.benchmarks.selection.extra_inputs import (
    examples_of,
    first_references,
    with_images,
    with_objects,
)
from captious.benchmarks.selection.parts import systems_of
from captious.benchmarks.studies.study import Study, StudyData, StudyTable
from captious.corpus.columns import FloatArray
from captious.corpus.images import find_images
from captious.engine import Progress
from captious.errors import InputError, MissingDependencyError, UnknownNameError, one_line
from captious.metric_names import plain_name
from captious.metrics import resolve

LEVEL = 0.95
NORMAL = float(norm.ppf((1 + LEVEL) / 2))
NAMED = {str: "text", int: "whole number above 0", float: "number above 0"}


class Measured(NamedTuple):
    """A value; from where to where it goes by what the paper leaves open, and what that is; a remark."""

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str = ""
    note: str = ""


def one_run(values: Sequence[float], cause: str) -> Measured:
    """The mean of several runs, and where 95% of single runs lie, as a paper's single run does.

    The mean plus or minus t sqrt((1 + 1/n) s^2), with s^2 the variance between the n runs.
    """
    n = len(values)
    variance = float(np.var(values, ddof=1)) * (1 + 1 / n)
    return around(float(np.mean(values)), variance, cause, float(student.ppf((1 + LEVEL) / 2, n - 1)))


def around(mean: float, variance: float, cause: str, deviations: float = NORMAL) -> Measured:
    """A mean, and where values of a known variance lie around it, 95% of them."""
    reach = deviations * math.sqrt(variance)
    return Measured(mean, mean - reach, mean + reach, cause)


Cells = dict[tuple[str, str], Measured]
Measure = Callable[..., Cells]
MEASURES: dict[str, Measure] = {}
NOBODY = "none"


def measure(name: str) -> Callable[[Measure], Measure]:
    """Register a measure; its keyword arguments are the options that a table may set, all of them text."""

    def register(function: Measure) -> Measure:
        MEASURES[name] = function
        return function

    return register


class NoHumanError(InputError):
    """Human captions are to be left out, and nothing says which they are."""


@dataclass
class Room:
    """Where a study's data are: the folder, your own judgments in their place, photographs, human systems.

    `human` are the systems of your own judgments whose captions people wrote. Data and scores are kept, as
    several tables use the same.
    """

    folder: Path | None
    own: Path | None = None
    human: tuple[str, ...] = ()
    images: Path | None = None
    golden: Path | None = None
    leaked: str | None = None
    progress: Progress | None = None
    kept: dict[object, object] = field(default_factory=dict)


@dataclass
class Asked:
    """One table of a study, on one version of its data.

    `lacking` says why a metric has no value, `missing` what is missing of the data.
    """

    study: Study
    table: StudyTable
    data: StudyData
    room: Room
    lacking: dict[str, str] = field(default_factory=dict)
    missing: str = ""

    def run(self) -> Cells:
        """The values of the table's cells."""
        return MEASURES[self.table.measure](self, **self._options())

    def check(self) -> None:
        """Refuse a measure, an option or a metric that does not exist, before anything is computed."""
        try:
            if self.table.measure not in MEASURES:
                raise UnknownNameError("measure", self.table.measure, MEASURES)
            self._options()
            for name in self.study.metrics.values():
                resolve(name)
        except InputError as error:
            raise InputError(f"{self.study.name}: {self.table.title}: {error.typed}") from None

    def _options(self) -> dict[str, object]:
        """The options of the table as its measure wants them: text, or numbers above 0."""
        known = dict(inspect.signature(MEASURES[self.table.measure], eval_str=True).parameters)
        del known["asked"]
        unknown = next((name for name in self.table.options if name not in known), None)
        if unknown is not None:
            raise UnknownNameError("option", unknown, known)
        found: dict[str, object] = {}
        for name, option in known.items():
            if name not in self.table.options:
                if option.default is option.empty:
                    raise InputError(f'{self.table.measure} needs the option "{name}".')
                continue
            text = self.table.options[name]
            try:
                found[name] = option.annotation(text)
            except ValueError:
                found[name] = 0
            if found[name] in (0, ""):
                raise InputError(f'{name}: "{one_line(text, 30)}" is no {NAMED[option.annotation]}.')
        return found

    @property
    def is_own(self) -> bool:
        """Whether the data are the user's, so that rows and columns are what is in them."""
        return self.room.own is not None

    def folder(self, benchmark: str) -> Path:
        """The data folder; where there is none, the command that brings a benchmark."""
        if self.room.folder is None:
            raise MissingDataError(f"no data folder. Get the data with: captious get benchmarks {benchmark}")
        return self.room.folder

    def path(self, name: str) -> Path:
        """A file below the data folder; where it is missing, the command that brings it."""
        path = (self.room.folder or Path()) / name
        if not path.is_file():
            raise MissingDataError(f"{path}: there is no such file. {self.how_to_get(name)}")
        return path

    def golden(self, name: str) -> Path:
        """A file of what other programs said of these data, in the data folder or in the golden one."""
        named = self.room.golden or os.environ.get(GOLDEN_VARIABLE)
        folder = (self.room.folder or Path()).resolve()
        places = [folder, *([Path(named)] if named else []), folder.parent / GOLDEN]
        path = next((place / name for place in places if (place / name).is_file()), None)
        if path is None:
            raise MissingDataError(f"no {name} in the data folder or in ${GOLDEN_VARIABLE}.")
        return path

    def how_to_get(self, name: str) -> str:
        """The command that brings a file."""
        source = source_of(name)
        command = self.data.get or (f"captious get benchmarks {source.name}" if source else "")
        return f"Get it with: {command}" if command else "Give its folder with --data."

    def examples(self, human: str = "", references: int = 0, subset: str = "") -> RatedExamples:
        """The judged captions, `human` with or without those of people, with so many references each."""
        source = (self.data.benchmark, self.data.ratings) if self.is_own else self.data.name
        key = ("examples", source, human, references, subset)
        if key not in self.room.kept:
            self.room.kept[key] = self._own(human) if self.is_own else self._loaded(human, subset)
            if references:
                limited = first_references(self.room.kept[key], references)  # type: ignore[arg-type]
                self.room.kept[key] = limited
        found = self.room.kept[key]
        assert isinstance(found, RatedExamples)
        return found

    def _loaded(self, human: str, subset: str) -> RatedExamples:
        if self.data.judgments and (human or subset):
            raise InputError(f"human and subset are choices of a benchmark, and {self.data.name} is a file.")
        if self.data.judgments:
            found = self._judgments()
        else:
            found = self._benchmark({"human": human, "subset": subset})
        if self.data.objects:
            found = with_objects(found, self.path(self.data.objects))  # type: ignore[assignment]
        return self._with_photographs(found) if self.data.images else found

    def _judgments(self) -> RatedExamples:
        found = load_own_file(self.path(self.data.judgments), self.data.where.split())
        for pattern, wanted in ((self.data.only, True), (self.data.without, False)):
            if pattern:
                images = found.corpus.image_ids
                fits = np.array([fnmatchcase(image, pattern) is wanted for image in images], dtype=bool)
                found = examples_of(found, np.flatnonzero(fits[found.corpus.image_of]))
        if not len(found.corpus):
            raise MissingDataError(f"{self.data.judgments} has no captions of {self.data.name}.")
        if self.data.ratings == "each":
            found = replace(found, protocol=replace(found.protocol, ratings="each"))
        return found

    def _benchmark(self, given: dict[str, str]) -> RatedExamples:
        name = self.data.benchmark
        for file in self.data.files:
            self.path(file)
        choices = dict(self.data.choices) | {key: value for key, value in given.items() if value}
        if name == "thumb" and self.room.leaked:
            choices["leaked"] = self.room.leaked
        try:
            found = load_benchmark(name, self.folder(name), **choices)  # type: ignore[arg-type]
        except UnknownNameError as error:
            if error.kind != "subset":
                raise
            raise MissingDataError(f"{name}: {error.typed}") from None
        if isinstance(found, Preferences):
            raise InputError(f"{name} has pairs, not ratings: use the measure accuracy.")
        return found

    def _own(self, human: str) -> RatedExamples:
        assert self.room.own is not None
        found = load_own_file(self.room.own)
        protocol, known = found.protocol, BENCHMARKS.get(self.data.benchmark)
        if known is not None:
            protocol = replace(protocol, documents=known[0].documents, ratings=known[0].ratings)
        elif self.data.ratings == "each":
            protocol = replace(protocol, ratings="each")
        found = replace(found, protocol=protocol)
        if human == "without" and self.room.human != (NOBODY,):
            systems = systems_of(found)
            people = np.array([system in self.room.human for system in systems])
            if not people.any():
                raise NoHumanError(
                    f"{self.room.own}: no system is said to be human, and {self.table.title} leaves human "
                    f"captions out. Name who wrote them with --human SYSTEM (there are "
                    f"{one_line(', '.join(dict.fromkeys(systems)), 200)}), or give --human {NOBODY}."
                )
            found = examples_of(found, np.flatnonzero(~people))
        return with_images(found, self.room.images) if self.room.images else found  # type: ignore[return-value]

    def _with_photographs(self, data: RatedExamples) -> RatedExamples:
        """The judgments with all their photographs: a published value is of all of them."""
        folder = self.room.images or (self.room.folder or Path()) / self.data.images
        name = data.protocol.name
        if not folder.is_dir():
            raise MissingDataError(
                f"{folder}: there is no such folder of the photographs of {name}. Name it: --images DIR"
            )
        images = sorted({data.corpus.image_ids[place] for place in data.corpus.image_of.tolist()})
        absent = sum(path is None for path in find_images(folder, images))
        if absent:
            raise MissingDataError(
                f"{folder}: {absent:,} of the {len(images):,} photographs of {name} are not in it. "
                "Name a folder that holds all: --images DIR"
            )
        return with_images(data, folder)  # type: ignore[return-value]

    def scores(self, data: RatedExamples | Preferences, names: Sequence[str]) -> dict[str, FloatArray]:
        """Scores of the metrics that can be computed, by printed name: `(draws, examples)`."""
        ready = [name for name in names if self.is_ready(name) and self._is_fed(name, data)]
        todo = [name for name in ready if ("scores", id(data), name) not in self.room.kept]
        neural = [name for name in todo if resolve(self.spec(name)).neural]
        plain = [name for name in todo if name not in neural]
        for group in (plain, *([name] for name in neural)):
            self._score(group, data, may_lack=group is not plain)
        kept = {name: self.room.kept.get(("scores", id(data), name)) for name in ready}
        return {name: array for name, array in kept.items() if isinstance(array, np.ndarray)}

    def _score(self, names: Sequence[str], data: RatedExamples | Preferences, *, may_lack: bool) -> None:
        if not names:
            return
        specs = {name: self.spec(name) for name in names}
        try:
            metrics = metrics_for(list(dict.fromkeys(specs.values())), data.protocol.documents)
            found = compute_scores(data, metrics, progress=self.room.progress)
        except InputError as error:
            # That a model of a name of one's own is missing is known only when it is loaded.
            if not may_lack:
                raise
            self.lacking |= dict.fromkeys(names, error.typed)
            return
        for name, spec in specs.items():
            self.room.kept["scores", id(data), name] = found.arrays[plain_name(spec)]

    def _is_fed(self, name: str, data: RatedExamples | Preferences) -> bool:
        """Whether the data have the references and objects that a metric needs."""
        corpus = data.corpora[0] if isinstance(data, Preferences) else data.corpus
        needs = resolve(self.spec(name)).needs
        if "references" in needs and not corpus.reference_counts.any():
            self.lacking[name] = f"no references: add a column references to {self._file()}"
        elif "objects" in needs and corpus.objects is None:
            self.lacking[name] = f"no objects: add a column objects to {self._file()}"
        elif "image" in needs and corpus.image_paths is None:
            self.lacking[name] = "no photographs: --images DIR"
        else:
            return True
        return False

    def _file(self) -> str:
        return self.room.own.name if self.room.own else self.data.judgments or self.data.name

    def spec(self, name: str) -> str:
        """The metric behind a printed name."""
        return self.study.metrics.get(name, name)

    def is_ready(self, name: str) -> bool:
        """Whether a metric has all that it needs; what lacks is kept in `lacking`."""
        try:
            resolve(self.spec(name)).ready()
        except MissingDependencyError as error:
            self.lacking[name] = error.typed
            return False
        return True
