"""Automatic hints on a caption's fluency: a few sure rules, offered and never decided.

Hints may sway a rater. They are off unless a campaign switches them on, and each response records
the hints that stood beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_DOUBLED = re.compile(r"\b([^\W\d_]+)(?:\s+\1)+\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)\s+([^\W\d_]+)", re.IGNORECASE)
# "The dog had had enough" and "he knew that that was it" are English.
_MAY_DOUBLE = frozenset({"that", "had"})
_VOWEL_LETTER_CONSONANT_SOUND = re.compile(
    r"(?:uni(?!n|mp|nt|de|ma)|use|usu|uk|ut[ei]|ur[aei](?:n|l|no)|eu|ew|one\b|once\b|u\b)"
)
_SILENT_H = re.compile(r"(?:hour|honest|honor|honour|heir)")
_PROPER = {
    "tv": "TV",
    "christmas": "Christmas",
    "halloween": "Halloween",
    "easter": "Easter",
    "english": "English",
    "american": "American",
    "chinese": "Chinese",
    "italian": "Italian",
    "london": "London",
    "i": "I",
    "usa": "USA",
    "uk": "UK",
}
_MISSPELT = {
    "cel phone": "cell phone",
    "surf board": "surfboard",
    "skate board": "skateboard",
    "snow board": "snowboard",
    "base ball": "baseball",
    "foot ball": "football",
    "frizbee": "frisbee",
    "frisbe": "frisbee",
    "giraff": "giraffe",
    "accross": "across",
    "standng": "standing",
    "sittting": "sitting",
    "vehical": "vehicle",
    "umbrela": "umbrella",
    "brocolli": "broccoli",
    "broccolli": "broccoli",
    "luggages": "luggage",
    "equiptment": "equipment",
    "restaraunt": "restaurant",
    "bycicle": "bicycle",
    "bicylce": "bicycle",
    "womans": "women",
    "mens": "men's",
    "colorfull": "colorful",
    "infront": "in front",
    "next too": "next to",
    "peice": "piece",
    "recieve": "receive",
    "seperate": "separate",
}
_MISSPELT_PATTERN = re.compile(
    r"\b(" + "|".join(re.escape(text) for text in _MISSPELT) + r")\b", re.IGNORECASE
)


class Hint(NamedTuple):
    """A possible error: the rubric's kind, where it starts and ends, and what to look at."""

    kind: str
    start: int
    end: int
    message: str


def fluency_hints(caption: str) -> tuple[Hint, ...]:
    """Return what might be wrong with a caption as English, in order of appearance.

    >>> [hint.message for hint in fluency_hints("A otter watches the the tv.")]
    ['"A otter": perhaps "an otter"', '"the the": repeated word', '"tv": perhaps "TV"']
    """
    found = [*_articles(caption), *_doubled(caption), *_casing(caption), *_spelling(caption)]
    return tuple(sorted(found, key=lambda hint: (hint.start, hint.end)))


def _articles(text: str) -> Iterator[Hint]:
    for match in _ARTICLE.finditer(text):
        article, word = match[1], match[2]
        # Letters of an abbreviation are read out ("an MRI", "a UFO"): no rule here is sure.
        if len(word) > 1 and word.isupper():
            continue
        wanted = "an" if _starts_with_vowel_sound(word) else "a"
        if article.lower() != wanted:
            yield Hint("grammar", *match.span(), f'"{match[0]}": perhaps "{wanted} {word}"')


def _starts_with_vowel_sound(word: str) -> bool:
    lower = word.lower()
    if lower[0] in "aeiou":
        return _VOWEL_LETTER_CONSONANT_SOUND.match(lower) is None
    return _SILENT_H.match(lower) is not None


def _doubled(text: str) -> Iterator[Hint]:
    for match in _DOUBLED.finditer(text):
        if match[1].lower() not in _MAY_DOUBLE:
            yield Hint("duplication", *match.span(), f'"{match[0]}": repeated word')


def _casing(text: str) -> Iterator[Hint]:
    words = list(_WORD.finditer(text))
    if words and words[0].start() == 0 and words[0][0][0].islower():
        first = words[0]
        yield Hint("casing", *first.span(), f'"{first[0]}": starts in lower case')
    for match in words:
        wanted = _PROPER.get(match[0])
        if wanted is not None:
            yield Hint("casing", *match.span(), f'"{match[0]}": perhaps "{wanted}"')


def _spelling(text: str) -> Iterator[Hint]:
    for match in _MISSPELT_PATTERN.finditer(text):
        wanted = _MISSPELT[match[0].lower()]
        yield Hint("spelling", *match.span(), f'"{match[0]}": perhaps "{wanted}"')
