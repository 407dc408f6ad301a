"""Get the files of a benchmark that have a plain address, and say what is left to do by hand."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from captious.benchmarks.data_files.locate import folder_to_fill
from captious.benchmarks.data_files.sources import SOURCES, File, Source, State, state_of
from captious.errors import UnknownNameError
from captious.models.download import download


class Obtained(NamedTuple):
    """The files of a benchmark after an attempt to get them, and what a person still has to do."""

    source: Source
    folder: Path
    states: dict[str, State]
    fetched: tuple[str, ...]
    steps: str

    @property
    def whole(self) -> bool:
        """Whether every file is there."""
        return "missing" not in self.states.values()


def known_source(name: str) -> Source:
    """The source of a benchmark by name; a line with the nearest name where there is none."""
    if name not in SOURCES:
        raise UnknownNameError("benchmark", name, SOURCES)
    return SOURCES[name]


def obtain(name: str, folder: Path | None = None) -> Obtained:
    """Fetch what has an address and is not there; nothing is written over."""
    source, place = known_source(name), folder_to_fill(folder)
    wanted = [file for file in source.files if file.url and state_of(file, place) == "missing"]
    for file in wanted:
        download(file.url, place / file.path)
    states = _states(source.files, place)
    left = source.steps if "missing" in states.values() else ""
    return Obtained(source, place, states, tuple(file.path for file in wanted), left)


def _states(files: tuple[File, ...], folder: Path) -> dict[str, State]:
    return {file.path: state_of(file, folder) for file in files}
