"""The codes of all findings, for `--allow` and for the documentation."""

from __future__ import annotations

from captious.corpus.checks.structure import PROBLEMS
from captious.corpus.checks.texts import CANDIDATE_CHECKS, REFERENCE_CHECKS

BETWEEN_CAPTIONS = (
    "no-references",
    "no-candidates",
    "systems-differ",
    "leaked",
    "repeated",
    "fewer-references",
    "loose-ids",
    "no-image",
    "broken-image",
    "no-objects",
)
CODES: tuple[str, ...] = (
    *PROBLEMS,
    *(check.code for check in CANDIDATE_CHECKS),
    *(check.code for check in REFERENCE_CHECKS),
    *BETWEEN_CAPTIONS,
)
