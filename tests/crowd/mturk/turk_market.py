"""A marketplace that keeps the documented rules of Mechanical Turk: states, money, tokens, qualifications.

Written from the API reference (the texts in botocore's service model) and the price list, not from
our adapter: amounts are decimals here and the fee is computed anew, so that a wrong quote shows.
"""

from __future__ import annotations

import re
import secrets
import string
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from xml.etree import ElementTree

DAY = 86_400.0
CODE = "AWS.MechanicalTurk."
MASTERS = {"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}
LOCALE, PERCENT, NUMBER = "00000000000000000071", "000000000000000000L0", "00000000000000000040"
SYSTEM_TYPES = {LOCALE, PERCENT, NUMBER, *MASTERS}
CENT = Decimal("0.01")
QUESTION = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd}"
)


class TurkError(Exception):
    """A RequestError as the service gives it."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = CODE + code, f"{message} ({int(time.time() * 1000)} s)"
        super().__init__(self.message)


@dataclass
class Worker:
    id: str
    country: str = "US"
    percent: int = 99
    approved: int = 1000
    masters: bool = False


@dataclass
class Job:
    """An accepted HIT. The API shows it once it is submitted."""

    id: str
    hit: str
    worker: str
    accepted: float
    status: str = "Pending"
    submitted: float = 0.0
    judged: float = 0.0
    answer: str = ""
    feedback: str = ""


@dataclass
class Hit:
    id: str
    kind: dict[str, Any]
    type_id: str
    question: str
    places: int
    created_with: int
    created: float
    expires: float
    annotation: str
    deleted: bool = False


@dataclass
class Market:
    """One requester's account and the workers around it."""

    deposit: Decimal = Decimal("10000.00")
    ahead: float = 0.0
    types: dict[str, dict[str, Any]] = field(default_factory=dict)
    hits: dict[str, Hit] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    bonuses: list[dict[str, Any]] = field(default_factory=list)
    qualifications: dict[str, dict[str, Any]] = field(default_factory=dict)
    held: dict[str, dict[str, int]] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    mails: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)
    paid: Decimal = Decimal(0)
    fees: Decimal = Decimal(0)

    def now(self) -> float:
        return time.time() + self.ahead

    def new_id(self, start: str = "3") -> str:
        return start + "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(29))

    # Money

    def charge(self, kind: dict[str, Any], places: int) -> Decimal:
        """The reward of one assignment with its fee: 20%, 20% more from ten on, 5% for Masters."""
        reward = Decimal(kind["Reward"])
        rate = Decimal("0.20") + (Decimal("0.20") if places >= 10 else 0)
        if any(one["QualificationTypeId"] in MASTERS for one in kind["QualificationRequirements"]):
            rate += Decimal("0.05")
        return reward + max(CENT, (reward * rate).quantize(CENT, ROUND_HALF_UP))

    @property
    def on_hold(self) -> Decimal:
        total = Decimal(0)
        for hit in self.hits.values():
            if not hit.deleted:
                settled = sum(job.status in ("Approved", "Rejected") for job in self.jobs_of(hit))
                total += self.charge(hit.kind, hit.created_with) * (hit.places - settled)
        return total

    @property
    def available(self) -> Decimal:
        return self.deposit - self.paid - self.fees - self.on_hold

    def need(self, amount: Decimal) -> None:
        if self.available < amount:
            raise TurkError("InsufficientFunds", "This Requester has insufficient funds in their account")

    # State

    def jobs_of(self, hit: Hit, *states: str) -> list[Job]:
        return [
            job for job in self.jobs.values() if job.hit == hit.id and (not states or job.status in states)
        ]

    def tick(self) -> None:
        """Time does its work: accepted HITs run out, submitted ones are approved by themselves."""
        now = self.now()
        for job in list(self.jobs.values()):
            kind = self.hits[job.hit].kind
            if job.status == "Pending" and now > job.accepted + kind["AssignmentDurationInSeconds"]:
                job.status = "Abandoned"
            delay = kind.get("AutoApprovalDelayInSeconds", 30 * DAY)
            if job.status == "Submitted" and now > job.submitted + delay:
                self.pay(job)

    def status(self, hit: Hit) -> str:
        pending = self.jobs_of(hit, "Pending")
        done = self.jobs_of(hit, "Submitted", "Approved", "Rejected")
        if hit.deleted:
            return "Disposed"
        over = self.now() >= hit.expires or len(done) >= hit.places
        if over and not pending:
            return "Reviewable"
        return "Unassignable" if over or len(pending) + len(done) >= hit.places else "Assignable"

    def row(self, hit: Hit) -> dict[str, Any]:
        pending = len(self.jobs_of(hit, "Pending"))
        done = len(self.jobs_of(hit, "Submitted", "Approved", "Rejected"))
        return {
            "HITId": hit.id,
            "HITTypeId": hit.type_id,
            "HITGroupId": hit.type_id,
            "CreationTime": _stamp(hit.created),
            "Question": hit.question,
            "HITStatus": self.status(hit),
            "MaxAssignments": hit.places,
            "Expiration": _stamp(hit.expires),
            **({"RequesterAnnotation": hit.annotation} if hit.annotation else {}),
            "HITReviewStatus": "NotReviewed",
            "NumberOfAssignmentsPending": pending,
            "NumberOfAssignmentsAvailable": max(0, hit.places - pending - done),
            "NumberOfAssignmentsCompleted": len(self.jobs_of(hit, "Approved", "Rejected")),
            **hit.kind,
        }

    def job_row(self, job: Job) -> dict[str, Any]:
        kind = self.hits[job.hit].kind
        delay = kind.get("AutoApprovalDelayInSeconds", 30 * DAY)
        judged = {"Approved": "ApprovalTime", "Rejected": "RejectionTime"}.get(job.status)
        return {
            "AssignmentId": job.id,
            "WorkerId": job.worker,
            "HITId": job.hit,
            "AssignmentStatus": job.status,
            "AcceptTime": _stamp(job.accepted),
            "SubmitTime": _stamp(job.submitted),
            "AutoApprovalTime": _stamp(job.submitted + delay),
            "Deadline": _stamp(job.accepted + kind["AssignmentDurationInSeconds"]),
            "Answer": job.answer,
            **({judged: _stamp(job.judged)} if judged else {}),
            **({"RequesterFeedback": job.feedback} if job.feedback else {}),
        }

    def own_hit(self, hit_id: str) -> Hit:
        hit = self.hits.get(hit_id)
        if hit is None or hit.deleted:
            raise TurkError("HITDoesNotExist", f"Hit {hit_id} does not exist.")
        return hit

    def own_job(self, job_id: str, *states: str) -> Job:
        job = self.jobs.get(job_id)
        if job is None or self.hits[job.hit].deleted:
            raise TurkError("AssignmentDoesNotExist", f"Assignment {job_id} does not exist.")
        if job.status not in states:
            named = ",".join(
                "Reviewable" if one == "Submitted" and len(states) > 1 else one for one in states
            )
            raise TurkError(
                "InvalidAssignmentState", f"This operation can be called with a status of: {named}"
            )
        return job

    def pay(self, job: Job) -> None:
        hit = self.hits[job.hit]
        reward = Decimal(hit.kind["Reward"])
        job.status, job.judged = "Approved", self.now()
        self.paid += reward
        self.fees += self.charge(hit.kind, hit.created_with) - reward

    def used(self, operation: str, token: str | None) -> str | None:
        """What a token made within the last day."""
        found = self.tokens.get((operation, token or ""))
        return found[1] if token and found and self.now() - found[0] < DAY else None

    def use(self, operation: str, token: str | None, made: str) -> None:
        if token:
            self.tokens[operation, token] = (self.now(), made)

    # Workers

    def worker(self, worker_id: str, **facts: Any) -> Worker:
        return self.workers.setdefault(worker_id, Worker(worker_id, **facts))

    def may_take(self, hit: Hit, worker: Worker) -> bool:
        return worker.id not in self.blocks and all(
            self._meets(one, worker) for one in hit.kind["QualificationRequirements"]
        )

    def _meets(self, wanted: dict[str, Any], worker: Worker) -> bool:
        kind, comparator = wanted["QualificationTypeId"], wanted["Comparator"]
        if kind == LOCALE:
            inside = worker.country in [one["Country"] for one in wanted["LocaleValues"]]
            return inside if comparator in ("In", "EqualTo") else not inside
        value: int | None
        if kind in MASTERS:
            value = 1 if worker.masters else None
        elif kind in (PERCENT, NUMBER):
            value = worker.percent if kind == PERCENT else worker.approved
        else:
            value = self.held.get(kind, {}).get(worker.id)
        if comparator in ("Exists", "DoesNotExist"):
            return (value is not None) == (comparator == "Exists")
        return value is not None and value >= wanted["IntegerValues"][0]

    def accept(self, hit_id: str, worker_id: str) -> Job:
        """A worker takes a HIT: one assignment of a HIT for each worker."""
        self.tick()
        hit, worker = self.own_hit(hit_id), self.worker(worker_id)
        before = self.jobs_of(hit, "Pending", "Submitted", "Approved", "Rejected")
        if self.status(hit) != "Assignable" or any(job.worker == worker_id for job in before):
            raise TurkError("NoMoreWork", "There are no more of these HITs available.")
        if not self.may_take(hit, worker):
            raise TurkError("NotQualified", "You do not meet the qualifications of this HIT.")
        job = Job(self.new_id(), hit_id, worker_id, self.now())
        self.jobs[job.id] = job
        return job

    def give_back(self, job_id: str) -> None:
        self.own_job(job_id, "Pending").status = "Returned"

    def submit(self, job_id: str, fields: dict[str, str]) -> Job:
        """What a form at externalSubmit does: it wants the assignment's id and at least one field more."""
        self.tick()
        job = self.own_job(job_id, "Pending")
        if not fields:
            raise TurkError("NothingSubmitted", "There was a problem submitting your results for this HIT.")
        space = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
        root = ElementTree.Element("QuestionFormAnswers", xmlns=space)
        for name, value in fields.items():
            one = ElementTree.SubElement(root, "Answer")
            ElementTree.SubElement(one, "QuestionIdentifier").text = name
            ElementTree.SubElement(one, "FreeText").text = value
        job.answer = ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
        job.status, job.submitted = "Submitted", self.now()
        return job

    def address(self, hit: Hit) -> str:
        """The page that is shown in the frame."""
        return ElementTree.fromstring(hit.question).findtext(f"{QUESTION}ExternalURL", "")


def check_question(text: str) -> None:
    """Refuse what the ExternalQuestion schema does not allow."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise TurkError("XMLParseError", f"There was an error parsing the XML question: {error}") from None
    named = [child.tag for child in root]
    if root.tag != f"{QUESTION}ExternalQuestion" or named != [
        f"{QUESTION}ExternalURL",
        f"{QUESTION}FrameHeight",
    ]:
        raise TurkError("XMLParseError", "There was an error parsing the XML question")
    address = root.findtext(f"{QUESTION}ExternalURL", "")
    if not re.match(r"https://|http://(127\.0\.0\.1|localhost)[:/]", address):
        raise TurkError("ParameterValidationError", "The ExternalURL must use HTTPS.")
    if not root.findtext(f"{QUESTION}FrameHeight", "").isdigit():
        raise TurkError("XMLParseError", "FrameHeight is not a number")


def _stamp(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
