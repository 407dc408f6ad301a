"""Tuning goes on where it was stopped."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from captious.errors import MissingDependencyError
from captious.learn.captious_metric import tune as tuning
from captious.learn.captious_metric.reader import Reader
from captious.learn.captious_metric.recipe import material_of, parse_captions
from captious.learn.captious_metric.sources import Sources, groups_of
from captious.learn.journal import Journal
from captious.metrics import resolve

GROUPS = groups_of(
    {
        "1": ["a red bus on a street", "the bus is red", "a bus drives down a road"],
        "2": ["two dogs run on the beach", "dogs play in the sand", "a pair of dogs by the sea"],
        "3": ["a woman holds a green umbrella", "a lady in the rain", "a girl with an umbrella"],
    }
)


class Stopped(BaseException):
    """As a keyboard interrupt stops a run."""


def tuned(journal: Journal, stop_after: int = 99) -> tuple[Reader, list[int]]:
    sources = Sources(GROUPS)
    material = material_of(sources, GROUPS, parse_captions(sources), {})
    how = tuning.Tuning(steps=4, graded=2, wrong=1, seed=3)
    reader, steps = Reader(how.seed), list[int]()

    def report(step: int, _: int, __: float) -> None:
        steps.append(step)
        if step == stop_after:
            raise Stopped

    with suppress(Stopped):
        tuning.tune(reader, material, how, report, journal)
    return reader, steps


@pytest.mark.long
def test_an_interrupted_run_ends_as_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("tuning needs torch and transformers")
    try:
        resolve("captious").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(tuning, "SAVED_EVERY", 2)
    whole, steps = tuned(Journal(tmp_path / "whole", "a"))
    assert steps == [1, 2, 3, 4]
    _, before = tuned(Journal(tmp_path / "parts", "a"), stop_after=3)
    again, after = tuned(Journal(tmp_path / "parts", "a"))
    assert (before, after) == ([1, 2, 3], [3, 4])  # the state after step 2 was the last that was kept
    for name, (a, b) in whole.change().factors.items():
        assert np.array_equal(a, again.change().factors[name][0])
        assert np.array_equal(b, again.change().factors[name][1])
    assert np.array_equal(whole.token_weights().w, again.token_weights().w)
    _, other = tuned(Journal(tmp_path / "parts", "another run"))
    assert other == [1, 2, 3, 4]
