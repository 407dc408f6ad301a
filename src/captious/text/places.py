"""Where the words that a metric reads are in the caption as it was given.

Metrics read words in lower case, without accents, cut and spelled anew. A finding marks the caption as it is,
in code points: whatever tokeniser a metric has, its words come back to their places here.
"""

from __future__ import annotations

from typing import NamedTuple

from captious.text.ptb.tokenise import token_places
from captious.text.tokens import STEMMED, token_table


class PlacedWord(NamedTuple):
    """A word as a tokeniser spells it, and where it begins and ends in its text."""

    word: str
    start: int
    end: int


def placed_words(text: str, tokeniser: str = "ptb") -> list[PlacedWord]:
    """The words of a text with their places, in order.

    A word of a tokeniser other than `ptb` that is spelled otherwise in the text (`&quot;`) is left out.

    >>> caption = "Zoë's 2 CATS"
    >>> [(one.word, caption[one.start : one.end]) for one in placed_words(caption)]
    [('zoë', 'Zoë'), ("'s", "'s"), ('2', '2'), ('cats', 'CATS')]
    >>> [tuple(one) for one in placed_words("Two cats", "space+stem")]
    [('Two', 0, 3), ('cat', 4, 8)]
    """
    plain = tokeniser.removesuffix(STEMMED)
    found = list(map(PlacedWord._make, token_places(text))) if plain == "ptb" else _aligned(text, plain)
    if plain == tokeniser:
        return found
    from captious.text.stem import stem

    return [one._replace(word=stem(one.word)) for one in found]


def lowered(text: str) -> tuple[str, list[int]]:
    """A text in lower case, and of which of its letters each code point is.

    >>> lowered("İ!")
    ('i̇!', [0, 0, 1])
    """
    low = text.lower()
    if len(low) == len(text):
        return low, list(range(len(text)))
    return low, [place for place, letter in enumerate(text) for _ in letter.lower()]


def _aligned(text: str, tokeniser: str) -> list[PlacedWord]:
    """Words of any tokeniser, each at its next occurrence."""
    low, of = lowered(text)
    words = token_table([text], tokeniser).words(0)
    place, found = 0, []
    for word in words:
        start = low.find(word.lower(), place)
        if start >= 0 and word:
            place = start + len(word.lower())
            found.append(PlacedWord(word, of[start], of[place - 1] + 1))
    return found
