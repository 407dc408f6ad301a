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


def test_words_of_one_stem_are_one_token() -> None:
    table = token_table(["A dog rides.", "Dogs riding dogs"], "ptb+stem")
    assert table.vocabulary == ["a", "dog", "ride"]
    assert table.ids.tolist() == [0, 1, 2, 1, 2, 1]
    assert table.lengths.tolist() == [3, 3]
