"""The lexer's two grammars: for ASCII texts and for all."""

from __future__ import annotations

import json
from pathlib import Path

from captious.text.ptb import lexer as ptb_lexer
from captious.text.ptb.lexer import lex

NASTY = json.loads((Path(__file__).parent / "data" / "ptb_nasty.json").read_text())


def test_ascii_texts_have_the_same_tokens_under_both_grammars() -> None:
    texts = [entry["text"] for entry in NASTY if entry["text"].isascii()]
    assert len(texts) > 500
    for text in texts:
        # A letter of another script in the next line makes the lexer take the whole grammar.
        assert lex(text, following="dog") == lex(text, following="dog é")


def test_the_grammar_of_ascii_texts_is_the_smaller_one() -> None:
    small, whole = ptb_lexer._grammar(True), ptb_lexer._grammar(False)
    assert [rule.spell for rule in small._rules] == [rule.spell for rule in whole._rules]
    assert sum(len(rule.source) for rule in small._rules) < 20_000
    assert small.rules_from("é") != whole.rules_from("é")
