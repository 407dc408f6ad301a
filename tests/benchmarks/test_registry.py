from __future__ import annotations

import pytest

from captious.benchmarks.data_files import MissingDataError
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.errors import InputError, UnknownNameError


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if BENCHMARKS[name][0].task == "correlation"])
def test_every_benchmark_loads_and_names_its_examples(name, data) -> None:
    found = load_benchmark(name, data)
    assert found.protocol.name == name
    keys = found.keys()
    assert len(keys) == len(set(keys)) == len(found.corpus)
    assert found.protocol.aspect in found.judgments.aspects


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_missing_data_name_the_file(name, tmp_path) -> None:
    with pytest.raises(MissingDataError, match="there is no such file"):
        load_benchmark(name, tmp_path)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "flickr8k-expert"'):
        load_benchmark("flickr8k-expret")


def test_a_choice_of_another_benchmark_is_refused(data) -> None:
    with pytest.raises(InputError, match="human= is an option of thumb and composite, not of nebula"):
        load_benchmark("nebula", data, human="with")
