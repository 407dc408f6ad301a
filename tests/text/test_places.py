from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from captious.text.places import placed_words
from captious.text.ptb.tokenise import tokenise
from captious.text.tokens import token_table

WORDS = """
A Dog cannot X-ray's cafe\u0301 ﬁre İzmir Ε\u0301λα 👩\u200d🚀 🇩🇪 … " “ ” `` ( ) , . -- — ½ <b> &amp;
can't don’t &nbsp; U.S. Co. gonna 'tis #tag a@b.com \u00ad \u200b \ud800
"""
PARTS = st.sampled_from([*WORDS.split(), "1 1/2", "(555) 555-1234", "\u3000", "\r\n", "\n", " ", "  "])
TEXTS = st.lists(st.one_of(PARTS, PARTS, st.just(" "), st.text(max_size=3))).map("".join)


@given(TEXTS)
@example("Co.\r\nA dog")
@example(" 👩\u200d🚀\r\nΣΑΣ-a")
def test_ptb_words_keep_their_places(text: str) -> None:
    found = placed_words(text)
    assert [one.word for one in found] == tokenise(text)
    ends = 0
    for word, start, end in found:
        assert ends <= start < end <= len(text)
        ends = end
        marked = text[start:end]
        assert marked == marked.strip()
        if marked.isalpha():  # nothing that is spelled anew
            assert word == marked.lower()


@given(TEXTS, st.sampled_from(["13a", "13a-lower", "intl", "zh", "char", "rouge_score", "space", "ptb+stem"]))
def test_words_of_every_tokeniser_are_in_the_text(text: str, tokeniser: str) -> None:
    text = text.replace("\ud800", "")
    found = placed_words(text, tokeniser)
    words = token_table([text], tokeniser).words(0)
    rest = iter(words)
    assert all(one.word in rest for one in found)  # the same words in the same order, perhaps fewer
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    if text.isascii() and "&" not in text and "<" not in text:
        assert len(found) == len(words)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_composed_or_not(form: str) -> None:
    text = unicodedata.normalize(form, "Das Café Zoë's ist schön.")
    words = {one.word: text[one.start : one.end] for one in placed_words(text)}
    assert set(words) >= {"das", "'s", "ist"}
    assert unicodedata.normalize("NFC", words[unicodedata.normalize(form, "café")]) == "Café"
