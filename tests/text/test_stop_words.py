from __future__ import annotations

import pytest

from captious.errors import UnknownNameError
from captious.text.ptb.tokenise import tokenise
from captious.text.stop_words import ENGLISH, is_content_word, stop_list


def test_the_list_is_that_of_scikit_learn() -> None:
    theirs = pytest.importorskip("sklearn.feature_extraction.text").ENGLISH_STOP_WORDS
    assert set(theirs) == ENGLISH


def test_content_words_of_a_caption() -> None:
    # "fire" is on the list; a clitic, a bracket and a lone letter are no words of content.
    caption = "A man's dog can't catch the X (frisbee) by the fire hydrant."
    words = [word for word in tokenise(caption) if is_content_word(word, ENGLISH)]
    assert words == ["man", "dog", "catch", "frisbee", "hydrant"]


def test_no_list_keeps_function_words_and_drops_pieces() -> None:
    words = [w for w in tokenise("It isn't the dog's") if is_content_word(w, stop_list("none"))]
    assert words == ["it", "is", "the", "dog"]


def test_an_unknown_list_is_named() -> None:
    with pytest.raises(UnknownNameError, match='unknown list of stop words "englsh"'):
        stop_list("englsh")
