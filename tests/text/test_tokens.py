from __future__ import annotations

import pytest

from captious.errors import UnknownNameError
from captious.text.tokens import token_table


def test_every_tokeniser_has_its_name() -> None:
    text = ["Dogs' toys, 2.5 of them"]
    assert token_table(text, "space").words(0) == ["Dogs'", "toys,", "2.5", "of", "them"]
    assert token_table(text, "13a").words(0) == ["Dogs'", "toys", ",", "2.5", "of", "them"]
    assert token_table(text, "13a-lower").words(0)[0] == "dogs'"
    assert token_table(text, "rouge_score").words(0) == ["dogs", "toys", "2", "5", "of", "them"]
    assert token_table(["toys toy"], "space+stem").ids.tolist() == [0, 0]
    with pytest.raises(UnknownNameError, match='unknown tokeniser "moses"'):
        token_table(text, "moses")


def test_few_texts_have_the_tokens_that_they_have_among_many() -> None:
    """Up to 1,024 texts are tokenised one by one, more of them by their distinct pieces."""
    few = ["A dog's t-shirt, No. 5!", "", "Two dogs and 12 cats"]
    own, theirs = token_table(few), token_table(few + [f"cat {number}" for number in range(2_000)])
    assert [own.words(row) for row in range(3)] == [theirs.words(row) for row in range(3)]
    size = len(own.ids)
    assert own.ids.tolist() == theirs.ids[:size].tolist()
    assert own.ids.dtype == theirs.ids.dtype
    assert own.vocabulary == theirs.vocabulary[: len(own.vocabulary)]


def test_words_of_one_stem_are_one_token() -> None:
    table = token_table(["A dog rides.", "Dogs riding dogs"], "ptb+stem")
    assert table.vocabulary == ["a", "dog", "ride"]
    assert table.ids.tolist() == [0, 1, 2, 1, 2, 1]
    assert table.lengths.tolist() == [3, 3]
