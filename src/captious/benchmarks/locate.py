"""Where benchmark data are: `--data`, else `$CAPTIOUS_DATA`, else `../shared/data`.

What other programs said of these data ("golden" values) is at `--golden`, else `$CAPTIOUS_GOLDEN`,
else in the folder `golden` beside the data folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from captious.errors import InputError

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
            raise MissingDataError(f"${VARIABLE} is {named}, which is no folder. Mend it.")
        return Path(named)
    if BESIDE.is_dir():
        return BESIDE
    raise MissingDataError(f"no benchmark data. Name the folder that holds them: --data DIR, or ${VARIABLE}.")


def golden_folder(data: Path, given: Path | None = None) -> Path:
    """The folder of what other programs said; a clear line where there is none."""
    if given is not None:
        if not given.is_dir():
            raise MissingDataError(f"{given}: there is no such folder. Check --golden.")
        return given
    named = os.environ.get(GOLDEN_VARIABLE)
    if named:
        if not Path(named).is_dir():
            raise MissingDataError(f"${GOLDEN_VARIABLE} is {named}, which is no folder. Mend it.")
        return Path(named)
    beside = data.resolve().parent / GOLDEN
    if beside.is_dir():
        return beside
    raise MissingDataError(
        "no golden values, which other programs computed. Name the folder that holds them: "
        f"--golden DIR, or ${GOLDEN_VARIABLE}; else {GOLDEN}/ beside the data folder."
    )


def wanted(folder: Path, *names: str, option: str = "--data") -> Path:
    """The first of some files that exists under the folder; else a line that names the first."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise MissingDataError(
        f"{folder / names[0]}: there is no such file. The benchmark needs it; see "
        f"docs/benchmarks.md for where it comes from, and name its folder with {option}."
    )
