from __future__ import annotations

import pytest

from captious.benchmarks.published.recompute.by_benchmark import RECOMPUTED
from captious.benchmarks.published.values import half_unit, published_values


def test_every_value_has_a_source_a_measure_and_a_number() -> None:
    values = published_values()
    assert len(values) > 100
    for entry in values:
        assert entry.benchmark in RECOMPUTED
        assert entry.source and entry.table
        assert entry.half_digit > 0
        scale = 100 if entry.percent else 1
        assert entry.value == pytest.approx(float(entry.printed) / scale)


def test_what_is_known_to_fail_says_what_is_known() -> None:
    unsolved = [entry for entry in published_values() if entry.open]
    assert 0 < len(unsolved) < 30
    assert not any(entry.at_least or entry.at_most for entry in unsolved)


def test_keys_are_unique() -> None:
    keys = [(entry.benchmark, entry.key) for entry in published_values()]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("printed", "expected"), [("0.019", 0.0005), ("80.8", 0.05), ("74", 0.5)])
def test_half_a_unit_of_the_last_digit(printed, expected) -> None:
    assert half_unit(printed) == pytest.approx(expected)
