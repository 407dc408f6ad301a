"""What marks in a caption say in the terms of other protocols: the error audit and THumB.

The audit needs a few kinds more, with which raters say what is invented, the main object, or awkward.
THumB's points follow from marks by a rule of ours, which stands in `thumb_scores`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from captious.protocols.audit import QUESTIONS
from captious.protocols.questions.spans import FINER
from captious.protocols.thumb.rules import (
    HIGHEST,
    LOWEST,
    PENALTIES,
    PENALTY_APPEARANCE,
    PENALTY_CONCISENESS,
    PENALTY_SEVERE,
    total,
)
from captious.text.stop_words import ENGLISH, is_content_word

Mark = Mapping[str, Any]

NEEDED = ("object", "attribute", "relation", "text")
# What answers the audit's questions. A count is a property of objects (THumB, rule 2).
AUDIT: Mapping[str, frozenset[str]] = {
    "misclassified": frozenset({"object", "main object"}),
    "hallucinated": frozenset({"hallucinated"}),
    "primary_object": frozenset({"main object"}),
    "properties": frozenset({"attribute", "count"}),
    "relationships": frozenset({"relation"}),
    "grammar": frozenset({"text"}),
    "awkward": frozenset({"awkward"}),
}
UNSURE = "inference"
LANGUAGE = frozenset(one.value for one in FINER["text"])
OBJECTS = frozenset(one.value for one in FINER["object"])
FACTS = OBJECTS | {"attribute", "count", "relation", UNSURE}
FLUENCY_MINOR, FLUENCY_MAJOR = 0.1, 0.5  # THumB, 2.2.2: easily corrected; misleading or broken
MISSING_MINOR, MISSING_MAJOR = 1, 2


def audit_answers(marks: Sequence[Mark]) -> dict[str, float]:
    """1 for each of the audit's seven questions that a mark in the caption answers with an error, else 0.

    >>> found = audit_answers([{"start": 2, "end": 6, "kind": "main object"}])
    >>> [question for question, error in found.items() if error]
    ['misclassified', 'primary_object']
    """
    marked = {mark["kind"] for mark in marks if mark["start"] is not None}
    return {question.name: float(bool(marked & AUDIT[question.name])) for question in QUESTIONS}


def thumb_scores(caption: str, marks: Sequence[Mark], minor: str) -> dict[str, float]:
    """THumB's scores of a caption from its marks, penalties negative as in the released file, and the total.

    `minor` is the severity that costs least. By this rule, which is ours:

    - Precision 5: no fact is marked. 4: minor ones only, or what the image does not show. With a major
      one 3; 2 if marks touch half of the words that are not stop words, and 1 if they touch all.
    - Recall: 5 less 1 for each minor and 2 for each major thing that is missing, but not below 1.
    - Fluency: 0.1 for each minor and 0.5 for each major mark of language (2.2.2). Conciseness: 0.5.
      Inclusive language: 0.5, or 2 if major; each once in a caption.

    >>> marks = [{"start": 2, "end": 8, "kind": "object", "severity": "major"},
    ...          {"start": None, "end": None, "kind": "object", "severity": "minor"}]
    >>> thumb_scores("A beaver lies on a rock.", marks, "minor")["total"]  # precision 3, recall 4
    3.5
    """
    placed = [mark for mark in marks if mark["start"] is not None]
    facts = [mark for mark in placed if mark["kind"] in FACTS]
    missing = [mark for mark in marks if mark["start"] is None]
    unsaid = sum(_graded(mark, minor, MISSING_MINOR, MISSING_MAJOR) for mark in missing)
    inclusive = [
        _graded(mark, minor, PENALTY_APPEARANCE, PENALTY_SEVERE)
        for mark in placed
        if mark["kind"] == "inclusive_language"
    ]
    values = {
        "precision": _precision(caption, facts, minor),
        "recall": max(LOWEST, HIGHEST - unsaid),
        "fluency": sum(
            _graded(mark, minor, FLUENCY_MINOR, FLUENCY_MAJOR) for mark in placed if mark["kind"] in LANGUAGE
        ),
        "conciseness": PENALTY_CONCISENESS * any(mark["kind"] == "conciseness" for mark in placed),
        "inclusive_language": max(inclusive, default=0.0),
    }
    signed = {aspect: -value + 0.0 if aspect in PENALTIES else value for aspect, value in values.items()}
    return signed | {"total": total(values)}


def _graded(mark: Mark, minor: str, less: float, more: float) -> float:
    return less if mark["severity"] == minor else more


def _precision(caption: str, facts: Sequence[Mark], minor: str) -> float:
    if not facts:
        return HIGHEST
    if all(mark["severity"] == minor or mark["kind"] == UNSURE for mark in facts):
        return HIGHEST - 1
    words = [one.span() for one in re.finditer(r"\w+", caption) if is_content_word(one[0].lower(), ENGLISH)]
    hit = sum(any(mark["start"] < end and start < mark["end"] for mark in facts) for start, end in words)
    if hit == len(words):
        return LOWEST
    return LOWEST + 1 if 2 * hit >= len(words) else LOWEST + 2
