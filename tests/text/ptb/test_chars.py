"""The written-out character tables against Python's own knowledge of Unicode."""

from __future__ import annotations

import re

from captious.text.ptb.chars import CAPITAL, DIGIT, LETTER, SYMBOL, within_ascii

BMP = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
ROMAN_NUMERALS = {chr(code) for code in range(0x2160, 0x2170)}


def members(inside: str) -> set[str]:
    return {character for character in BMP if re.match(f"[{inside}]", character)}


def test_capitals_are_the_capital_letters_and_symbols_and_the_roman_numerals() -> None:
    # Cherokee letters became capitals in Unicode 8; the tokeniser's tables are of 6.1.
    capitals = {c for c in members(LETTER) | members(SYMBOL) if c.isupper()}
    capitals -= {c for c in BMP if "\u13a0" <= c <= "\u13f5"}
    assert members(CAPITAL) == capitals | ROMAN_NUMERALS


def test_within_ascii_keeps_just_the_ascii_members_of_a_class() -> None:
    for inside in (LETTER, DIGIT, SYMBOL, CAPITAL):
        assert members(within_ascii(inside)) == {c for c in members(inside) if c.isascii()}
