"""What the client does at a Mechanical Turk that checks every request, and when the network fails."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import turk_operations
import turk_server
from botocore.exceptions import ClientError

from captious.crowd.providers.mturk.calls import Calls, Site, TurkRefused, TurkUnsure
from captious.crowd.providers.mturk.client import Turk
from captious.crowd.providers.mturk.hits import Wanted, requirements
from captious.crowd.providers.mturk.records import Hit, answers_of, bonus_fee, external_question, fee
from captious.errors import InputError, NotSetUpError

if TYPE_CHECKING:
    from turk_server import Kind, TurkServer

PAGE = "https://rate.example.org/arrive?a=1&b=2"


def hit_type(turk: Turk, reward: int = 25, wanted: list[dict[str, Any]] | None = None) -> str:
    return turk.create_type(
        title="Compare captions",
        description="Ten comparisons",
        keywords=["image", "caption"],
        reward=reward,
        duration=600,
        auto_approval=86_400,
        requirements=wanted or [],
    )


def hit(turk: Turk, places: int = 3, token: str = "k-0", **more: Any) -> Hit:
    return turk.create_hit(
        hit_type(turk, **more),
        question=external_question(PAGE),
        places=places,
        lifetime=3600,
        annotation=token,
        token=token,
    )


def done(server: TurkServer, found: Hit, worker: str) -> str:
    job = server.market.accept(found.id, worker)
    server.market.submit(job.id, {"code": "C"})
    return job.id


def test_a_hit_shows_our_page_and_stands_as_it_was_made(turk: Turk, server: TurkServer) -> None:
    made = hit(turk)
    assert server.market.address(server.market.hits[made.id]) == PAGE
    assert (made.places, made.reward, made.status, made.annotation) == (3, 25, "Assignable", "k-0")
    assert turk.hit(made.id) == made == turk.hits()[0]
    assert turk.hit("3" + "X" * 29) is None


def test_the_server_refuses_what_the_service_model_does_not_know(turk: Turk) -> None:
    import boto3

    # Past botocore's own check: the server must see it.
    from botocore.config import Config

    raw = boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=turk.site.api,
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}),
    )
    for wrong, said in (
        ({"HITId": "lower-case"}, "does not match"),
        ({}, "Missing required"),
        ({"HITId": 7}, "Invalid type"),
    ):
        with pytest.raises(ClientError, match=said):
            raw.get_hit(**wrong)


@pytest.mark.parametrize("kind", ["timeout", "lost", "500", "500 after", "throttle", "429"])
def test_a_call_that_reads_is_repeated_after_every_fault(turk: Turk, server: TurkServer, kind: Kind) -> None:
    made = hit(turk)
    server.fail(kind, "GetHIT", times=2)
    assert turk.hit(made.id) == made


@pytest.mark.parametrize("kind", ["throttle", "429"])
def test_a_call_that_pays_is_repeated_while_the_service_is_too_busy(
    turk: Turk, server: TurkServer, kind: Kind
) -> None:
    job = done(server, hit(turk), "AONE")
    server.fail(kind, "ApproveAssignment", times=3)
    turk.approve(job)
    # 25 cents and a fee of 5, once.
    assert server.count("ApproveAssignment") == 1
    assert (server.market.paid, server.market.fees) == (Decimal("0.25"), Decimal("0.05"))


@pytest.mark.parametrize(("kind", "carried_out"), [("lost", 1), ("500 after", 1), ("500", 0), ("timeout", 0)])
def test_a_call_that_pays_is_never_repeated_in_the_dark(
    turk: Turk, server: TurkServer, kind: Kind, carried_out: int
) -> None:
    job = done(server, hit(turk), "AONE")
    server.fail(kind, "SendBonus")
    with pytest.raises(TurkUnsure, match="SendBonus"):
        turk.bonus("AONE", job, 50, "Good work", token="b-1")
    assert len(server.market.bonuses) == len(turk.bonuses(job)) == carried_out


def test_a_token_makes_one_hit_one_bonus_and_one_extension(turk: Turk, server: TurkServer) -> None:
    server.fail("lost", "CreateHITWithHITType")
    with pytest.raises(TurkUnsure):
        hit(turk)
    made = hit(turk)
    assert turk.hits() == [made]
    job = done(server, made, "AONE")
    for _ in range(2):
        try:
            turk.bonus("AONE", job, 50, "Good work", token="b-1")
            turk.add_places(made.id, 2, token="e-1")
        except TurkRefused as error:
            assert error.code == "DuplicateRequest"
    assert [one.amount for one in turk.bonuses(job)] == [50]
    found = turk.hit(made.id)
    assert found is not None
    assert found.places == 5


def test_a_small_hit_cannot_grow_over_the_step(turk: Turk) -> None:
    made = hit(turk, places=8)
    turk.add_places(made.id, 1, token="e-1")
    with pytest.raises(TurkRefused, match="fewer than 10") as error:
        turk.add_places(made.id, 1, token="e-2")
    assert error.value.code == "InvalidMaximumAssignmentsIncrease"


def test_what_is_quoted_is_what_is_charged(turk: Turk, server: TurkServer) -> None:
    server.market.worker("AONE", masters=True)
    for at, (reward, places, masters) in enumerate(product([1, 2, 3, 7, 12, 13, 25], [9, 10], [False, True])):
        before = turk.balance()
        wanted = requirements(Wanted(masters=masters), site="sandbox")
        made = hit(turk, places, f"k-{at}", reward=reward, wanted=wanted)
        assert before - turk.balance() == places * (reward + fee(reward, places, masters=masters))
        job = done(server, made, "AONE")
        rest = turk.balance()
        turk.bonus("AONE", job, reward, "Thank you", token=f"b-{at}")
        assert rest - turk.balance() == reward + bonus_fee(reward)


def test_lists_come_whole_from_short_empty_and_repeating_pages(turk: Turk, server: TurkServer) -> None:
    made = hit(turk, places=9)
    jobs = [done(server, made, f"AW{at}") for at in range(9)]
    turk_operations.PAGE.update(most=2, repeat=True, empty=True)
    assert [one.id for one in turk.assignments(made.id)] == jobs
    server.fail("timeout", "ListAssignmentsForHIT")
    server.fail("500", "ListAssignmentsForHIT")
    assert [one.worker for one in turk.assignments(made.id)] == [f"AW{at}" for at in range(9)]


def test_an_assignment_is_told_from_one_at_work_and_from_an_invented_one(
    turk: Turk, server: TurkServer
) -> None:
    made = hit(turk)
    job = server.market.accept(made.id, "AONE")
    assert turk.assignment(job.id) == "at work"
    assert turk.assignment("3" + "Z" * 29) == "unknown"
    assert turk.assignments(made.id) == []
    server.market.submit(job.id, {"code": "<A & B>", "words": "naïve"})
    found = turk.assignment(job.id)
    assert not isinstance(found, str)
    assert (found.worker, found.hit, found.status) == ("AONE", made.id, "Submitted")
    assert found.answers == {"code": "<A & B>", "words": "naïve"}


def test_approving_rejecting_and_changing_ones_mind(turk: Turk, server: TurkServer) -> None:
    made = hit(turk)
    first, second = done(server, made, "AONE"), done(server, made, "ATWO")
    turk.approve(first, "Thank you")
    with pytest.raises(InputError, match="reason"):
        turk.reject(second, " ")
    turk.reject(second, "The attention check was not passed.")
    with pytest.raises(TurkRefused) as error:
        turk.reject(first, "Too late")
    assert error.value.code == "InvalidAssignmentState"
    turk.approve(second, override=True)
    assert {one.id: one.status for one in turk.assignments(made.id)} == {
        first: "Approved",
        second: "Approved",
    }


def test_a_hit_ends_comes_back_and_is_deleted(turk: Turk, server: TurkServer) -> None:
    made = hit(turk)
    turk.expire(made.id)
    assert turk.hits()[0].status == "Reviewable"
    turk.prolong(made.id, server.market.now() + 3600)
    assert turk.hits()[0].status == "Assignable"
    job = done(server, made, "AONE")
    turk.expire(made.id)
    with pytest.raises(TurkRefused):
        turk.delete(made.id)
    turk.approve(job)
    turk.delete(made.id)
    assert turk.hits() == []


def test_workers_are_written_to_blocked_and_marked(turk: Turk, server: TurkServer) -> None:
    made = hit(turk)
    turk.approve(done(server, made, "AONE"))
    many = ["AONE", *(f"AX{at}" for at in range(120))]
    failed = turk.notify(many, "Thank you", "There is more work.")
    assert server.market.mails == [("AONE", "Thank you", "There is more work.")]
    assert len(failed) == 120
    with pytest.raises(InputError, match="200 characters"):
        turk.notify(["AONE"], "x" * 201, "text")
    turk.block("AONE", "random answers")
    assert turk.blocked() == {"AONE": "random answers"}
    mark = turk.qualification("Took part", "Has done this study")
    assert turk.qualification("Took part", "Has done this study") == mark
    turk.grant(mark, "AONE")
    turk.grant(mark, "AONE")
    assert turk.holders(mark) == {"AONE"}
    turk.revoke(mark, "AONE")
    assert turk.holders(mark) == set()


def test_only_the_workers_that_were_asked_for_can_take_a_hit(turk: Turk, server: TurkServer) -> None:
    mark = turk.qualification("Took part", "Has done this study")
    wanted = requirements(
        Wanted(["us", "GB"], percent_approved=95, number_approved=500), site="sandbox", done_before=mark
    )
    made = server.market.hits[hit(turk, wanted=wanted).id]
    people = {
        "AGOOD": {},
        "AGERMAN": {"country": "DE"},
        "ASLOPPY": {"percent": 90},
        "ANEW": {"approved": 20},
        "AAGAIN": {},
    }
    turk.grant(mark, "AAGAIN")
    may = [
        name
        for name, facts in people.items()
        if server.market.may_take(made, server.market.worker(name, **facts))
    ]
    assert may == ["AGOOD"]
    with pytest.raises(InputError, match="ISO 3166"):
        requirements(Wanted(["Germany"]), site="sandbox")


def test_without_money_nothing_is_published(turk: Turk, server: TurkServer) -> None:
    server.market.deposit = server.market.deposit * 0
    with pytest.raises(TurkRefused, match="insufficient funds"):
        hit(turk)
    assert turk.hits() == []


def test_a_wrong_clock_and_wrong_credentials_are_said_in_one_line(
    turk: Turk, server: TurkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.skew = 240
    assert turk.balance() == 1_000_000
    server.skew = -3600
    with pytest.raises(NotSetUpError, match="clock"):
        turk.balance()
    server.skew = 0
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    other = Turk(Calls(turk.site, timeout=0.5))
    with pytest.raises(NotSetUpError, match="InvalidSignatureException"):
        other.balance()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(NotSetUpError, match="AWS_ACCESS_KEY_ID"):
        Turk(Calls(turk.site, timeout=0.5)).balance()


def test_a_server_that_is_not_there_is_said_in_one_line(credentials: tuple[str, str]) -> None:
    nowhere = Site("local", "http://127.0.0.1:9", ("http://127.0.0.1:9",))
    turk = Turk(Calls(nowhere, timeout=0.5, wait=turk_server.wait_nothing))
    with pytest.raises(TurkUnsure, match="cannot be reached"):
        turk.balance()


def test_credentials_are_in_no_error_log_or_representation(
    turk: Turk, server: TurkServer, credentials: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    made = hit(turk)
    texts = [repr(turk), repr(turk.calls), repr(vars(turk)), turk.calls.clean(" ".join(credentials))]
    job = done(server, made, "AONE")
    for kind in ("500", "timeout", "lost"):
        server.fail(kind, "ApproveAssignment")
        with pytest.raises(TurkUnsure) as unsure:
            turk.approve(job)
        texts += [str(unsure.value), repr(unsure.getrepr())]
    with pytest.raises(TurkRefused) as refused:
        # A service that repeats what it was sent: the text is cleaned.
        turk.reject(made.id, f"{credentials[0]} and {credentials[1]}")
    texts += [str(refused.value), caplog.text]
    for secret in credentials:
        assert not any(secret in text for text in texts)
    assert "***" in texts[3]


@pytest.mark.parametrize(
    "document",
    ["", "no XML", "<a/>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a>" * 40_000],
    ids=["empty", "text", "other", "entities", "huge"],
)
def test_answers_that_are_no_answers_have_no_fields(document: str) -> None:
    assert answers_of(document) == {}
