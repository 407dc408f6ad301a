"""METEOR's own tokenisation, which it applies to captions that are tokenised already.

METEOR is run with its option for normalising punctuation. On Penn Treebank tokens it still
changes some: `'s` becomes `' s`, `t-shirt` `t shirt`, `u.s.` `us`, `12:30` `12 : 30`. The rules
are those of the tokeniser of the Moses translation system (Koehn et al. 2007) with METEOR's
treatment of hyphens and abbreviations, established from the program's output.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_SPACE = " \t\n\x0b\f\r\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LETTER = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿꙀ-ꙮ꙾-ꚗ"

_PLAIN = re.compile("[a-z0-9ß-öø-ÿ]+")
_QUOTES = str.maketrans({"`": "'", "‘": "'", "’": "'", "“": '"', "”": '"', "–": " - "})
_INNER_HYPHEN = re.compile(f"([{_LETTER}0-9.])-([{_LETTER}0-9])")
_SYMBOL = re.compile(f"([^{_LETTER}0-9{_SPACE}.',\\-])")
_DOTS = re.compile(r"(\.{2,})")
_COMMAS = (re.compile("([^0-9]),([^0-9])"), re.compile("([0-9]),([^0-9])"), re.compile("([^0-9]),([0-9])"))
_ENGLISH_APOSTROPHES = (
    (re.compile(f"([^{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([^{_LETTER}0-9])'([{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([{_LETTER}])"), r"\1 '\2"),
    (re.compile("([0-9])'(s)"), r"\1 '\2"),
)
_FRENCH_APOSTROPHES = (
    (re.compile(f"([^{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([^{_LETTER}])'([{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([{_LETTER}])"), r"\1' \2"),
)
_OTHER_APOSTROPHES = ((re.compile("'"), " ' "),)
_APOSTROPHES = {"en": _ENGLISH_APOSTROPHES, "fr": _FRENCH_APOSTROPHES}
_SPLIT = re.compile(f"[{_SPACE}]+")
_HAS_LETTER = re.compile(f"[{_LETTER}]")


def is_plain(token: str) -> bool:
    """Whether normalising leaves a token as it is, whatever stands around it.

    >>> is_plain("motorcycle"), is_plain("t-shirt")
    (True, False)
    """
    return _PLAIN.fullmatch(token) is not None


def normalise(text: str, abbreviations: Collection[str] = frozenset(), language: str = "en") -> list[str]:
    """Tokens of a text as METEOR's normalisation makes them.

    `abbreviations` are words whose full stop does not end a sentence.

    >>> normalise("a man 's t-shirt in the u.s. at 12:30")
    ['a', 'man', "'", 's', 't', 'shirt', 'in', 'the', 'us', 'at', '12', ':', '30']
    >>> normalise("L'arrêt de bus.", language="fr")
    ["l'", 'arrêt', 'de', 'bus', '.']
    """
    text = text.translate(_QUOTES).replace("''", '"').replace("--", "-")
    text = _INNER_HYPHEN.sub(r"\1 \2", text)
    text = _SYMBOL.sub(r" \1 ", f" {text} ")
    text = _DOTS.sub(r" \1 ", text)
    for pattern in _COMMAS:
        text = pattern.sub(r"\1 , \2", text)
    for pattern, replacement in _APOSTROPHES.get(language, _OTHER_APOSTROPHES):
        text = pattern.sub(replacement, text)
    words = [word for word in _SPLIT.split(text) if word]
    tokens: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        tokens += _split_full_stop(word, following, abbreviations)
    return [token.lower() for token in tokens]


def _split_full_stop(word: str, following: str, abbreviations: Collection[str]) -> list[str]:
    stem = word[:-1]
    if not word.endswith(".") or not stem or not stem.strip("."):
        return [word]
    if "." in stem and _HAS_LETTER.search(stem):
        return [word.replace(".", "")]
    if stem in abbreviations or "a" <= following[:1] <= "z":
        return [word]
    return [stem, "."]
