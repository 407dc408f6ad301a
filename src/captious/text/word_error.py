"""Word error rate: how far a machine's transcript is from its correction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class WordErrors(NamedTuple):
    """Words of the reference, and the edits that turn the hypothesis into it."""

    words: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def rate(self) -> float:
        """WER = (S + D + I) / N; may be above 1; NaN for an empty reference."""
        edits = self.substitutions + self.deletions + self.insertions
        return edits / self.words if self.words else float("nan")


def word_errors(hypothesis: str, reference: str) -> WordErrors:
    """Count words that the hypothesis got wrong (S), left out (D) and added (I).

    Capitals and punctuation do not count. The alignment has the fewest edits.

    >>> found = word_errors("a dock on grass", "A dog, on the grass.")
    >>> found, found.rate
    (WordErrors(words=5, substitutions=1, deletions=1, insertions=0), 0.4)
    """
    said, meant = _words(hypothesis), _words(reference)
    kinds = [edit.tag for edit in Levenshtein.editops(said, meant)]
    # The edits turn the hypothesis into the reference: what they insert had been left out.
    return WordErrors(len(meant), kinds.count("replace"), kinds.count("insert"), kinds.count("delete"))


def total_word_errors(pairs: Iterable[tuple[str, str]]) -> WordErrors:
    """The errors of many (hypothesis, reference) pairs together: the rate is over all words.

    >>> total_word_errors([("a", "A b"), ("c d", "C d")]).rate
    0.25
    """
    total = WordErrors(0, 0, 0, 0)
    for hypothesis, reference in pairs:
        found = word_errors(hypothesis, reference)
        total = WordErrors(*(one + more for one, more in zip(total, found, strict=True)))
    return total


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))
