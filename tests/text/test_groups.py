from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text import groups
from captious.text.groups import Groups

COLUMNS = st.lists(st.integers(0, 6), max_size=40)


@pytest.fixture(params=[1, 3, 1 << 16], ids="blocks of {}".format, autouse=True)
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_BLOCK", request.param)


def lists(found: Groups) -> list[list[int]]:
    return [part.tolist() for part in np.split(found.places, np.cumsum(found.sizes)[:-1])]


def by_loop(ids: list[int], count: int) -> list[list[int]]:
    return [[place for place, number in enumerate(ids) if number == g] for g in range(count)]


@given(COLUMNS)
def test_places_of_each_number(ids: list[int]) -> None:
    assert lists(Groups.of(np.array(ids, dtype=np.int32), 7)) == by_loop(ids, 7)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 4)), max_size=40))
def test_groups_are_divided_by_what_follows(rows: list[tuple[int, int]]) -> None:
    ids, followers = ([row[column] for row in rows] for column in (0, 1))
    expected: defaultdict[int, list[int]] = defaultdict(list)
    for place, (own, following) in enumerate(rows):
        if following >= 0:
            expected[own * 5 + following].append(place)
    here = np.full(len(rows), -1, dtype=np.int32)
    keys, smaller = Groups.of(np.array(ids, dtype=np.int32), 7).divided(
        np.array(followers, dtype=np.int32), 5, here
    )
    assert keys.tolist() == sorted(expected)
    assert [expected[key] for key in keys.tolist()] == [part for part in lists(smaller) if part]
    assert [keys[g] for g in here.tolist() if g >= 0] == [
        own * 5 + following for own, following in rows if following >= 0
    ]
