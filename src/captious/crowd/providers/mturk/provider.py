"""Mechanical Turk as a provider: one study is a HIT type with HITs of nine assignments at most.

Each HIT carries `<study key>/<number>` as its annotation, and the same as the token of the request
that made it: what an interrupted call left is found again, and nothing is made twice.

What can be checked when a worker arrives: the HIT exists, is ours and of this study; the assignment's id
is one that Mechanical Turk gave out and that was not handed in yet; somebody is at work on the HIT. What
cannot: that this worker accepted this assignment, because Mechanical Turk shows an assignment only once
it is handed in. Such an arrival is not `checked`; it counts and is paid only when `places` has the same
assignment with the same worker.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from captious.crowd.base import CallUnsure, Provider, register, require_currency
from captious.crowd.money import shown
from captious.crowd.providers.mturk import calls, hits, records
from captious.crowd.providers.mturk.calls import Calls, Site, TurkRefused, find_site
from captious.crowd.providers.mturk.client import Turk
from captious.crowd.providers.mturk.hits import Wanted, requirements
from captious.crowd.providers.mturk.records import APPROVED, REJECTED, Assignment
from captious.crowd.values import (
    OUTCOMES,
    Arrival,
    Bonus,
    Completion,
    Line,
    Outcome,
    Place,
    PlaceState,
    Quote,
    Refused,
    Remote,
    RemoteStatus,
    Study,
    StudyState,
)
from captious.errors import CaptiousWarning, InputError
from captious.protocols.options import option

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
# The shapes of ids in botocore's service model.
_ENTITY, _WORKER = re.compile(r"[A-Z0-9]{1,64}"), re.compile(r"A[A-Z0-9]{1,63}")
_STATES: Mapping[str, PlaceState] = {"Submitted": "submitted", APPROVED: "approved", REJECTED: "rejected"}
LONGEST_TITLE, LONGEST_DESCRIPTION = 128, 2000
CODE_LENGTH = 12
# Work that was handed in has been seen to show minutes later only.
LISTING_DELAY = 900.0
# A worker waits for the check of their arrival: ask briefly, and say so when no answer comes.
ARRIVAL_TIMEOUT, ARRIVAL_ATTEMPTS = 5.0, 2


@register("mturk")
@dataclass(frozen=True)
class MechanicalTurk(Provider):
    """HITs that show our page in a frame; the sandbox unless production is asked for."""

    title: ClassVar[str] = "Mechanical Turk"
    summary: ClassVar[str] = "HITs that show the work in a frame; uses the sandbox unless production=true"
    arrival_parameters: ClassVar[tuple[str, ...]] = ("assignmentId", "hitId", "workerId", "turkSubmitTo")

    production: bool = option(False, "Spend real money", help="No: the sandbox, where nothing is paid")
    countries: str = option(
        "", "Countries of the workers", help="Two-letter codes such as US, GB; empty for all"
    )
    percent_approved: int = option(95, "Minimum share of approved work, in percent", high=100)
    number_approved: int = option(100, "Minimum number of approved assignments", high=1_000_000)
    masters: bool = option(False, "Masters only", help="Adds 5% to the fee")
    keywords: str = option("image, caption, comparison, research", "Keywords that workers search by")
    open_days: float = option(7.0, "Days until the HITs expire", low=0.01, high=365)
    approval_days: float = option(
        3.0, "Days until work that nobody reviewed is approved automatically", low=0.04, high=30
    )
    time_limit: float = option(
        0.0,
        "Time limit of a worker, in minutes",
        help="0: four times the estimate, at least 30",
        high=525_600,
    )

    def __post_init__(self) -> None:
        # Countries that do not exist are refused with the options, before anything is estimated.
        requirements(self._wanted(), site="sandbox")

    def framed_by(self) -> tuple[str, ...]:
        """The sites where workers work."""
        return self.site.workers

    @property
    def public(self) -> bool:
        """Amazon's sites show https pages only; a server of one's own takes what it is given."""
        return self.site.name != "local"

    def unlisted_seconds(self, study: Study) -> float | None:
        """Work is listed once it is handed in, which must be within the time limit of the HIT."""
        return self._terms(study).duration + LISTING_DELAY

    @property
    def site(self) -> Site:
        """Sandbox, production, or a server of one's own."""
        return find_site(production=self.production)

    @property
    def turk(self) -> Turk:
        """The account, with the credentials that boto3 finds."""
        return _account(self.site, calls.TIMEOUT, calls.ATTEMPTS)

    def ready(self) -> None:
        """boto3 and credentials must be there."""
        self.turk.calls.require_credentials()

    def check(self, study: Study) -> None:
        """Dollars, a reward, texts that fit."""
        require_currency(study, "USD")
        if study.reward < 1:
            raise InputError("reward: Mechanical Turk pays at least one cent per assignment.")
        if not 0 < len(study.title) <= LONGEST_TITLE:
            raise InputError(f"title: Mechanical Turk allows 1 to {LONGEST_TITLE} characters.")
        if len(study.description) > LONGEST_DESCRIPTION:
            raise InputError(f"description: Mechanical Turk allows at most {LONGEST_DESCRIPTION} characters.")

    def quote(self, study: Study) -> Quote:
        """Rewards and fees; HITs of nine keep the fee at 20%, and the quote says what that saves."""
        parts = records.in_hits(study.places)
        reward = study.places * study.reward
        fee = sum(size * records.fee(study.reward, size, masters=self.masters) for size in parts)
        percent = records.FEE + (records.MASTERS_FEE if self.masters else 0)
        count = f"{len(parts):,} HIT" + ("s" if len(parts) != 1 else "")
        lines = [
            Line(
                f"{study.places:,} assignments at {shown(study.reward, study.currency)}, in {count}", reward
            ),
            Line(f"Mechanical Turk's fee, {percent}%, at least one cent per assignment", fee),
        ]
        step = study.places * records.fee(study.reward, study.places, masters=self.masters)
        if step > fee:
            saved = shown(step - fee, study.currency)
            lines.append(Line(f"HITs of at most nine, which avoids a further fee of {saved} from ten on", 0))
        return Quote(study.places, reward, fee, study.currency, (*lines, self._whose_money()))

    def _whose_money(self) -> Line:
        """What nobody may overlook: whether the money is real."""
        production = self.site.name == "production"
        return Line(
            "production: workers are paid real money" if production else "sandbox: nothing is paid", 0
        )

    def bonus_quote(self, study: Study, amounts: Sequence[int]) -> Quote:
        """Bonuses and the fee on each."""
        reward, fee = sum(amounts), sum(records.bonus_fee(one) for one in amounts)
        lines = (
            Line(f"{len(amounts):,} bonuses", reward),
            Line(f"Mechanical Turk's fee, {records.FEE}%, at least one cent per bonus", fee),
            self._whose_money(),
        )
        return Quote(len(amounts), reward, fee, study.currency, lines)

    def find(self, key: str) -> Remote | None:
        """The HITs that carry our key."""
        found = hits.of_study(self.turk, key)
        return hits.remote(self.site, found) if found else None

    def publish(self, study: Study, left: Remote | None = None) -> Remote:
        """A HIT type, and those HITs that are not there yet."""
        return self._fill(study)

    def extend(self, study: Study, remote: Remote, key: str) -> Remote:
        """Small HITs grow to nine, then new ones are made."""
        found = hits.of_study(self.turk, study.key)
        missing = study.places - sum(hit.places for hit in found)
        hits.top_up(self.turk, found, missing, token=key)
        return self._fill(study, remote)

    def _fill(self, study: Study, before: Remote | None = None) -> Remote:
        """Make the HITs that are missing from the study's places."""
        turk = self.turk
        mark = self._mark(study)
        wanted = requirements(self._wanted(), site=self.site.name, done_before=mark)
        made = hits.fill(turk, study, self._terms(study), wanted)
        return hits.remote(self.site, made, before, mark=mark)

    def _terms(self, study: Study) -> hits.Terms:
        minutes = self.time_limit or max(30.0, 4 * study.minutes)
        return hits.Terms(
            keywords=[word.strip() for word in self.keywords.split(",") if word.strip()],
            duration=round(minutes * 60),
            lifetime=round(self.open_days * hits.DAY),
            auto_approval=round(self.approval_days * hits.DAY),
        )

    def _wanted(self) -> Wanted:
        countries = [code.strip() for code in self.countries.split(",") if code.strip()]
        return Wanted(countries, self.percent_approved, self.number_approved, self.masters)

    def _mark(self, study: Study) -> str:
        """Our qualification type: whoever holds it has taken part. "" where repeating is allowed."""
        names = {"campaign": f"captious: took part in {study.campaign}", "everywhere": "captious: took part"}
        name = names.get(study.repeat)
        return self.turk.qualification(name, "Has taken part before; such work is done once.") if name else ""

    def status(self, study: Study, remote: Remote) -> RemoteStatus:
        """Open while a HIT can be accepted, closed when no place is left."""
        found = hits.of_study(self.turk, study.key)
        counts: dict[PlaceState, int] = {"active": sum(hit.pending for hit in found)}
        for place in self.places(study, remote):
            counts[place.state] = counts.get(place.state, 0) + 1
        state: StudyState = "paused" if any(hit.available for hit in found) else "closed"
        if any(hit.status == "Assignable" for hit in found):
            state = "open"
        return RemoteStatus(state, sum(hit.places for hit in found), counts)

    def places(self, study: Study, remote: Remote) -> list[Place]:
        """Work that was handed in. Mechanical Turk does not list what is still at work."""
        turk = self.turk
        found = hits.of_study(turk, study.key)
        return [self._place(study, one) for hit in found for one in turk.assignments(hit.id)]

    def _place(self, study: Study, one: Assignment) -> Place:
        given = one.answers.get("code", "")
        code = next((study.codes[end] for end in OUTCOMES if given == _code(study, one.id, end)), "")
        return Place(one.id, one.worker, _STATES[one.status], one.accepted, one.submitted, code)

    def bonuses(self, study: Study, remote: Remote) -> list[Bonus]:
        """The bonuses of every HIT, with our key from the end of the reason."""
        turk = self.turk
        found = hits.of_study(turk, study.key)
        return [
            Bonus(one.assignment, one.amount, hits.reference_in(one.reason))
            for hit in found
            for one in turk.bonuses_of_hit(hit.id)
        ]

    def verify(self, study: Study, remote: Remote, parameters: Mapping[str, str]) -> Arrival | Refused:
        """Ask for the HIT and the assignment; what stays open is said at the head of this module."""
        ids = {name: parameters.get(name, "") for name in self.arrival_parameters}
        if ids["assignmentId"] == PREVIEW:
            return Refused("preview")
        if not all(ids.values()):
            return Refused("missing")
        submit = self.site.submit_address(ids["turkSubmitTo"])
        shaped = all(_ENTITY.fullmatch(ids[name]) for name in ("assignmentId", "hitId"))
        if submit is None or not shaped or not _WORKER.fullmatch(ids["workerId"]):
            return Refused("forged")
        try:
            refused = self._doubt(study, ids)
        except CallUnsure:
            return Refused("unreachable")
        if refused is not None:
            return refused
        detail = {"submit": submit, "hit": ids["hitId"]}
        return Arrival(ids["workerId"], ids["assignmentId"], checked=False, detail=detail)

    def _doubt(self, study: Study, ids: Mapping[str, str]) -> Refused | None:
        turk = _account(self.site, min(ARRIVAL_TIMEOUT, calls.TIMEOUT), ARRIVAL_ATTEMPTS)
        hit = turk.hit(ids["hitId"])
        if hit is None or not hits.belongs(hit, study.key):
            return Refused("forged")
        found = turk.assignment(ids["assignmentId"])
        if found == "unknown":
            return Refused("forged")
        if isinstance(found, Assignment):
            same = (found.worker, found.hit) == (ids["workerId"], hit.id)
            return Refused("over" if same else "forged")
        return None if hit.pending else Refused("over")

    def completion(self, study: Study, remote: Remote, arrival: Arrival, outcome: Outcome) -> Completion:
        """A form to Mechanical Turk with a code for this assignment alone.

        Who was screened out or came too late has nothing to hand in: they return the HIT.
        """
        if outcome in ("screened_out", "full"):
            return Completion()
        code = _code(study, arrival.place, outcome)
        return Completion(code, arrival.detail["submit"], {"assignmentId": arrival.place, "code": code})

    def approve(self, study: Study, remote: Remote, place: Place) -> None:
        """Pay the reward and mark the worker; a rejection before is taken back."""
        turk = self.turk
        try:
            turk.approve(place.id, override=place.state == "rejected")
        except TurkRefused:
            if _status(turk, place) != APPROVED:
                raise
        self._keep_out(turk, study, remote, [place.participant])

    def reject(self, study: Study, remote: Remote, place: Place, reason: str) -> None:
        """Refuse the work and mark the worker; rejected twice is rejected once."""
        turk = self.turk
        try:
            turk.reject(place.id, reason)
        except TurkRefused:
            if _status(turk, place) != REJECTED:
                raise
        self._keep_out(turk, study, remote, [place.participant])

    def bonus(self, study: Study, remote: Remote, place: Place, amount: int, reason: str, key: str) -> None:
        """Pay a bonus whose reason ends with our reference, unless it is there already."""
        turk = self.turk
        if hits.was_paid(turk, place.id, key):
            return
        told = hits.with_reference(reason, key)
        try:
            turk.bonus(place.participant, place.id, amount, told, token=hits.token(key))
        except TurkRefused as error:
            if not (error.is_repetition or hits.was_paid(turk, place.id, key)):
                raise

    def message(self, study: Study, remote: Remote, participants: Sequence[str], text: str) -> None:
        """Write to workers whose work was judged before; the others cannot be reached."""
        failed = self.turk.notify(list(participants), study.title, text)
        if failed:
            warnings.warn(
                f"{len(failed)} of {len(participants)} workers did not get the message: Mechanical Turk "
                "delivers only to workers whose work was approved or rejected.",
                CaptiousWarning,
                stacklevel=2,
            )

    def exclude(self, study: Study, remote: Remote, participants: Sequence[str]) -> Remote:
        """Give them our qualification: they no longer see these HITs."""
        if study.repeat == "allowed":
            raise InputError(
                "exclude: this study allows repeat participation. Block the workers at Mechanical Turk."
            )
        self._keep_out(self.turk, study, remote, participants)
        return remote

    def _keep_out(self, turk: Turk, study: Study, remote: Remote, workers: Sequence[str]) -> None:
        if study.repeat == "allowed":
            return
        mark = str(remote.detail.get("mark", "")) or self._mark(study)
        for worker in workers:
            turk.grant(mark, worker)

    def pause(self, study: Study, remote: Remote) -> Remote:
        """Expire the HITs: nobody else can accept them."""
        turk = self.turk
        for hit in hits.of_study(turk, study.key):
            if hit.status in ("Assignable", "Unassignable"):
                turk.expire(hit.id)
        return remote

    def resume(self, study: Study, remote: Remote) -> Remote:
        """Let those HITs that have places left be accepted again, for as long as at first."""
        turk = self.turk
        for hit in hits.of_study(turk, study.key):
            if hit.available:
                turk.prolong(hit.id, time.time() + self.open_days * hits.DAY)
        return remote

    def close(self, study: Study, remote: Remote) -> Remote:
        """Expire the HITs; they stay for payments, and Mechanical Turk removes them after 120 days."""
        return self.pause(study, remote)


@lru_cache(maxsize=8)
def _account(site: Site, timeout: float, attempts: int) -> Turk:
    """Making a client reads the whole service model, so it is kept."""
    return Turk(Calls(site, timeout=timeout, attempts=attempts))


def _status(turk: Turk, place: Place) -> str:
    found = turk.assignment(place.id)
    return found.status if isinstance(found, Assignment) else found


def _code(study: Study, assignment: str, outcome: Outcome) -> str:
    """A code that fits one assignment only: handing it to others is of no use to them."""
    made = hmac.new(study.codes[outcome].encode(), f"{study.key}/{assignment}".encode(), hashlib.sha256)
    return made.hexdigest()[:CODE_LENGTH].upper()
