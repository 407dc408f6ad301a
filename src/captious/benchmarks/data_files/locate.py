"""Where benchmark data are, and how to get them: `--data`, else `$CAPTIOUS_DATA`, else the user's folder.

That is `$XDG_DATA_HOME/captious/benchmarks`, else `~/.local/share/captious/benchmarks`. Where it holds
nothing, `../shared/data` is looked at, which is a developer's default.

What other programs said of these data ("golden" values) is at `--golden`, else `$CAPTIOUS_GOLDEN`,
else in the folder `golden` beside the data folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from captious.benchmarks.data_files.sources import SOURCES, File, Source, State, source_of, state_of
from captious.errors import InputError, UnknownNameError
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


VARIABLE = "CAPTIOUS_DATA"
GOLDEN_VARIABLE = "CAPTIOUS_GOLDEN"
GOLDEN = "golden"
BESIDE = Path("..") / "shared" / "data"


class MissingDataError(InputError):
    """A benchmark's files are not here; says which file is wanted and how to name its folder."""


def data_folder(given: Path | None = None) -> Path:
    """The folder of the benchmark data; a clear line where there is none."""
    if given is not None:
        if not given.is_dir():
            raise MissingDataError(f"{given}: there is no such folder. Check --data.")
        return given
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_dir():
            raise MissingDataError(f"${VARIABLE} is {named}, which is not a folder. Correct it.")
        return Path(named)
    if user_folder().is_dir() and any(user_folder().iterdir()):
        return user_folder()
    if BESIDE.is_dir():
        return BESIDE
    raise MissingDataError(
        f"no benchmark data found. Give their folder with --data DIR or ${VARIABLE}; "
        "`captious get benchmarks` shows where they come from."
    )


def user_folder() -> Path:
    """Where benchmark data of this user are kept."""
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "captious" / "benchmarks"


def folder_to_fill(given: Path | None = None) -> Path:
    """Where `captious get benchmarks` puts files: it need not be there yet, and is never a developer's."""
    return given or Path(os.environ.get(VARIABLE) or user_folder())


def golden_folder(data: Path, given: Path | None = None) -> Path:
    """The folder of what other programs said; a clear line where there is none."""
    if given is not None:
        if not given.is_dir():
            raise MissingDataError(f"{given}: there is no such folder. Check --golden.")
        return given
    named = os.environ.get(GOLDEN_VARIABLE)
    if named:
        if not Path(named).is_dir():
            raise MissingDataError(f"${GOLDEN_VARIABLE} is {named}, which is not a folder. Correct it.")
        return Path(named)
    beside = data.resolve().parent / GOLDEN
    if beside.is_dir():
        return beside
    raise MissingDataError(
        "no golden values (results of other programs) found. Give their folder with "
        f"--golden DIR or ${GOLDEN_VARIABLE}, or put them into {GOLDEN}/ next to the data folder."
    )


def wanted(folder: Path, *names: str, option: str = "--data") -> Path:
    """The first of some files that exists under the folder; else a line that names the first."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    source = source_of(names[0])
    help_with = f"`captious get benchmarks {source.name}`" if source else "docs/benchmarks.md"
    raise MissingDataError(
        f"{folder / names[0]}: there is no such file. The benchmark needs it; {help_with} shows where it "
        f"comes from. Give its folder with {option}."
    )
