"""The operations of Mechanical Turk that a campaign needs, each idempotent as far as the API allows.

Over boto3, whose usual chain (environment, `~/.aws`, roles) gives the credentials.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from captious.crowd.providers.mturk import records
from captious.crowd.providers.mturk.calls import Calls, TurkRefused
from captious.crowd.providers.mturk.records import Assignment, Bonus, Hit, dollars
from captious.errors import InputError

# Long before any clock that may be wrong: a HIT that ends then has ended.
PAST = datetime(2015, 1, 1, tzinfo=UTC)
LONGEST_TOKEN = 64
MOST_NOTIFIED = 100
LONGEST_SUBJECT, LONGEST_MESSAGE = 200, 4096
_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")

Missing = Literal["at work", "unknown"]


class Turk:
    """One requester's account at one Mechanical Turk."""

    def __init__(self, calls: Calls) -> None:
        self.calls, self.site = calls, calls.site

    def __repr__(self) -> str:
        return f"Turk({self.site.name})"

    def balance(self) -> int:
        """What may be spent, in cents."""
        return records.cents(self.calls.read("GetAccountBalance")["AvailableBalance"])

    def create_type(
        self,
        *,
        title: str,
        description: str,
        keywords: Sequence[str],
        reward: int,
        duration: int,
        auto_approval: int,
        requirements: Sequence[dict[str, Any]],
    ) -> str:
        """The id of the HIT type with these properties; the same properties give the same id."""
        found = self.calls.change(
            "CreateHITType",
            Title=title,
            Description=description,
            Keywords=", ".join(keywords),
            Reward=dollars(reward),
            AssignmentDurationInSeconds=duration,
            AutoApprovalDelayInSeconds=auto_approval,
            QualificationRequirements=list(requirements),
        )
        return str(found["HITTypeId"])

    def create_hit(
        self, type_id: str, *, question: str, places: int, lifetime: int, annotation: str, token: str
    ) -> Hit:
        """A HIT, made once for each token: a token that was used before returns the HIT it made."""
        try:
            found = self.calls.change(
                "CreateHITWithHITType",
                HITTypeId=type_id,
                Question=question,
                MaxAssignments=places,
                LifetimeInSeconds=lifetime,
                RequesterAnnotation=annotation,
                UniqueRequestToken=_token(token),
            )
        except TurkRefused as error:
            if not error.is_repetition:
                raise
            return self._named_in(error, annotation)
        return records.hit_of(found["HIT"])

    def _named_in(self, error: TurkRefused, annotation: str) -> Hit:
        """The HIT that a refusal names: "subsequent calls return an error containing the HITId"."""
        for name in _ID.findall(error.message):
            found = self.hit(name)
            if found is not None and found.annotation == annotation:
                return found
        for found in self.hits():
            if found.annotation == annotation:
                return found
        raise error

    def hit(self, hit_id: str) -> Hit | None:
        """A HIT of ours, None where there is none."""
        try:
            return records.hit_of(self.calls.read("GetHIT", HITId=hit_id)["HIT"])
        except TurkRefused as error:
            if error.code != "HITDoesNotExist":
                raise
            return None

    def hits(self) -> list[Hit]:
        """Every HIT of the account that has not been deleted."""
        rows = self.calls.pages("ListHITs", "HITs")
        return list({one.id: one for one in map(records.hit_of, rows)}.values())

    def assignments(self, hit_id: str) -> list[Assignment]:
        """The work that was handed in for a HIT, judged or not."""
        rows = self.calls.pages("ListAssignmentsForHIT", "Assignments", HITId=hit_id)
        return list({one.id: one for one in map(records.assignment_of, rows)}.values())

    def assignment(self, assignment_id: str) -> Assignment | Missing:
        """An assignment that was handed in; else whether one with this id is at work or unknown.

        Mechanical Turk shows no assignment before it is handed in. It refuses to, in another way
        ("can be called with a status of: Reviewable,Approved,Rejected") than for an id that it
        never gave out ("does not exist").
        """
        try:
            found = self.calls.read("GetAssignment", AssignmentId=assignment_id)
        except TurkRefused as error:
            if error.code == "AssignmentDoesNotExist":
                return "unknown"
            if error.code == "InvalidAssignmentState" or "can be called with a status" in error.message:
                return "at work"
            raise
        return records.assignment_of(found["Assignment"])

    def approve(self, assignment_id: str, feedback: str = "", *, override: bool = False) -> None:
        """Pay the reward. `override` takes back a rejection of the last 30 days."""
        extra = {"RequesterFeedback": feedback} if feedback else {}
        self.calls.change(
            "ApproveAssignment", AssignmentId=assignment_id, OverrideRejection=override, **extra
        )

    def reject(self, assignment_id: str, reason: str) -> None:
        """Refuse to pay, with a reason that the worker reads."""
        if not reason.strip():
            raise InputError("a rejection needs a reason. The worker reads it.")
        self.calls.change("RejectAssignment", AssignmentId=assignment_id, RequesterFeedback=reason)

    def bonus(self, worker: str, assignment_id: str, amount: int, reason: str, *, token: str) -> None:
        """Pay a bonus, once for each token."""
        self.calls.change(
            "SendBonus",
            WorkerId=worker,
            AssignmentId=assignment_id,
            BonusAmount=dollars(amount),
            Reason=reason,
            UniqueRequestToken=_token(token),
        )

    def bonuses(self, assignment_id: str) -> list[Bonus]:
        """The bonuses that were paid for an assignment."""
        return self._bonuses(AssignmentId=assignment_id)

    def bonuses_of_hit(self, hit_id: str) -> list[Bonus]:
        """The bonuses that were paid for all assignments of a HIT."""
        return self._bonuses(HITId=hit_id)

    def _bonuses(self, **of: str) -> list[Bonus]:
        rows = self.calls.pages("ListBonusPayments", "BonusPayments", **of)
        return [records.bonus_of(row) for row in rows]

    def add_places(self, hit_id: str, places: int, *, token: str) -> None:
        """More assignments of a HIT; one made with fewer than ten cannot grow to ten."""
        self.calls.change(
            "CreateAdditionalAssignmentsForHIT",
            HITId=hit_id,
            NumberOfAdditionalAssignments=places,
            UniqueRequestToken=_token(token),
        )

    def expire(self, hit_id: str) -> None:
        """Nobody can accept the HIT any more; who has accepted it may finish."""
        self.calls.change("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=PAST)

    def prolong(self, hit_id: str, until: float) -> None:
        """The HIT may be accepted until then (again, where it had expired)."""
        self.calls.change("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=datetime.fromtimestamp(until, UTC))

    def delete(self, hit_id: str) -> None:
        """Remove a HIT whose work has all been judged."""
        self.calls.change("DeleteHIT", HITId=hit_id)

    def notify(self, workers: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Write to workers whose work was judged before; returns why some could not be reached."""
        if len(subject) > LONGEST_SUBJECT or len(text) > LONGEST_MESSAGE:
            raise InputError(
                f"a message to workers: the subject may have {LONGEST_SUBJECT} characters at most, "
                f"the text {LONGEST_MESSAGE}."
            )
        failed = {}
        for at in range(0, len(workers), MOST_NOTIFIED):
            some = list(workers[at : at + MOST_NOTIFIED])
            found = self.calls.change("NotifyWorkers", Subject=subject, MessageText=text, WorkerIds=some)
            for row in found.get("NotifyWorkersFailureStatuses", []):
                failed[row["WorkerId"]] = row.get("NotifyWorkersFailureMessage", "")
        return failed

    def block(self, worker: str, reason: str) -> None:
        """Keep a worker from all HITs of the account; the reason is for us."""
        self.calls.change("CreateWorkerBlock", WorkerId=worker, Reason=reason)

    def blocked(self) -> dict[str, str]:
        """The workers that are blocked, with the reasons."""
        rows = self.calls.pages("ListWorkerBlocks", "WorkerBlocks")
        return {row["WorkerId"]: row.get("Reason", "") for row in rows}

    def qualification(self, name: str, description: str) -> str:
        """The id of our own qualification type of that name, made where it is missing."""
        found = self._qualification(name)
        if found:
            return found
        try:
            made = self.calls.change(
                "CreateQualificationType",
                Name=name,
                Description=description,
                QualificationTypeStatus="Active",
            )
        except TurkRefused:
            # Another process may have made it meanwhile: names are unique.
            found = self._qualification(name)
            if not found:
                raise
            return found
        return str(made["QualificationType"]["QualificationTypeId"])

    def _qualification(self, name: str) -> str:
        rows = self.calls.pages(
            "ListQualificationTypes",
            "QualificationTypes",
            Query=name,
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )
        return next((row["QualificationTypeId"] for row in rows if row["Name"] == name), "")

    def grant(self, qualification: str, worker: str) -> None:
        """Give a worker our qualification, without a mail; once more changes nothing."""
        self.calls.change(
            "AssociateQualificationWithWorker",
            QualificationTypeId=qualification,
            WorkerId=worker,
            IntegerValue=1,
            SendNotification=False,
        )

    def revoke(self, qualification: str, worker: str) -> None:
        """Take our qualification back."""
        self.calls.change(
            "DisassociateQualificationFromWorker", QualificationTypeId=qualification, WorkerId=worker
        )

    def holders(self, qualification: str) -> set[str]:
        """The workers who hold our qualification."""
        rows = self.calls.pages(
            "ListWorkersWithQualificationType",
            "Qualifications",
            QualificationTypeId=qualification,
            Status="Granted",
        )
        return {row["WorkerId"] for row in rows}


def _token(text: str) -> str:
    if not 0 < len(text) <= LONGEST_TOKEN:
        raise InputError(f'request token "{text}": has {len(text)} characters; the limit is {LONGEST_TOKEN}.')
    return text
