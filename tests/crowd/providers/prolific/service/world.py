"""What Prolific knows: studies, submissions, groups, messages, and every penny."""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from itertools import count
from typing import Any

TAKEN = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED")
TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}


class No(Exception):  # noqa: N818
    """The answer to a request that cannot be met."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass
class Submission:
    id: str
    study: str
    participant: str
    status: str
    started: float
    completed: float | None = None
    code: str | None = None
    bonuses: list[int] = field(default_factory=list)
    return_requested: float | None = None
    rejection: str = ""


@dataclass(frozen=True)
class Entry:
    """One payment: what for, to whom, how much, and Prolific's fee on it; in pence."""

    kind: str
    submission: str
    amount: int
    fee: int


class World:
    """One account with one workspace and project."""

    def __init__(self, token: str, balance: int = 1_000_000, fee: str = "0.333") -> None:
        self.token, self.balance, self.fee, self.currency = token, balance, Decimal(fee), "USD"
        self._numbers = count(1)
        self.researcher, self.workspace, self.project = self.new(), self.new(), self.new()
        self.skew = 0.0
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, Submission] = {}
        self.groups: dict[str, dict[str, Any]] = {}
        self.messages: list[dict[str, Any]] = []
        self.prepared: dict[str, tuple[str, dict[str, int]]] = {}
        self.pending: list[tuple[str, int]] = []
        self.ledger: list[Entry] = []
        self.secret = ""
        self.hooks: dict[str, dict[str, Any]] = {}
        self.events: list[tuple[dict[str, str], bytes]] = []

    def new(self) -> str:
        """An id as Prolific's are: 24 hexadecimal digits."""
        return hashlib.sha256(f"{next(self._numbers)}".encode()).hexdigest()[:24]

    def now(self) -> float:
        """The time by Prolific's clock."""
        return time.time() + self.skew

    def stamp(self, moment: float | None) -> str | None:
        return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat()

    # Money

    def fee_on(self, amount: int) -> int:
        return int((amount * self.fee).to_integral_value(ROUND_CEILING))

    def cost(self, reward: int, places: int) -> int:
        return reward * places + self.fee_on(reward * places)

    def pay(self, kind: str, submission: str, amount: int) -> None:
        entry = Entry(kind, submission, amount, self.fee_on(amount))
        if entry.amount + entry.fee > self.balance:
            raise No(400, "You do not have enough funds.")
        self.balance -= entry.amount + entry.fee
        self.ledger.append(entry)

    def paid(self, kind: str) -> dict[str, list[int]]:
        """What each submission got."""
        found: dict[str, list[int]] = {}
        for entry in self.ledger:
            if entry.kind == kind:
                found.setdefault(entry.submission, []).append(entry.amount)
        return found

    # Studies

    def create(self, fields: dict[str, Any]) -> dict[str, Any]:
        study = {"id": self.new(), "status": "UNPUBLISHED", "project": self.project, "filters": [], **fields}
        study |= {"date_created": self.stamp(self.now()), "published_at": None}
        for code in study["completion_codes"]:
            for action in code["actions"]:
                if "participant_group" in action:
                    self.group(action["participant_group"])
        self.studies[study["id"]] = study
        return study

    def study(self, name: str) -> dict[str, Any]:
        if name not in self.studies:
            raise No(404, "No Study matches the given query.")
        return self.studies[name]

    def of(self, study: str) -> list[Submission]:
        found = [one for one in self.submissions.values() if one.study == study]
        return sorted(found, key=lambda one: one.started)

    def taken(self, study: str) -> int:
        return sum(one.status in TAKEN for one in self.of(study))

    def transition(self, study: dict[str, Any], action: str) -> None:
        before = study["status"]
        if (before, action) not in TRANSITIONS:
            raise No(400, f"Study can not perform {action} in status {before}.")
        if action == "PUBLISH":
            if self.cost(study["reward"], study["total_available_places"]) > self.balance:
                raise No(400, "You do not have enough funds to publish this study.")
            study["published_at"] = self.stamp(self.now())
        self.turn(study, TRANSITIONS[before, action])

    def update(self, study: dict[str, Any], fields: dict[str, Any]) -> None:
        places = fields.get("total_available_places", study["total_available_places"])
        if study["status"] != "UNPUBLISHED" and places < study["total_available_places"]:
            raise No(400, {"total_available_places": ["Only increasing is allowed."]})
        more = places > study["total_available_places"]
        study |= fields
        if more and study["status"] in ("COMPLETED", "AWAITING REVIEW"):
            self.turn(study, "ACTIVE")

    def turn(self, study: dict[str, Any], status: str) -> None:
        if study["status"] != status:
            study["status"] = status
            self.tell("study.status.change", study["id"], status=status, metadata={})

    # What participants do

    def arrive(self, study: str, participant: str) -> str:
        """A participant takes a place and opens the study: the address with its parameters filled in."""
        found = self.study(study)
        if found["status"] != "ACTIVE" or self.taken(study) >= found["total_available_places"]:
            raise No(400, "This study is full or not active.")
        if any(one.participant == participant for one in self.of(study)) or self.blocked(found, participant):
            raise No(400, "You are not eligible for this study.")
        place = Submission(self.new(), study, participant, "RESERVED", self.now())
        self.submissions[place.id] = place
        self.move(place, "ACTIVE")
        parameters = {"PROLIFIC_PID": participant, "STUDY_ID": study, "SESSION_ID": place.id}
        address: str = found["external_study_url"]
        for name, value in parameters.items():
            address = address.replace("{{%" + name + "%}}", value)
        return address

    def blocked(self, study: dict[str, Any], participant: str) -> bool:
        lists = [one for one in study["filters"] or [] if one["filter_id"] == "participant_group_blocklist"]
        groups = [self.groups[name] for one in lists for name in one["selected_values"]]
        return any(participant in group["members"] for group in groups)

    def finish(self, session: str, code: str) -> None:
        """The participant comes back to Prolific with a completion code."""
        place = self.submission(session)
        if place.status not in ("RESERVED", "ACTIVE"):
            raise No(400, "This submission is over.")
        place.code, place.completed = code, self.now()
        self.move(place, "AWAITING REVIEW")
        study = self.study(place.study)
        for one in study["completion_codes"]:
            for action in one["actions"] if one["code"] == code else ():
                self.act(place, action)
        if self.taken(study["id"]) >= study["total_available_places"] and not any(
            one.status in ("RESERVED", "ACTIVE") for one in self.of(study["id"])
        ):
            self.turn(study, "AWAITING REVIEW")

    def act(self, place: Submission, action: dict[str, Any]) -> None:
        match action["action"]:
            case "AUTOMATICALLY_APPROVE":
                self.approve(place)
            case "ADD_TO_PARTICIPANT_GROUP":
                self.group(action["participant_group"])["members"][place.participant] = self.now()
            case "REMOVE_FROM_PARTICIPANT_GROUP":
                self.group(action["participant_group"])["members"].pop(place.participant, None)
            case "REQUEST_RETURN":
                place.return_requested = self.now()
            case "FIXED_SCREEN_OUT_PAYMENT":
                self.pay("screen out", place.id, action["fixed_screen_out_reward"])
                self.move(place, "SCREENED OUT")

    def leave(self, session: str, status: str = "RETURNED") -> None:
        """The participant gives the place back, or runs out of time (`TIMED-OUT`)."""
        self.move(self.submission(session), status)

    def move(self, place: Submission, status: str) -> None:
        place.status = status
        self.tell("submission.status.change", place.id, participant_id=place.participant, status=status)

    # Submissions and bonuses

    def submission(self, name: str) -> Submission:
        if name not in self.submissions:
            raise No(404, "No Submission matches the given query.")
        return self.submissions[name]

    def approve(self, place: Submission) -> None:
        if place.status == "APPROVED":
            return
        if place.status != "AWAITING REVIEW":
            raise No(400, f"You can not approve a submission in status {place.status}.")
        self.pay("reward", place.id, self.study(place.study)["reward"])
        self.move(place, "APPROVED")

    def reject(self, place: Submission, message: str) -> None:
        if place.status == "REJECTED":
            return
        if place.status != "AWAITING REVIEW":
            raise No(400, f"You can not reject a submission in status {place.status}.")
        place.rejection = message
        self.move(place, "REJECTED")

    def prepare(self, study: str, lines: str) -> tuple[str, int, int]:
        amounts: dict[str, int] = {}
        for line in lines.splitlines():
            name, _, written = line.partition(",")
            try:
                pence = Decimal(written) * 100
            except InvalidOperation:
                raise No(400, {"csv_bonuses": [f"{line}: is not an amount"]}) from None
            place = self.submissions.get(name)
            if place is None or place.study != study:
                raise No(400, {"csv_bonuses": [f"{name}: did not take part in the study"]})
            if pence != int(pence) or pence <= 0:
                raise No(400, {"csv_bonuses": [f"{line}: is not an amount in pence"]})
            amounts[name] = int(pence)
        payment = self.new()
        self.prepared[payment] = (study, amounts)
        whole = sum(amounts.values())
        return payment, whole, self.fee_on(whole)

    def pay_prepared(self, payment: str) -> None:
        """Not idempotent, as documented: each request pays."""
        if payment not in self.prepared:
            raise No(404, "No BulkBonusPayment matches the given query.")
        for name, amount in self.prepared[payment][1].items():
            self.pay("bonus", name, amount)
            self.pending.append((name, amount))

    def settle(self) -> None:
        """The minutes pass after which bonuses show on their submissions."""
        while self.pending:
            name, amount = self.pending.pop(0)
            self.submissions[name].bonuses.append(amount)

    # Groups and events

    def group(self, name: str) -> dict[str, Any]:
        if name not in self.groups:
            raise No(404, "No ParticipantGroup matches the given query.")
        return self.groups[name]

    def tell(self, event: str, resource: str, **content: Any) -> None:
        """Sign an event for each confirmed subscription; a test delivers it, as often as it likes."""
        for hook in self.hooks.values():
            if hook["event_type"] == event and hook["is_enabled"]:
                body = json.dumps({"resource_id": resource, "event_type": event, **content})
                stamp = str(int(self.now()))
                digest = hmac.new(self.secret.encode(), (stamp + body).encode(), hashlib.sha256).digest()
                headers = {
                    "Content-Type": "application/json",
                    "X-Prolific-Request-Timestamp": stamp,
                    "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
                    "X-Event-ID": self.new(),
                }
                self.events.append((headers, body.encode()))
