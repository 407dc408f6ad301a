"""What a spreadsheet would run gets an apostrophe, and comes back without it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.tables.formula import guarded, unguarded


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1"),
        *("＝1+1", "＋1", "－1", "＠SUM(A1)"),  # full width, which some spreadsheets fold
        *("\u2212cmd|x", "\ufe66x", "\u207ax", "\ufe63x", "\ufe6bx"),  # other signs that fold to these
        *("\u3164=1", "\u2800=1", "\ufe0f=1", "\u034f=1", "\u115f+1", "\U000e0100=1", "\u00ad=1"),  # blanks
        *("\u200b=1", "\ufeff=1", "\u2060@x", "\u00a0=1", " =1", "\u200e\u200f+1"),
    ],
)
def test_a_formula_is_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "A dog.", "a=1", "3-4", " a dog", "\u200ba", "«=»", "犬"])
def test_other_text_is_left_alone(text: str) -> None:
    assert guarded(text) == text


@given(st.text() | st.from_regex(r"['=+\-@\s\u200b＝]{0,3}.*"))
def test_every_text_comes_back(text: str) -> None:
    assert unguarded(guarded(text)) == text
