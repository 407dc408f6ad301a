"""The operations of the requester's API over a `Market`, by their names."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from turk_market import DAY, SYSTEM_TYPES, Hit, Market, TurkError, check_question

Values = dict[str, Any]
OPERATIONS: dict[str, Callable[[Market, Values], Values]] = {}
# How large a page is at most; tests make it small.
PAGE = {"most": 100, "repeat": False, "empty": False}


def operation(work: Callable[[Market, Values], Values]) -> Callable[[Market, Values], Values]:
    OPERATIONS[work.__name__] = work
    return work


@operation
def GetAccountBalance(market: Market, _: Values) -> Values:  # noqa: N802
    return {"AvailableBalance": f"{market.available:.2f}", "OnHoldBalance": f"{market.on_hold:.2f}"}


@operation
def CreateHITType(market: Market, given: Values) -> Values:  # noqa: N802
    wanted = given.setdefault("QualificationRequirements", [])
    if len(wanted) > 10:
        raise TurkError("ParameterValidationError", "At most ten qualification requirements")
    for one in wanted:
        kind = one["QualificationTypeId"]
        if kind not in SYSTEM_TYPES and kind not in market.qualifications:
            raise TurkError("QualificationTypeDoesNotExist", f"QualificationType {kind} does not exist.")
        if one["Comparator"] in ("Exists", "DoesNotExist") and "IntegerValues" in one:
            raise TurkError("ParameterValidationError", "IntegerValue must not be present")
    for found, values in market.types.items():
        if values == given:
            return {"HITTypeId": found}
    made = market.new_id()
    market.types[made] = given
    return {"HITTypeId": made}


@operation
def CreateHITWithHITType(market: Market, given: Values) -> Values:  # noqa: N802
    before = market.used("CreateHIT", given.get("UniqueRequestToken"))
    if before:
        raise TurkError("HITAlreadyExists", f"A HIT with the same unique request token exists: {before}")
    kind = market.types.get(given["HITTypeId"])
    if kind is None:
        raise TurkError("HITTypeDoesNotExist", f"HIT type {given['HITTypeId']} does not exist.")
    check_question(given["Question"])
    if not 30 <= given["LifetimeInSeconds"] <= 365 * DAY:
        raise TurkError("ParameterValidationError", "LifetimeInSeconds is from 30 seconds to one year")
    places = given.get("MaxAssignments", 1)
    market.need(market.charge(kind, places) * places)
    now = market.now()
    hit = Hit(
        id=market.new_id(),
        kind=kind,
        type_id=given["HITTypeId"],
        question=given["Question"],
        places=places,
        created_with=places,
        created=now,
        expires=now + given["LifetimeInSeconds"],
        annotation=given.get("RequesterAnnotation", ""),
    )
    market.hits[hit.id] = hit
    market.use("CreateHIT", given.get("UniqueRequestToken"), hit.id)
    return {"HIT": market.row(hit)}


@operation
def GetHIT(market: Market, given: Values) -> Values:  # noqa: N802
    return {"HIT": market.row(market.own_hit(given["HITId"]))}


@operation
def ListHITs(market: Market, given: Values) -> Values:  # noqa: N802
    newest = sorted((hit for hit in market.hits.values() if not hit.deleted), key=lambda one: -one.created)
    return _page("HITs", [market.row(hit) for hit in newest], given)


@operation
def ListAssignmentsForHIT(market: Market, given: Values) -> Values:  # noqa: N802
    hit = market.own_hit(given["HITId"])
    states = given.get("AssignmentStatuses", ["Submitted", "Approved", "Rejected"])
    return _page("Assignments", [market.job_row(job) for job in market.jobs_of(hit, *states)], given)


@operation
def GetAssignment(market: Market, given: Values) -> Values:  # noqa: N802
    job = market.own_job(given["AssignmentId"], "Submitted", "Approved", "Rejected")
    return {"Assignment": market.job_row(job), "HIT": market.row(market.hits[job.hit])}


@operation
def ApproveAssignment(market: Market, given: Values) -> Values:  # noqa: N802
    states = ["Submitted", "Rejected"] if given.get("OverrideRejection") else ["Submitted"]
    job = market.own_job(given["AssignmentId"], *states)
    if job.status == "Rejected" and market.now() > job.submitted + 30 * DAY:
        raise TurkError("AssignmentTooOld", "The assignment was submitted more than 30 days ago")
    job.feedback = given.get("RequesterFeedback", "")
    market.pay(job)
    return {}


@operation
def RejectAssignment(market: Market, given: Values) -> Values:  # noqa: N802
    job = market.own_job(given["AssignmentId"], "Submitted")
    job.status, job.judged, job.feedback = "Rejected", market.now(), given["RequesterFeedback"]
    return {}


@operation
def SendBonus(market: Market, given: Values) -> Values:  # noqa: N802
    before = market.used("SendBonus", given.get("UniqueRequestToken"))
    if before:
        raise TurkError("DuplicateRequest", f"The bonus was granted by request {before}")
    job = market.jobs.get(given["AssignmentId"])
    if (
        job is None
        or job.worker != given["WorkerId"]
        or job.status not in ("Submitted", "Approved", "Rejected")
    ):
        raise TurkError("AssignmentDoesNotExist", f"Assignment {given['AssignmentId']} does not exist.")
    amount = Decimal(given["BonusAmount"])
    fee = max(Decimal("0.01"), (amount * Decimal("0.2")).quantize(Decimal("0.01")))
    if amount <= 0:
        raise TurkError("ParameterValidationError", "The bonus must be above zero")
    market.need(amount + fee)
    market.paid += amount
    market.fees += fee
    row = {name: given[name] for name in ("WorkerId", "BonusAmount", "AssignmentId", "Reason")}
    market.bonuses.append({**row, "HITId": job.hit, "GrantTime": datetime.now().astimezone()})
    market.use("SendBonus", given.get("UniqueRequestToken"), market.new_id())
    return {}


@operation
def ListBonusPayments(market: Market, given: Values) -> Values:  # noqa: N802
    name = "AssignmentId" if "AssignmentId" in given else "HITId"
    if name not in given:
        raise TurkError("ParameterValidationError", "Give HITId or AssignmentId")
    found = [row for row in market.bonuses if row[name] == given[name]]
    rows = [{key: value for key, value in row.items() if key != "HITId"} for row in found]
    return _page("BonusPayments", rows, given)


@operation
def CreateAdditionalAssignmentsForHIT(market: Market, given: Values) -> Values:  # noqa: N802
    hit, more = market.own_hit(given["HITId"]), given["NumberOfAdditionalAssignments"]
    before = market.used("Extend", given.get("UniqueRequestToken"))
    if before:
        raise TurkError("DuplicateRequest", f"The HIT was extended by request {before}")
    if hit.created_with < 10 <= hit.places + more:
        raise TurkError(
            "InvalidMaximumAssignmentsIncrease",
            "HITs created with fewer than 10 assignments cannot be extended to have 10 or more assignments.",
        )
    market.need(market.charge(hit.kind, hit.created_with) * more)
    hit.places += more
    market.use("Extend", given.get("UniqueRequestToken"), market.new_id())
    return {}


@operation
def UpdateExpirationForHIT(market: Market, given: Values) -> Values:  # noqa: N802
    market.own_hit(given["HITId"]).expires = given["ExpireAt"].timestamp()
    return {}


@operation
def DeleteHIT(market: Market, given: Values) -> Values:  # noqa: N802
    hit = market.own_hit(given["HITId"])
    if market.status(hit) != "Reviewable" or market.jobs_of(hit, "Submitted"):
        raise TurkError("InvalidHITState", "This HIT is currently in the state that cannot be disposed of")
    hit.deleted = True
    return {}


@operation
def NotifyWorkers(market: Market, given: Values) -> Values:  # noqa: N802
    if len(given["WorkerIds"]) > 100 or len(given["Subject"]) > 200 or len(given["MessageText"]) > 4096:
        raise TurkError("ParameterValidationError", "Too long")
    judged = {job.worker for job in market.jobs.values() if job.status in ("Approved", "Rejected")}
    failed = []
    for worker in given["WorkerIds"]:
        if worker in judged:
            market.mails.append((worker, given["Subject"], given["MessageText"]))
        else:
            failed.append(
                {
                    "WorkerId": worker,
                    "NotifyWorkersFailureCode": "HardFailure",
                    "NotifyWorkersFailureMessage": "You have not approved or rejected work of this worker",
                }
            )
    return {"NotifyWorkersFailureStatuses": failed}


@operation
def CreateWorkerBlock(market: Market, given: Values) -> Values:  # noqa: N802
    market.blocks[given["WorkerId"]] = given["Reason"]
    return {}


@operation
def ListWorkerBlocks(market: Market, given: Values) -> Values:  # noqa: N802
    rows = [{"WorkerId": worker, "Reason": reason} for worker, reason in market.blocks.items()]
    return _page("WorkerBlocks", rows, given)


@operation
def CreateQualificationType(market: Market, given: Values) -> Values:  # noqa: N802
    if any(one["Name"] == given["Name"] for one in market.qualifications.values()):
        raise TurkError("QualificationTypeAlreadyExists", f"You have already created {given['Name']}")
    made = {"QualificationTypeId": market.new_id(), "IsRequestable": True, **given}
    market.qualifications[made["QualificationTypeId"]] = made
    market.held[made["QualificationTypeId"]] = {}
    return {"QualificationType": made}


@operation
def ListQualificationTypes(market: Market, given: Values) -> Values:  # noqa: N802
    query = given.get("Query", "").lower()
    rows = [one for one in market.qualifications.values() if query in one["Name"].lower()]
    return _page("QualificationTypes", rows, given)


@operation
def AssociateQualificationWithWorker(market: Market, given: Values) -> Values:  # noqa: N802
    market.worker(given["WorkerId"])
    _holders(market, given)[given["WorkerId"]] = given.get("IntegerValue", 1)
    return {}


@operation
def DisassociateQualificationFromWorker(market: Market, given: Values) -> Values:  # noqa: N802
    if _holders(market, given).pop(given["WorkerId"], None) is None:
        raise TurkError("QualificationDoesNotExist", "The worker does not have the qualification")
    return {}


@operation
def ListWorkersWithQualificationType(market: Market, given: Values) -> Values:  # noqa: N802
    kind = given["QualificationTypeId"]
    rows = [
        {"QualificationTypeId": kind, "WorkerId": worker, "IntegerValue": value, "Status": "Granted"}
        for worker, value in _holders(market, given).items()
    ]
    return _page("Qualifications", rows, given)


def _holders(market: Market, given: Values) -> dict[str, int]:
    kind = given["QualificationTypeId"]
    if kind not in market.held:
        raise TurkError("QualificationTypeDoesNotExist", f"QualificationType {kind} does not exist.")
    return market.held[kind]


def _page(key: str, rows: list[Values], given: Values) -> Values:
    """One page of a list; on demand short, with a row of the page before, or empty and not the last."""
    start = json.loads(given.get("NextToken", "0"))
    size = min(PAGE["most"], given.get("MaxResults", 10))
    if PAGE["empty"] and start == 0 and "NextToken" not in given and rows:
        return {"NumResults": 0, key: [], "NextToken": "0"}
    page = rows[max(0, start - 1) if PAGE["repeat"] else start : start + size]
    following = start + size
    more = {"NextToken": json.dumps(following)} if following < len(rows) else {}
    return {"NumResults": len(page), key: page, **more}
