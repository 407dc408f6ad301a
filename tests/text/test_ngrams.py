from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text import ngrams
from captious.text.ngrams import Groups, count_ngrams
from captious.text.tokens import table_of

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "dog", "é", "犬"]), max_size=9), max_size=8)


def by_hand(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1))


def tabled(texts: list[list[str]], order: int) -> list[dict[tuple[str, ...], int]]:
    table = count_ngrams(table_of(texts), order)
    return [
        {
            table.index.ngram(gram): count
            for gram, count in zip(
                table.grams[start:end].tolist(), table.counts[start:end].tolist(), strict=True
            )
        }
        for start, end in zip(table.offsets[:-1], table.offsets[1:], strict=True)
    ]


@given(TEXTS, st.integers(1, 5))
def test_counts_are_what_a_loop_counts(texts: list[list[str]], order: int) -> None:
    assert tabled(texts, order) == [by_hand(words, order) for words in texts]


def test_work_in_small_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [["a", "b", "a", "b"], [], ["b"], ["a", "b", "c"], ["c"] * 6]
    monkeypatch.setattr(ngrams, "_CHUNK", 3)
    assert tabled(texts, 4) == [by_hand(words, 4) for words in texts]


@given(TEXTS, TEXTS)
def test_n_grams_are_found_in_another_index(ours: list[list[str]], others: list[list[str]]) -> None:
    own, other = count_ngrams(table_of(ours)).index, count_ngrams(table_of(others)).index
    there = {other.ngram(number): number for number in range(len(other))}
    expected = [there.get(own.ngram(number), -1) for number in range(len(own))]
    assert own.find_in(other).tolist() == expected


def test_longer_n_grams_than_the_other_index_has_are_absent() -> None:
    own = count_ngrams(table_of([["a", "b", "c"]]), 3).index
    other = count_ngrams(table_of([["a", "b", "c"]]), 2).index
    assert own.find_in(other).tolist() == [0, 1, 2, 3, 4, -1]


def test_orders_count_from_nought() -> None:
    index = count_ngrams(table_of([["a", "b", "c"]]), 3).index
    assert index.orders_of(np.arange(6, dtype=np.int32)).tolist() == [0, 0, 0, 1, 1, 2]
    assert np.array_equal(index.starts, [0, 3, 5, 6])


COLUMNS = st.lists(st.integers(0, 6), max_size=40)


@pytest.fixture(params=[1, 3, 1 << 16], ids="blocks of {}".format, autouse=True)
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngrams, "_BLOCK", request.param)


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
