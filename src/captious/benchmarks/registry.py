"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from captious.benchmarks.composite import COMPOSITE, load_composite
from captious.benchmarks.extra_inputs import ExtraInputs, require_count, with_extra_inputs
from captious.benchmarks.flickr8k import CROWDFLOWER, EXPERT, load_crowdflower, load_expert
from captious.benchmarks.foils import FOILS, load_foils
from captious.benchmarks.locate import data_folder
from captious.benchmarks.mean_scores import CAPEVAL1K, NEBULA, load_capeval1k, load_nebula
from captious.benchmarks.own_file import load_own_file
from captious.benchmarks.parts import SYSTEM
from captious.benchmarks.pascal50s import PASCAL50S, load_pascal50s
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples
from captious.benchmarks.thumb import THUMB, load_thumb
from captious.benchmarks.vicr import VICR, load_vicr
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
    )
}
# Choices made when the data are loaded: what some may be, and the benchmark that knows each.
VALUES = {"human": ("with", "without"), "leaked": ("keep", "drop", "replace")}
CHOICES = {
    "human": ("thumb", "composite"),
    "leaked": ("thumb",),
    "subset": ("composite",),
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
    """Load a benchmark by its name, or judgments of your own: a file, or a table in memory.

    `given` adds objects and photographs and limits the references; see `ExtraInputs`. `choices` are those
    of `CHOICES`; one that the benchmark does not know is refused. `where` and `by` are columns of a file
    of your own; see `load_own_file`.
    """
    given = given or ExtraInputs()
    if not isinstance(name, str):
        if any(choices.values()):
            raise InputError("judgments of your own have no such choices. Leave them out.")
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
            raise InputError(f"--{key} is a choice of {' and '.join(CHOICES[key])}; {name} has none.")
    return {key: value for key, value in made.items() if name in CHOICES[key]}


def _load(
    name: str, data: Path | None, choices: dict[str, str | int], where: Sequence[str], by: str
) -> RatedExamples | Preferences:
    if name in BENCHMARKS:
        if where or by not in ("", SYSTEM):
            raise InputError(f"--where and --by ask for columns of a file of your own; {name} has none.")
        return BENCHMARKS[name][1](data_folder(data), **choices)
    path = Path(name)
    if path.is_file() or path.suffix:
        return load_own_file(path, where, "" if by == SYSTEM else by)
    if path.is_dir():
        raise InputError(f"{name}: is a folder. Name a file in it: an export has {path / 'final.jsonl'}.")
    raise UnknownNameError("benchmark", name, BENCHMARKS)
