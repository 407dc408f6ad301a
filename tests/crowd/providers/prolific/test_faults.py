"""Whatever breaks between us and Prolific, a second run ends in the right state.

Each change is tried with each fault, and asked for again as a person would: nothing is paid, published
or sent twice, and nothing is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from captious.campaigns.store.database import Database
from captious.crowd import arrivals, calls, journal, reconcile, studies, visits
from captious.crowd.base import ProviderError
from captious.crowd.journal import CallInDoubt
from captious.crowd.studies import Stored
from captious.crowd.values import Arrival
from captious.crowd.visits import Visit

SECRET = b"s" * 32
KINDS = ("silent", "lost", "busy", "broken", "broken after", "cut")
FEW = ("silent", "lost", "busy")  # of unknown end, and not done; of unknown end, and done; not done
DONE = ("lost", "broken after", "cut")  # those after which it has happened all the same
REASON = "You were asked to compare two captions of each photo. " * 3


class Run:
    """A planned study, the people who come to it, and someone who repeats what failed."""

    def __init__(self, service: Any, db: Database, campaign: Any, clock: Any) -> None:
        self.service, self.world, self.db, self.campaign, self.clock = (
            service,
            service.world,
            db,
            campaign,
            clock,
        )
        plan = {"places": 3, "answers": 2, "reward": 150, "currency": "USD", "minutes": 6.0}
        study = studies.new_study(campaign, "https://rate.example.org", **plan)
        studies.create(db, campaign, study, "prolific", {}, actor="lea")
        self.key = study.key

    @property
    def stored(self) -> Stored:
        return studies.by_key(self.db, self.key)

    @property
    def remote(self) -> Any:
        return self.stored.published_at()

    def publish(self) -> None:
        calls.publish(self.db, self.stored, actor="lea")

    def until_done(self, act: Callable[[], Any]) -> int:
        """Ask again until it is done, as a person would; how often it failed."""
        for failed in range(40):
            try:
                act()
            except CallInDoubt:
                # The journal says how long to wait: an hour later, bonuses show.
                self.clock.move(3601)
                self.world.settle()
            except ProviderError:
                continue
            else:
                return failed
        raise AssertionError("it never succeeds")

    def visit(self, person: str = "") -> Visit:
        """Someone takes a place, is let in and checked at Prolific."""
        address = self.world.arrive(self.remote.id, person or self.world.new())
        given = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        arrival = self.stored.provider().verify(self.stored.study, self.remote, given)
        assert isinstance(arrival, Arrival)
        found = arrivals.begin(self.db, self.stored, self.campaign, arrival, secret=SECRET)
        assert isinstance(found, Visit)
        return found

    def finished(self, person: str = "") -> Visit:
        """Someone who has done the work and handed it in."""
        visit = self.visit(person)
        arrivals.end(self.db, self.stored, visit, "completed")
        self.world.finish(visit.place, self.stored.study.codes["completed"])
        found = reconcile.reconcile(self.db, self.stored)
        return next(one for one in found.due if one.place == visit.place)


@pytest.fixture
def run(prolific: Any, db: Database, campaign: Any, clock: Any, quick: None) -> Run:
    return Run(prolific, db, campaign, clock)


@pytest.fixture
def published(run: Run) -> Run:
    run.publish()
    return run


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["studies/", "studies/[^/]+/transition/", "participant-groups/"])
def test_a_study_is_published_once(kind: str, path: str, run: Run) -> None:
    run.service.fail(kind, "POST", f"/api/v1/{path}")
    assert run.until_done(run.publish) == 1
    (study,) = run.world.studies.values()
    assert (study["status"], study["id"]) == ("ACTIVE", run.remote.id)
    assert len(run.world.groups) == 1
    (call,) = journal.calls(run.db, run.stored.id)
    # 450 and 42.8 % of it, counted once however often it was tried.
    assert (call.state, journal.committed(run.db, run.stored.id)) == ("done", 643)


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_is_approved_and_paid_once(kind: str, published: Run) -> None:
    visit = published.finished()
    published.service.fail(kind, "POST", "/api/v1/submissions/[^/]+/transition/")
    assert published.until_done(lambda: calls.approve(published.db, published.stored, visit)) == 1
    assert published.world.paid("reward") == {visit.place: [150]}


@pytest.mark.parametrize("kind", FEW)
def test_a_place_is_rejected_once(kind: str, published: Run) -> None:
    visit = published.finished()
    published.service.fail(kind, "POST", "/api/v1/submissions/[^/]+/transition/")
    assert published.until_done(lambda: calls.reject(published.db, published.stored, visit, REASON)) == 1
    assert published.world.submissions[visit.place].status == "REJECTED"
    assert published.world.ledger == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["submissions/bonus-payments/", "bulk-bonus-payments/[^/]+/pay/"])
def test_a_bonus_is_paid_once(kind: str, path: str, published: Run) -> None:
    visit = published.finished()
    published.service.fail(kind, "POST", f"/api/v1/{path}")
    pay = lambda: calls.bonus(published.db, published.stored, visit, 50, "Thank you.")  # noqa: E731
    published.until_done(pay)
    pay()
    published.world.settle()
    assert published.world.paid("bonus") == {visit.place: [50]}
    states = [call.state for call in journal.calls(published.db, published.stored.id, action="bonus")]
    assert states == ["done"]


@pytest.mark.parametrize("kind", DONE)
def test_a_bonus_whose_payment_does_not_show_yet_is_waited_for(kind: str, published: Run) -> None:
    visit = published.finished()
    published.service.fail(kind, "POST", "/api/v1/bulk-bonus-payments/[^/]+/pay/")
    pay = lambda: calls.bonus(published.db, published.stored, visit, 50, "Thank you.")  # noqa: E731
    with pytest.raises(ProviderError):
        pay()
    with pytest.raises(CallInDoubt, match="Run the command again in 60 min"):
        pay()
    published.clock.move(600)  # ten minutes later Prolific has paid and shows it
    published.world.settle()
    pay()
    assert published.world.paid("bonus") == {visit.place: [50]}


@pytest.mark.parametrize("kind", FEW)
def test_two_equal_bonuses_for_two_reasons_are_two(kind: str, published: Run) -> None:
    visit = published.finished()
    for reason in ("Thank you.", "It took longer than we said."):
        published.service.fail(kind, "POST", "/api/v1/bulk-bonus-payments/[^/]+/pay/")
        published.until_done(lambda: calls.bonus(published.db, published.stored, visit, 50, reason))  # noqa: B023
        published.world.settle()
    assert published.world.paid("bonus") == {visit.place: [50, 50]}


@pytest.mark.parametrize("kind", FEW)
def test_places_are_added_once(kind: str, published: Run) -> None:
    published.service.fail(kind, "PATCH", "/api/v1/studies/[^/]+/")
    assert published.until_done(lambda: calls.extend(published.db, published.stored, 5, actor="lea")) == 1
    assert published.world.studies[published.remote.id]["total_available_places"] == 5
    assert published.stored.study.places == 5


@pytest.mark.parametrize("kind", FEW)
@pytest.mark.parametrize(("turn", "status"), [("pause", "PAUSED"), ("close", "COMPLETED")])
def test_a_study_is_paused_or_closed(kind: str, turn: str, status: str, published: Run) -> None:
    published.service.fail(kind, "POST", "/api/v1/studies/[^/]+/transition/")
    act = getattr(calls, turn)
    assert published.until_done(lambda: act(published.db, published.stored, actor="lea")) == 1
    assert published.world.studies[published.remote.id]["status"] == status


@pytest.mark.parametrize("kind", FEW)
def test_a_participant_is_kept_out(kind: str, published: Run) -> None:
    person = published.world.new()
    published.service.fail(kind, "POST", "/api/v1/participant-groups/[^/]+/participants/")
    shut = lambda: calls.exclude(published.db, published.stored, [person], secret=SECRET, actor="lea")  # noqa: E731
    assert published.until_done(shut) == 1
    with pytest.raises(Exception, match="not eligible"):
        published.world.arrive(published.remote.id, person)


@pytest.mark.parametrize("kind", FEW)
def test_each_participant_has_a_message_once(kind: str, published: Run) -> None:
    people = sorted(published.world.new() for _ in range(3))
    published.service.fail(kind, "POST", "/api/v1/messages/", after=1)  # the second of three
    send = lambda: calls.message(published.db, published.stored, people, "We close today.")  # noqa: E731
    assert published.until_done(send) == 1
    assert [one["recipient"] for one in published.world.messages] == people


@pytest.mark.parametrize("kind", [*KINDS, "short"])
def test_no_place_is_lost_and_none_counted_twice(kind: str, published: Run) -> None:
    people = [published.world.new() for _ in range(3)]
    places = {published.visit(person).place for person in people}
    for place in places:
        published.world.finish(place, published.stored.study.codes["completed"])
    published.service.fail(kind, "GET", "/api/v1/submissions/", times=2)
    found = reconcile.reconcile(published.db, published.stored)
    assert found.counts == {"submitted": 3}
    reconcile.reconcile(published.db, published.stored)
    everyone = visits.of_study(published.db, published.stored.id)
    assert {one.place for one in everyone} == places and len(everyone) == 3


def test_a_list_that_stays_incomplete_changes_nothing(published: Run) -> None:
    visit = published.visit()
    published.world.leave(visit.place, "RETURNED")
    published.service.fail("short", "GET", "/api/v1/submissions/", times=99)
    with pytest.raises(ProviderError, match="incomplete list"):
        reconcile.reconcile(published.db, published.stored)
    assert [one.state for one in visits.of_study(published.db, published.stored.id)] == ["active"]


def test_clocks_that_differ_by_a_day_do_not_matter(published: Run) -> None:
    published.world.skew = -86400.0
    visit = published.finished()
    calls.approve(published.db, published.stored, visit)
    assert published.world.paid("reward") == {visit.place: [150]}
    found = reconcile.reconcile(published.db, published.stored)
    assert (found.counts, found.due) == ({"approved": 1}, ())


@pytest.mark.parametrize("seed", range(3))
def test_a_whole_study_through_a_bad_connection(seed: int, run: Run) -> None:
    """A third of all requests fail in some way, from publishing to the last payment."""
    chance = random.Random(seed)
    fault = run.service.fault
    run.service.fault = lambda method, path: (
        (run.service.fail(chance.choice(KINDS), method, path) if chance.random() < 1 / 3 else None)
        or fault(method, path)
    )
    run.until_done(run.publish)
    people = [run.world.new() for _ in range(3)]
    visited = []
    for person in people:
        found: list[Visit] = []
        # A participant who meets "try again" reloads the page: the same place.
        address = run.world.arrive(run.remote.id, person)
        given = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        while not found:
            arrival = run.stored.provider().verify(run.stored.study, run.remote, given)
            if isinstance(arrival, Arrival):
                begun = arrivals.begin(run.db, run.stored, run.campaign, arrival, secret=SECRET)
                assert isinstance(begun, Visit)
                found.append(begun)
        arrivals.end(run.db, run.stored, found[0], "completed")
        run.world.finish(found[0].place, run.stored.study.codes["completed"])
        visited.append(found[0].place)
    due: list[Visit] = []
    run.until_done(lambda: due.extend(reconcile.reconcile(run.db, run.stored).due))
    for visit in due:
        run.until_done(lambda: calls.approve(run.db, run.stored, visit))  # noqa: B023
        run.until_done(lambda: calls.bonus(run.db, run.stored, visit, 25, "Thank you."))  # noqa: B023
    run.until_done(lambda: calls.close(run.db, run.stored, actor="lea"))
    run.world.settle()
    assert run.world.paid("reward") == {place: [150] for place in visited}
    assert run.world.paid("bonus") == {place: [25] for place in visited}
    assert len(run.world.studies) == 1
    assert not journal.calls(run.db, run.stored.id, state="open")
