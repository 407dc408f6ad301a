from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from captious.text import lcs
from captious.text.lcs import WORD, lcs_lengths
from captious.text.tokens import table_of

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=WORD + 6), min_size=1, max_size=6)


def all_pairs(texts: list[list[str]]) -> tuple[list[int], list[int]]:
    left, right = np.divmod(np.arange(len(texts) ** 2), len(texts))
    ours = lcs_lengths(table_of(texts), left, right).tolist()
    theirs = [LCSseq.similarity(a, b) for a in texts for b in texts]
    return ours, theirs


@given(TEXTS)
@settings(max_examples=60)
def test_lengths_are_rapidfuzzs(texts: list[list[str]]) -> None:
    ours, theirs = all_pairs(texts)
    assert ours == theirs


@pytest.mark.parametrize("size", [1, WORD - 1, WORD, WORD + 1, 3 * WORD])
def test_around_the_length_of_a_machine_word(size: int) -> None:
    ours, theirs = all_pairs([list("ab") * size, list("ba") * size, ["a"] * size, ["b"], []])
    assert ours == theirs


def test_work_in_small_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lcs, "_CHUNK", 4)
    ours, theirs = all_pairs([list("abc"), list("bca"), [], list("cab"), list("aabbcc")])
    assert ours == theirs
