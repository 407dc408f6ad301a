"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from captious.benchmarks.data_files import data_folder
from captious.benchmarks.datasets.composite import COMPOSITE, load_composite
from captious.benchmarks.datasets.flickr8k import CROWDFLOWER, EXPERT, load_crowdflower, load_expert
from captious.benchmarks.datasets.foils import DISCOFOIL, FOILS, load_discofoil, load_foils
from captious.benchmarks.datasets.mean_scores import CAPEVAL1K, NEBULA, load_capeval1k, load_nebula
from captious.benchmarks.datasets.mhal import MHAL, load_mhal
from captious.benchmarks.datasets.own_file import load_own_file
from captious.benchmarks.datasets.pascal50s import PASCAL50S, load_pascal50s
from captious.benchmarks.datasets.thumb import THUMB, load_thumb
from captious.benchmarks.datasets.vicr import VICR, load_vicr
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples
from captious.benchmarks.selection.extra_inputs import ExtraInputs, require_count, with_extra_inputs
from captious.benchmarks.selection.parts import SYSTEM
from captious.errors import InputError, UnknownNameError

Loader = Callable[..., RatedExamples | Preferences]

BENCHMARKS: dict[str, tuple[Protocol, Loader]] = {
    protocol.name: (protocol, loader)
    for protocol, loader in (
        (EXPERT, load_expert),
        (CROWDFLOWER, load_crowdflower),
        (COMPOSITE, load_composite),
        (PASCAL50S, load_pascal50s),
        (THUMB, load_thumb),
        (NEBULA, load_nebula),
        (CAPEVAL1K, load_capeval1k),
        (VICR, load_vicr),
        (FOILS, load_foils),
        (DISCOFOIL, load_discofoil),
        (MHAL, load_mhal),
    )
}
# Choices made when the data are loaded: what some may be, and the benchmark that knows each.
VALUES = {"human": ("with", "without"), "leaked": ("keep", "drop", "replace"), "release": ("first", "later")}
CHOICES = {
    "human": ("thumb", "composite"),
    "leaked": ("thumb",),
    "release": ("thumb",),
    "subset": ("composite", "mhal"),
    "seed": ("pascal-50s",),
}


def load_benchmark(
    name: Any,
    data: Path | None = None,
    given: ExtraInputs | None = None,
    *,
    where: Sequence[str] = (),
    by: str = "",
    **choices: str | int | None,
) -> RatedExamples | Preferences:
    """Load a benchmark by name, or your own judgments from a file or a table in memory.

    `given` adds objects and photographs and limits the references; see `ExtraInputs`. `choices` are those
    of `CHOICES`; choices that the benchmark does not have are refused. `where` and `by` are columns of
    your own file; see `load_own_file`.
    """
    given = given or ExtraInputs()
    if not isinstance(name, str):
        if any(choices.values()):
            raise InputError("your own judgments have no such options. Leave them out.")
        return with_extra_inputs(load_own_file(name, where, "" if by == SYSTEM else by), given)
    own = _own_choices(name, choices)
    if name == PASCAL50S.name and given.reference_count is not None:
        # Its references are drawn, so that fewer of them are a smaller draw.
        require_count(given.reference_count)
        own["references"] = given.reference_count
        given = given._replace(reference_count=None)
    return with_extra_inputs(_load(name, data, own, where, by), given)


def _own_choices(name: str, choices: dict[str, str | int | None]) -> dict[str, str | int]:
    made = {key: value for key, value in choices.items() if value is not None}
    for key, value in made.items():
        if key in VALUES and value not in VALUES[key]:
            raise UnknownNameError(f"--{key}", str(value), VALUES[key])
        if name not in CHOICES[key] and key != "seed":
            raise InputError(f"--{key} is an option of {' and '.join(CHOICES[key])}, not of {name}.")
    return {key: value for key, value in made.items() if name in CHOICES[key]}


def _load(
    name: str, data: Path | None, choices: dict[str, str | int], where: Sequence[str], by: str
) -> RatedExamples | Preferences:
    if name in BENCHMARKS:
        if where or by not in ("", SYSTEM):
            raise InputError(f"--where and --by need your own file of judgments; {name} is a benchmark.")
        return BENCHMARKS[name][1](data_folder(data), **choices)
    path = Path(name)
    if path.is_file() or path.suffix:
        return load_own_file(path, where, "" if by == SYSTEM else by)
    if path.is_dir():
        raise InputError(f"{name}: is a folder. Give a file in it: an export has {path / 'final.jsonl'}.")
    raise UnknownNameError("benchmark", name, BENCHMARKS)
