"""What Prolific's answers hold, as far as captious reads them, and the words of its API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

StudyStatus = Literal[
    "UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "AWAITING REVIEW", "PAUSED", "COMPLETED"
]
StudyAction = Literal["PUBLISH", "PAUSE", "START", "STOP"]
# The statuses of a submission that captious knows; others are read as they come.
RESERVED, ACTIVE, TIMED_OUT, RETURNED = "RESERVED", "ACTIVE", "TIMED-OUT", "RETURNED"
AWAITING, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
SCREENED_OUT, PARTIALLY_APPROVED = "SCREENED OUT", "PARTIALLY APPROVED"

RejectionCategory = Literal[
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "FAILED_CHECK", "LOW_EFFORT", "NO_DATA", "OTHER"
]
SHORTEST_REJECTION = 100  # characters: "It must be at least 100 chars long."
MOST_BONUSES = 200  # in one request
MOST_APPROVALS = 1000


@dataclass(frozen=True)
class StudyRecord:
    """A study. `reward` and `total_cost` are in minor units; `codes` are by code type."""

    id: str
    internal_name: str
    status: str
    places: int
    places_taken: int = 0
    reward: int = 0
    total_cost: int | None = None


@dataclass(frozen=True)
class Submission:
    """One participant's place. Times are seconds since 1970 by Prolific's clock; bonuses are minor units."""

    id: str
    study: str
    participant: str
    status: str
    started: float | None
    completed: float | None
    code: str = ""
    bonuses: tuple[int, ...] = ()


def study_of(found: Mapping[str, Any]) -> StudyRecord:
    """A study as the API writes it, in a list or alone."""
    cost = found.get("total_cost")
    return StudyRecord(
        id=str(found["id"]),
        internal_name=str(found.get("internal_name") or ""),
        status=str(found.get("status") or ""),
        places=int(found.get("total_available_places") or 0),
        places_taken=int(found.get("places_taken") or 0),
        reward=round(float(found.get("reward") or 0)),
        total_cost=None if cost is None else round(float(cost)),
    )


def submission_of(found: Mapping[str, Any], study: str = "") -> Submission:
    """A submission as the API writes it: lists and single answers name some fields differently."""
    return Submission(
        id=str(found["id"]),
        study=str(found.get("study_id") or study),
        participant=str(found.get("participant_id") or found.get("participant") or ""),
        status=str(found["status"]),
        started=seconds(found.get("started_at")),
        completed=seconds(found.get("completed_at")),
        code=str(found.get("study_code") or found.get("entered_code") or ""),
        bonuses=tuple(round(float(amount)) for amount in found.get("bonus_payments") or ()),
    )


def seconds(stamp: object) -> float | None:
    """A time of the API in seconds since 1970; None where there is none.

    >>> seconds("2026-11-18T01:00:00Z"), seconds("2026-11-18T01:00:00.500000+00:00"), seconds(None)
    (1794963600.0, 1794963600.5, None)
    """
    if not stamp:
        return None
    read = datetime.fromisoformat(str(stamp))
    return read.timestamp() if read.tzinfo else datetime.fromisoformat(f"{stamp}+00:00").timestamp()
