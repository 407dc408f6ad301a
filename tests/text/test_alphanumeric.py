from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.alphanumeric import tokenise_many


@given(st.text(max_size=30))
def test_words_are_those_of_rouge_score(text: str) -> None:
    tokenize = pytest.importorskip("rouge_score.tokenize")
    assert tokenise_many([text]) == [tokenize.tokenize(text, None)]
