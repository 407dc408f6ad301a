from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from captious.text.parser.features import BUCKETS, SPELLINGS, spelling_rows, word_features


@given(st.text(), st.integers(0, 400_000))
def test_every_string_has_spelling_rows(word: str, rank: int) -> None:
    rows = spelling_rows(word, rank)
    assert len(rows) == SPELLINGS
    assert all(0 <= row < BUCKETS for row in rows)


def test_words_with_one_ending_share_rows() -> None:
    riding, gliding = set(spelling_rows("riding", 0)), set(spelling_rows("gliding", 0))
    # -g, -ng, -ing and -ding, the shape, the missing hyphen and the missing rank
    assert len(riding & gliding) >= 7


def test_a_rare_word_and_a_common_word_differ_by_rank() -> None:
    assert spelling_rows("tiger", 40) != spelling_rows("tiger", 40_000)


def test_no_words() -> None:
    rows = word_features([], {}, {})
    assert rows.words.shape == (0,)
    assert rows.spellings.shape == (0, SPELLINGS)


def test_a_lone_surrogate_is_a_word_like_any_other() -> None:
    assert len(spelling_rows("\ud83d", 0)) == SPELLINGS
