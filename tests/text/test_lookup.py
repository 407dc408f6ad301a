from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from captious.text.lookup import Lookup, chunks, numbered, ranges, sorted_distinct

LARGEST = 2**62


@given(
    st.lists(st.integers(0, LARGEST), unique=True, max_size=60),
    st.lists(st.integers(-1, LARGEST), max_size=30),
)
def test_every_key_is_found_where_it_stands(keys: list[int], others: list[int]) -> None:
    places = {key: place for place, key in enumerate(keys)}
    needles = [*others, *keys, *others]
    found = Lookup(np.array(keys, dtype=np.int64)).find(np.array(needles, dtype=np.int64))
    assert found.tolist() == [places.get(needle, -1) for needle in needles]


def test_many_keys_agree_with_binary_search() -> None:
    rng = np.random.default_rng(7)
    keys = sorted_distinct(rng.integers(0, 10**6, 50_000))
    needles = rng.integers(0, 10**6, 1_200_000)  # more than one block
    places = np.searchsorted(keys, needles) % len(keys)
    expected = np.where(keys[places] == needles, places, -1)
    assert np.array_equal(Lookup(keys).find(needles), expected)


@given(st.lists(st.integers(0, 9)) | st.lists(st.integers(0, LARGEST), max_size=40))
def test_numbers_are_places_among_distinct_values(values: list[int]) -> None:
    distinct, places = numbered(np.array(values, dtype=np.int64))
    assert distinct.tolist() == sorted(set(values))
    assert distinct[places].tolist() == values


@given(st.lists(st.integers(0, 9)), st.integers(1, 12))
def test_chunks_cover_everything_in_order(sizes: list[int], limit: int) -> None:
    pieces = chunks(np.array(sizes, dtype=np.int64), limit)
    assert [i for piece in pieces for i in range(len(sizes))[piece]] == list(range(len(sizes)))
    assert all(sum(sizes[piece]) <= limit + max(sizes) for piece in pieces)


def test_ranges_of_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert len(ranges(nothing, nothing)) == 0
    assert ranges(np.array([5, 9, 2]), np.array([1, 0, 2])).tolist() == [5, 2, 3]
