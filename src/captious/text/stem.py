"""The English Snowball stemmer, known as Porter2, which METEOR's stem matcher applies.

Porter (2001), "Snowball: a language for stemming algorithms"; the rules are those of the English
stemmer's published definition, in the form that METEOR 1.5 carries (before the 2018 revisions).
"""

from __future__ import annotations

import re

_VOWELS = "aeiouy"
_IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
} | {word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")}
_FINAL_AFTER_PLURAL = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
)

_REGION_START = re.compile(f"[{_VOWELS}][^{_VOWELS}]")
_SPECIAL_REGION = re.compile("gener|commun|arsen")
_CONSONANT_Y = re.compile(f"^y|(?<=[{_VOWELS}])y")
_HAS_VOWEL = re.compile(f"[{_VOWELS}]")
_SHORT_SYLLABLE_END = re.compile(f"(?:[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxY]|^[{_VOWELS}][^{_VOWELS}])$")
_DOUBLED = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = frozenset("cdeghkmnrt")

_STEP_2 = (
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_STEP_3 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ative", ""),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism"),
    *("ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic"),
)


def stem(word: str) -> str:
    """Return the English Snowball stem of a lower-case word (Porter 2001).

    >>> stem("riding"), stem("rides"), stem("motorcycles")
    ('ride', 'ride', 'motorcycl')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _CONSONANT_Y.sub("Y", word.removeprefix("'"))
    first, second = _regions(word)
    word = _strip_plural(_strip_possessive(word))
    if word in _FINAL_AFTER_PLURAL:
        return word
    word = _strip_participle(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _step_2(word, first)
    word = _step_3(word, first, second)
    word = _step_4(word, second)
    return _step_5(word, first, second).replace("Y", "y")


def _regions(word: str) -> tuple[int, int]:
    special = _SPECIAL_REGION.match(word)
    if special:
        first = special.end()
    else:
        found = _REGION_START.search(word)
        first = found.end() if found else len(word)
    found = _REGION_START.search(word, first)
    return first, found.end() if found else len(word)


def _strip_possessive(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            return word.removesuffix(suffix)
    return word


def _strip_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _HAS_VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _strip_participle(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            return word[:kept] + "ee" if kept >= first else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            root = word.removesuffix(suffix)
            return _mend_root(root, first) if _HAS_VOWEL.search(root) else word
    return word


def _mend_root(root: str, first: int) -> str:
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if root.endswith(_DOUBLED):
        return root[:-1]
    if len(root) <= first and _SHORT_SYLLABLE_END.search(root):
        return root + "e"
    return root


def _step_2(word: str, first: int) -> str:
    for suffix, replacement in _STEP_2:
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            if kept < first:
                return word
            before = word[kept - 1] if kept else ""
            if suffix == "ogi" and before != "l":
                return word
            if suffix == "li" and before not in _BEFORE_LI:
                return word
            return word[:kept] + replacement
    return word


def _step_3(word: str, first: int, second: int) -> str:
    for suffix, replacement in _STEP_3:
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            region = second if suffix == "ative" else first
            return word[:kept] + replacement if kept >= region else word
    return word


def _step_4(word: str, second: int) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            if kept < second or (suffix == "ion" and word[kept - 1 : kept] not in ("s", "t")):
                return word
            return word[:kept]
    return word


def _step_5(word: str, first: int, second: int) -> str:
    kept = len(word) - 1
    if word.endswith("e"):
        drops = kept >= second or (kept >= first and not _SHORT_SYLLABLE_END.search(word, 0, kept))
        return word[:kept] if drops else word
    if word.endswith("ll") and kept >= second:
        return word[:kept]
    return word
