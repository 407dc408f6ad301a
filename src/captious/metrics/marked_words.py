"""Words of a caption as findings: where a metric's unsupported words are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from captious.corpus.findings import Place
from captious.text.places import placed_words

WORD = "word"  # the kind of a finding of which no more is known than its word


class Fault(NamedTuple):
    """What is wrong with a word: how surely, what is nearest to it, and of which kind."""

    confidence: float
    evidence: str = ""
    kind: str = WORD
    severity: str = ""


def marked_words(caption: str, tokeniser: str, faults: Mapping[str, Fault]) -> list[Place]:
    """Every occurrence of the faulty words in a caption.

    >>> [place[:3] for place in marked_words("A Cat, two cats", "ptb", {"cat": Fault(1.0)})]
    [(2, 5, 'word')]
    """
    found = []
    for word, start, end in placed_words(caption, tokeniser) if faults else ():
        if (fault := faults.get(word)) is not None:
            found.append(
                Place(start, end, fault.kind, fault.severity, fault.confidence, evidence=fault.evidence)
            )
    return found
