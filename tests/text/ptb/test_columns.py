"""Token columns against the token lists that they stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.text.ptb import columns as ptb_columns
from captious.text.ptb.columns import token_columns
from captious.text.ptb.tokenise import tokenise_many
from captious.text.tokens import table_of

NASTY = [
    entry["text"] for entry in json.loads((Path(__file__).parent / "data" / "ptb_nasty.json").read_text())
]


def assert_columns_are_those_of_the_lists(texts: list[str]) -> None:
    numbers, offsets, words = token_columns(texts)
    expected = table_of(tokenise_many(texts))
    assert words == expected.vocabulary
    assert numbers.tolist() == expected.ids.tolist()
    assert offsets.tolist() == expected.offsets.tolist()


def test_nasty_texts_have_their_tokens_in_order() -> None:
    assert_columns_are_those_of_the_lists(NASTY)


def test_texts_in_several_parts_share_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptb_columns, "_TEXTS_AT_ONCE", 7)
    assert_columns_are_those_of_the_lists(NASTY[:300] + NASTY[:20])


@pytest.mark.parametrize("texts", [[], [""], ["", " ", "."], ["  a  dog  "], ["plan B.", "B. cat"]])
def test_few_or_empty_texts(texts: list[str]) -> None:
    assert_columns_are_those_of_the_lists(texts)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.one_of(st.sampled_from(NASTY), st.text()), max_size=6))
def test_any_texts(texts: list[str]) -> None:
    assert_columns_are_those_of_the_lists(texts)
