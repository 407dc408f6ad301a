"""How studies and places stand at Prolific, in the words of captious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from captious.crowd.providers.prolific import fields, records
from captious.crowd.providers.prolific.records import StudyRecord, Submission
from captious.crowd.values import Place, PlaceState, Remote, StudyState

_STUDY_STATES: dict[str, StudyState] = {
    "UNPUBLISHED": "draft",
    "SCHEDULED": "draft",
    "PUBLISHING": "open",
    "ACTIVE": "open",
    "AWAITING REVIEW": "open",
    "PAUSED": "paused",
    "COMPLETED": "closed",
}
# A status that is new to us takes up a place and is neither paid nor given away.
_PLACE_STATES: dict[str, PlaceState] = {
    records.RESERVED: "active",
    records.ACTIVE: "active",
    records.AWAITING: "submitted",
    records.APPROVED: "approved",
    records.PARTIALLY_APPROVED: "approved",
    records.REJECTED: "rejected",
    records.RETURNED: "returned",
    records.TIMED_OUT: "timed_out",
    records.SCREENED_OUT: "screened_out",
}


def study_state(status: str) -> StudyState:
    """The state of a study; one that is new to us counts as open."""
    return _STUDY_STATES.get(status, "open")


def place_state(status: str) -> PlaceState:
    """The state of a place; one that is new to us takes up the place and is neither paid nor given away."""
    return _PLACE_STATES.get(status, "active")


def counted(numbers: Mapping[str, int]) -> dict[PlaceState, int]:
    """Numbers of submissions by status, as numbers of places by state."""
    found: Counter[PlaceState] = Counter()
    for status, number in numbers.items():
        if status != "TOTAL":
            found[place_state(status)] += number
    return dict(found)


def place_of(found: Submission) -> Place:
    """A submission as a place."""
    state = place_state(found.status)
    return Place(found.id, found.participant, state, found.started, found.completed, found.code)


def remote_of(record: StudyRecord, group: str = "") -> Remote:
    """A study at Prolific, with the group of those who do not see it."""
    return Remote(record.id, f"{fields.RESEARCHER}/{record.id}", {"group": group} if group else {})
