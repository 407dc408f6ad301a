"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from captious.benchmarks.composite import COMPOSITE, load_composite
from captious.benchmarks.flickr8k import CROWDFLOWER, EXPERT, load_crowdflower, load_expert
from captious.benchmarks.given import Given, require_count, with_given
from captious.benchmarks.locate import data_folder
from captious.benchmarks.means import CAPEVAL1K, NEBULA, load_capeval1k, load_nebula
from captious.benchmarks.own_file import load_own_file
from captious.benchmarks.pascal50s import PASCAL50S, load_pascal50s
from captious.benchmarks.protocol import Judged, Preferences, Protocol
from captious.benchmarks.thumb import THUMB, load_thumb
from captious.benchmarks.vicr import VICR, load_vicr
from captious.errors import InputError, UnknownNameError

Loader = Callable[..., Judged | Preferences]

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
    )
}
# Choices made when the data are loaded, and the benchmark that knows each.
CHOICES = {"human": "thumb", "leaked": "thumb", "subset": "composite", "seed": "pascal-50s"}


def load_benchmark(
    name: str, data: Path | None = None, given: Given | None = None, **choices: str | int | None
) -> Judged | Preferences:
    """Load a benchmark by its name, or a file of judgments by its path.

    `given` adds objects and photographs and limits the references; see `Given`. `choices` are those
    of `CHOICES`; one that the benchmark does not know is refused.
    """
    given = given or Given()
    own = _own_choices(name, choices)
    if name == PASCAL50S.name and given.reference_count is not None:
        # Its references are drawn, so that fewer of them are a smaller draw.
        require_count(given.reference_count)
        own["references"] = given.reference_count
        given = given._replace(reference_count=None)
    return with_given(_load(name, data, own), given)


def _own_choices(name: str, choices: dict[str, str | int | None]) -> dict[str, str | int]:
    made = {key: value for key, value in choices.items() if value is not None}
    for key in made:
        if CHOICES.get(key) != name and key != "seed":
            raise InputError(f"--{key} is a choice of {CHOICES[key]}; {name} has none.")
    return {key: value for key, value in made.items() if CHOICES[key] == name}


def _load(name: str, data: Path | None, choices: dict[str, str | int]) -> Judged | Preferences:
    if name in BENCHMARKS:
        return BENCHMARKS[name][1](data_folder(data), **choices)
    path = Path(name)
    if path.is_file() or path.suffix:
        return load_own_file(path)
    raise UnknownNameError("benchmark", name, BENCHMARKS)
