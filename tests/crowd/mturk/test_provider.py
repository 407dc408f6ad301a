"""Mechanical Turk as a provider: after every fault, the same call again leaves one right state."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import pytest
import turk_operations
from turk_market import TurkError

from captious.crowd.base import CallRefused, CallUnsure, known_providers
from captious.crowd.base import provider as find_provider
from captious.crowd.providers.mturk import MechanicalTurk, calls, provider
from captious.crowd.values import Arrival, Place, Refused, Remote, Study
from captious.errors import CaptiousWarning, InputError

if TYPE_CHECKING:
    from turk_server import Kind, TurkServer

T = TypeVar("T")
FAULTS: list[Kind] = ["timeout", "lost", "throttle", "429", "500", "500 after", "twice"]
CODES = {"completed": "DONE2345", "screened_out": "SCRN2345", "failed": "FAIL2345", "full": "FULL2345"}
STUDY = Study(
    key="0123456789abcdef" * 2,
    campaign="dogs",
    title="Which caption fits the picture?",
    description="Ten pictures, two captions each.",
    address="https://rate.example.org/go/0123456789abcdef0123456789abcdef",
    places=20,
    answers=10,
    reward=25,
    currency="USD",
    minutes=1.0,
    codes=CODES,
)


@pytest.fixture
def mturk(server: TurkServer, monkeypatch: pytest.MonkeyPatch) -> MechanicalTurk:
    monkeypatch.setattr(calls, "TIMEOUT", 0.5)
    monkeypatch.setattr(calls, "FIRST_WAIT", 0.0)
    return MechanicalTurk()


@pytest.fixture
def remote(mturk: MechanicalTurk) -> Remote:
    return mturk.publish(STUDY)


def again(work: Callable[[], T]) -> T:
    """What someone does whose command was cut off: run it again."""
    for _ in range(5):
        try:
            return work()
        except CallUnsure:
            continue
    return work()


def sizes(server: TurkServer) -> list[int]:
    found = sorted(server.market.hits.values(), key=lambda hit: int(hit.annotation.rpartition("/")[2]))
    return [hit.places for hit in found]


def took(server: TurkServer, worker: str, hit: int = 0) -> Any:
    return server.market.accept(list(server.market.hits)[hit], worker)


def handed_in(server: TurkServer, mturk: MechanicalTurk, remote: Remote, worker: str) -> Place:
    job = took(server, worker)
    form = mturk.completion(STUDY, remote, came(server, mturk, remote, job), "completed")
    server.market.submit(job.id, {name: text for name, text in form.fields.items() if name != "assignmentId"})
    return next(place for place in mturk.places(STUDY, remote) if place.id == job.id)


def ids(server: TurkServer, job: Any, **other: str) -> dict[str, str]:
    own = {"assignmentId": job.id, "hitId": job.hit, "workerId": job.worker, "turkSubmitTo": server.api}
    return own | other


def came(server: TurkServer, mturk: MechanicalTurk, remote: Remote, job: Any, **other: str) -> Any:
    return mturk.verify(STUDY, remote, ids(server, job, **other))


def test_the_provider_is_known_and_starts_in_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL_MTURK", raising=False)
    assert "mturk" in known_providers()
    sandbox = find_provider("mturk")
    assert sandbox.framed_by() == ("https://workersandbox.mturk.com",)
    production = find_provider("mturk", {"production": True})
    assert "https://worker.mturk.com" in production.framed_by()
    assert production.quote(STUDY).lines[-1].text == "production: workers are paid real money"
    monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="production=true asks for the real service"):
        production.quote(STUDY)


def test_the_quote_avoids_the_step_at_ten_and_says_so(server: TurkServer, mturk: MechanicalTurk) -> None:
    quote = mturk.quote(STUDY)
    # 20 x $0.25; 20% of 25 cents is 5 cents, 40% would be 10.
    assert (quote.reward, quote.fee, quote.total) == (500, 100, 600)
    assert quote.lines[0].text == "20 assignments at $0.25, in 3 HITs"
    assert quote.lines[-2].text == "HITs of at most nine, which avoids a further fee of $1.00 from ten on"
    assert quote.lines[-1].text == "sandbox: nothing is paid"
    assert sum(line.amount for line in quote.lines) == quote.total
    mturk.publish(STUDY)
    assert sizes(server) == [9, 9, 2]
    assert server.market.on_hold == Decimal("6.00")
    # Two cents: 20% is 0.4 of a cent, and one cent is the least.
    assert mturk.quote(dataclasses.replace(STUDY, reward=2, places=9)).fee == 9
    assert mturk.bonus_quote(STUDY, [100, 13, 1]).fee == 20 + 3 + 1


def test_a_hit_says_what_was_planned(server: TurkServer, mturk: MechanicalTurk, remote: Remote) -> None:
    hit = next(iter(server.market.hits.values()))
    assert server.market.address(hit) == STUDY.address
    assert (hit.kind["Title"], hit.kind["Reward"]) == (STUDY.title, "0.25")
    # Four times the estimate of one minute, but half an hour at least.
    assert hit.kind["AssignmentDurationInSeconds"] == 1800
    assert remote.address == f"{server.api}/mturk/preview?groupId={hit.type_id}"
    assert mturk.find(STUDY.key) == dataclasses.replace(
        remote, detail={name: remote.detail[name] for name in ("site", "hits")}
    )
    assert mturk.find("f" * 32) is None


@pytest.mark.parametrize("kind", FAULTS)
def test_publishing_leaves_the_same_hits_after_every_fault(
    server: TurkServer, mturk: MechanicalTurk, kind: Kind
) -> None:
    for operation, skip in (
        ("ListHITs", 0),
        ("ListQualificationTypes", 0),
        ("CreateQualificationType", 0),
        ("CreateHITType", 0),
        ("CreateHITWithHITType", 1),
    ):
        server.fail(kind, operation, skip=skip)
    made = again(lambda: mturk.publish(STUDY, mturk.find(STUDY.key)))
    assert sizes(server) == [9, 9, 2]
    assert made.detail["hits"] == list(server.market.hits)
    assert len(server.market.qualifications) == len(server.market.types) == 1
    assert not server.faults


def test_publishing_a_day_later_still_finds_what_was_made(server: TurkServer, mturk: MechanicalTurk) -> None:
    server.fail("lost", "CreateHITWithHITType", skip=1)
    with pytest.raises(CallUnsure):
        mturk.publish(STUDY)
    # Tokens are forgotten after 24 hours; the annotation is not.
    server.market.ahead = 25 * 3600
    mturk.publish(STUDY, mturk.find(STUDY.key))
    assert sizes(server) == [9, 9, 2]


@pytest.mark.parametrize("kind", FAULTS)
def test_extending_fills_small_hits_first_and_adds_no_place_twice(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote, kind: Kind
) -> None:
    server.fail(kind, "CreateAdditionalAssignmentsForHIT")
    server.fail(kind, "CreateHITWithHITType")
    more = dataclasses.replace(STUDY, places=31)
    # 9, 9, 2: seven fit into the third, four are left for a new HIT.
    made = again(lambda: mturk.extend(more, remote, "extend:1"))
    assert sizes(server) == [9, 9, 9, 4]
    assert made.detail["hits"] == list(server.market.hits)
    assert mturk.extend(more, remote, "extend:1") == made
    assert mturk.status(more, made).places == 31


@pytest.mark.parametrize("kind", FAULTS)
def test_nobody_is_paid_twice(server: TurkServer, mturk: MechanicalTurk, remote: Remote, kind: Kind) -> None:
    good, bad = (handed_in(server, mturk, remote, worker) for worker in ("AGOOD", "ABAD"))
    for operation in (
        "ApproveAssignment",
        "RejectAssignment",
        "SendBonus",
        "AssociateQualificationWithWorker",
    ):
        server.fail(kind, operation)
    again(lambda: mturk.approve(STUDY, remote, good))
    again(lambda: mturk.reject(STUDY, remote, bad, "The check was not passed."))
    again(lambda: mturk.bonus(STUDY, remote, good, 40, "To reach the wage", "bonus:1"))
    # 25 and 40 cents with fees of 5 and 8.
    assert (server.market.paid, server.market.fees) == (Decimal("0.65"), Decimal("0.13"))
    assert {one.id: one.state for one in mturk.places(STUDY, remote)} == {
        good.id: "approved",
        bad.id: "rejected",
    }
    assert [(one.place, one.amount) for one in mturk.bonuses(STUDY, remote)] == [(good.id, 40)]
    # Whoever was judged has taken part, and cannot accept another HIT of the study.
    for worker in ("AGOOD", "ABAD"):
        with pytest.raises(TurkError, match="qualifications"):
            took(server, worker, hit=1)


def test_a_bonus_is_known_by_its_key_for_ever(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    place = handed_in(server, mturk, remote, "AGOOD")
    mturk.bonus(STUDY, remote, place, 40, "To reach the wage", "bonus:1")
    server.market.ahead = 48 * 3600
    mturk.bonus(STUDY, remote, place, 40, "To reach the wage", "bonus:1")
    assert len(server.market.bonuses) == 1
    # Another key is another bonus, also of the same amount and for the same reason.
    mturk.bonus(STUDY, remote, place, 40, "To reach the wage", "bonus:2")
    assert len(server.market.bonuses) == 2


def test_a_refusal_is_no_payment(server: TurkServer, mturk: MechanicalTurk, remote: Remote) -> None:
    place = handed_in(server, mturk, remote, "AGOOD")
    mturk.reject(STUDY, remote, place, "The check was not passed.")
    with pytest.raises(CallRefused, match="status of"):
        mturk.approve(STUDY, remote, place)
    mturk.approve(STUDY, remote, dataclasses.replace(place, state="rejected"))
    assert server.market.paid == Decimal("0.25")
    server.market.deposit = server.market.paid + server.market.fees + server.market.on_hold
    with pytest.raises(CallRefused, match="insufficient funds"):
        mturk.bonus(STUDY, remote, place, 40, "To reach the wage", "bonus:1")
    assert not server.market.bonuses


def test_no_assignment_is_lost_on_short_and_repeating_pages(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    wanted = {handed_in(server, mturk, remote, f"AW{at}").id for at in range(7)}
    turk_operations.PAGE.update(most=2, repeat=True, empty=True)
    server.fail("timeout", "ListAssignmentsForHIT")
    server.fail("500", "ListHITs")
    found = mturk.places(STUDY, remote)
    assert {place.id for place in found} == wanted
    assert len(found) == 7
    assert mturk.status(STUDY, remote).counts == {"active": 0, "submitted": 7}


def test_a_worker_who_accepted_is_let_in_unchecked_until_the_work_is_handed_in(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    job = took(server, "AGOOD")
    found = came(server, mturk, remote, job)
    assert found == Arrival("AGOOD", job.id, False, found.detail)
    form = mturk.completion(STUDY, remote, found, "completed")
    assert form.address == f"{server.api}/mturk/externalSubmit"
    assert form.fields == {"assignmentId": job.id, "code": form.code}
    server.market.submit(job.id, {"code": form.code})
    (place,) = mturk.places(STUDY, remote)
    assert (place.participant, place.state, place.code) == ("AGOOD", "submitted", CODES["completed"])
    assert came(server, mturk, remote, job) == Refused("over")


def test_a_code_is_good_for_one_assignment(server: TurkServer, mturk: MechanicalTurk, remote: Remote) -> None:
    job, other = took(server, "AGOOD"), took(server, "ALAZY")
    form = mturk.completion(STUDY, remote, came(server, mturk, remote, job), "completed")
    server.market.submit(other.id, {"code": form.code})
    assert [place.code for place in mturk.places(STUDY, remote)] == [""]


def test_who_was_screened_out_has_nothing_to_hand_in(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    arrival = came(server, mturk, remote, took(server, "AGOOD"))
    assert mturk.completion(STUDY, remote, arrival, "screened_out").fields == {}
    assert mturk.completion(STUDY, remote, arrival, "failed").code


def test_what_an_address_says_is_not_believed(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    other = dataclasses.replace(STUDY, key="f" * 32, campaign="cats", places=1)
    mturk.publish(other)
    job = took(server, "AGOOD")
    strange = list(server.market.hits)[-1]
    never = "3" + "Q" * 29
    said: dict[str, Any] = {
        "preview": {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": ""},
        "missing": {"workerId": ""},
        "an invented assignment": {"assignmentId": never},
        "an invented HIT": {"hitId": never},
        "a HIT of another study": {"hitId": strange},
        "a worker that cannot be": {"workerId": "<script>"},
        "a stranger to submit to": {"turkSubmitTo": "https://evil.example"},
        "nearly the right site": {"turkSubmitTo": server.api + ".evil.example"},
        "no address": {"turkSubmitTo": "javascript:alert(1)"},
    }
    found = {what: came(server, mturk, remote, job, **wrong).reason for what, wrong in said.items()}
    expected = dict.fromkeys(said, "forged") | {"preview": "preview", "missing": "missing"}
    assert found == expected


def test_ids_that_were_used_before_open_nothing(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    returned = took(server, "AGOOD")
    server.market.give_back(returned.id)
    assert came(server, mturk, remote, returned) == Refused("over")
    late = took(server, "ALATE")
    server.market.ahead = 3600
    assert came(server, mturk, remote, late) == Refused("over")
    done = handed_in(server, mturk, remote, "ADONE")
    job = server.market.jobs[done.id]
    assert came(server, mturk, remote, job) == Refused("over")
    assert came(server, mturk, remote, job, workerId="AOTHER") == Refused("forged")


def test_no_answer_lets_nobody_in(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "ARRIVAL_TIMEOUT", 0.3)
    job = took(server, "AGOOD")
    server.fail("timeout", "GetHIT", times=2)
    assert came(server, mturk, remote, job) == Refused("unreachable")
    server.fail("500", "GetAssignment")
    assert isinstance(came(server, mturk, remote, job), Arrival)


@pytest.mark.parametrize("kind", FAULTS)
def test_who_took_part_does_not_see_the_study_again(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote, kind: Kind
) -> None:
    handed_in(server, mturk, remote, "ADONE")
    server.fail(kind, "AssociateQualificationWithWorker")
    again(lambda: mturk.exclude(STUDY, remote, ["ADONE", "ABLOCKED"]))
    for hit in server.market.hits.values():
        may = {
            one
            for one in ("ADONE", "ABLOCKED", "ANEW")
            if server.market.may_take(hit, server.market.worker(one))
        }
        assert may == {"ANEW"}
    # A second study of the same campaign keeps them out, one of another campaign does not.
    for campaign, expected in (("dogs", False), ("cats", True)):
        mturk.publish(dataclasses.replace(STUDY, key=campaign[0] * 32, campaign=campaign, places=1))
        hit = list(server.market.hits.values())[-1]
        assert server.market.may_take(hit, server.market.worker("ADONE")) is expected


@pytest.mark.parametrize("kind", FAULTS)
def test_a_study_is_paused_resumed_and_closed(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote, kind: Kind
) -> None:
    job = took(server, "AGOOD")
    server.fail(kind, "UpdateExpirationForHIT", skip=1)
    again(lambda: mturk.pause(STUDY, remote))
    assert mturk.status(STUDY, remote).state == "paused"
    assert isinstance(came(server, mturk, remote, job), Arrival)
    server.fail(kind, "UpdateExpirationForHIT", skip=1)
    again(lambda: mturk.resume(STUDY, remote))
    assert mturk.status(STUDY, remote).state == "open"
    again(lambda: mturk.close(STUDY, remote))
    server.market.submit(job.id, {"code": "x"})
    status = mturk.status(STUDY, remote)
    assert (status.state, status.counts) == ("paused", {"active": 0, "submitted": 1})


def test_workers_who_cannot_be_written_to_are_counted(
    server: TurkServer, mturk: MechanicalTurk, remote: Remote
) -> None:
    mturk.approve(STUDY, remote, handed_in(server, mturk, remote, "AGOOD"))
    with pytest.warns(CaptiousWarning, match="1 of 2 workers"):
        mturk.message(STUDY, remote, ["AGOOD", "ANEVER"], "Thank you.")
    assert server.market.mails == [("AGOOD", STUDY.title, "Thank you.")]


def test_a_plan_that_mechanical_turk_would_not_take_is_refused_before_any_call() -> None:
    for change, said in (
        ({"currency": "GBP"}, "USD"),
        ({"reward": 0}, "one cent"),
        ({"title": "x" * 129}, "128"),
        ({"description": "x" * 2001}, "2000"),
    ):
        with pytest.raises(InputError, match=said):
            MechanicalTurk().check(dataclasses.replace(STUDY, **change))
    with pytest.raises(InputError, match="ISO 3166"):
        find_provider("mturk", {"countries": "US, Germany"})


def test_only_the_worker_site_is_posted_to() -> None:
    hosts = {urlsplit(one).hostname for one in MechanicalTurk().framed_by()}
    assert hosts == {"workersandbox.mturk.com"}
