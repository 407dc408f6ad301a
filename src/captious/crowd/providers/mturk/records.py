"""HITs, assignments and bonuses as captious knows them: money in cents, times in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from captious.crowd.money import major, minor

SUBMITTED, APPROVED, REJECTED = "Submitted", "Approved", "Rejected"


@dataclass(frozen=True)
class Hit:
    """A HIT: `places` assignments in all, of which some are open, at work, or judged."""

    id: str
    type_id: str
    group_id: str
    annotation: str
    status: str
    places: int
    reward: int
    available: int
    pending: int
    completed: int
    created: float
    expires: float


@dataclass(frozen=True)
class Assignment:
    """Work that was handed in; Mechanical Turk shows none before that."""

    id: str
    hit: str
    worker: str
    status: str
    accepted: float
    submitted: float
    auto_approval: float
    answers: Mapping[str, str] = field(default_factory=dict)
    feedback: str = ""


@dataclass(frozen=True)
class Bonus:
    """A bonus that was paid."""

    worker: str
    assignment: str
    amount: int
    reason: str


def hit_of(row: Mapping[str, Any]) -> Hit:
    """A HIT from the API's row."""
    return Hit(
        id=row["HITId"],
        type_id=row.get("HITTypeId", ""),
        group_id=row.get("HITGroupId", ""),
        annotation=row.get("RequesterAnnotation", ""),
        status=row.get("HITStatus", ""),
        places=row.get("MaxAssignments", 1),
        reward=cents(row.get("Reward", "0")),
        available=row.get("NumberOfAssignmentsAvailable", 0),
        pending=row.get("NumberOfAssignmentsPending", 0),
        completed=row.get("NumberOfAssignmentsCompleted", 0),
        created=_seconds(row.get("CreationTime")),
        expires=_seconds(row.get("Expiration")),
    )


def assignment_of(row: Mapping[str, Any]) -> Assignment:
    """An assignment from the API's row."""
    return Assignment(
        id=row["AssignmentId"],
        hit=row["HITId"],
        worker=row["WorkerId"],
        status=row["AssignmentStatus"],
        accepted=_seconds(row.get("AcceptTime")),
        submitted=_seconds(row.get("SubmitTime")),
        auto_approval=_seconds(row.get("AutoApprovalTime")),
        answers=answers_of(row.get("Answer", "")),
        feedback=row.get("RequesterFeedback", ""),
    )


def bonus_of(row: Mapping[str, Any]) -> Bonus:
    """A bonus from the API's row."""
    return Bonus(row["WorkerId"], row["AssignmentId"], cents(row["BonusAmount"]), row.get("Reason", ""))


def cents(dollars: str) -> int:
    """An amount of the API in cents.

    >>> cents("0.25"), cents("10000.00"), cents("3")
    (25, 1000000, 300)
    """
    return minor(dollars, "USD")


def dollars(amount: int) -> str:
    """Cents as the API writes them.

    >>> dollars(25), dollars(100_000)
    ('0.25', '1000.00')
    """
    return str(major(amount, "USD"))


def _seconds(when: datetime | None) -> float:
    return when.timestamp() if when is not None else 0.0


# The XML that Mechanical Turk speaks: our page as a question, and a worker's answers.
_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
QUESTION = f"{_SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
ANSWERS = f"{_SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
LARGEST = 65_535


def external_question(address: str, *, height: int = 0) -> str:
    """Our page in a frame; a height of 0 fills the window.

    >>> external_question("https://rate.example.org/hit?a=1&b=2")
    '<ExternalQuestion xmlns="...ExternalQuestion.xsd"><ExternalURL>https://rate.example.org/hit?a=1&amp;b=2...'
    """
    return (
        f'<ExternalQuestion xmlns="{QUESTION}"><ExternalURL>{escape(address)}</ExternalURL>'
        f"<FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )


def answers_of(document: str) -> dict[str, str]:
    """The fields that a worker's form sent, from a `QuestionFormAnswers` document.

    What is not such a document, or is too large to be one, has no fields: it was written by a stranger.
    """
    # No document type: entities are the one thing that makes this parser slow or curious.
    if len(document) > LARGEST or "<!" in document.replace("<![CDATA[", ""):
        return {}
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError:
        return {}
    space = {"a": ANSWERS}
    found = {}
    for one in root.findall("a:Answer", space):
        name = one.findtext("a:QuestionIdentifier", "", space)
        if name:
            found[name] = one.findtext("a:FreeText", "", space)
    return found


# What Mechanical Turk charges on top of a reward, in cents.
# 20% of every reward and bonus; 20% more for HITs with ten or more assignments; 5% more where only
# Masters may work; at least one cent an assignment; half a cent is rounded up (the price list of
# Mechanical Turk). Several HITs of nine assignments stay below the step at ten.


FEE = 20
STEP_FEE = 20
STEP = 10
MASTERS_FEE = 5
LEAST_FEE = 1


def fee(reward: int, assignments: int, *, masters: bool = False) -> int:
    """The fee in cents of one assignment of a HIT that has so many of them.

    >>> fee(25, 9), fee(25, 10), fee(25, 9, masters=True), fee(2, 9)  # 5.00, 10.00, 6.25, 0.40 cents
    (5, 10, 6, 1)
    """
    percent = FEE + (STEP_FEE if assignments >= STEP else 0) + (MASTERS_FEE if masters else 0)
    return _share(reward, percent)


def bonus_fee(amount: int) -> int:
    """The fee in cents of a bonus: 20%, without steps.

    >>> bonus_fee(100), bonus_fee(13)  # 2.6 cents become 3
    (20, 3)
    """
    return _share(amount, FEE)


def in_hits(places: int) -> list[int]:
    """The assignments of each HIT, so that none reaches the step.

    >>> in_hits(20), in_hits(9), in_hits(0)
    ([9, 9, 2], [9], [])
    """
    most = STEP - 1
    return [min(most, places - at) for at in range(0, places, most)]


def _share(amount: int, percent: int) -> int:
    return max(LEAST_FEE, (2 * amount * percent + 100) // 200)
