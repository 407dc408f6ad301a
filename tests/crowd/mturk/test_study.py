"""A study at Mechanical Turk from our side: the journal, the arrivals and the reconciliation together."""

from __future__ import annotations

import logging
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.crowd.conftest import humanr_campaign, planned

from captious.campaigns.exchange.export import export
from captious.campaigns.people import raters
from captious.campaigns.store.backup import backup
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.crowd import arrivals, journal, studies, visits
from captious.crowd import calls as study_calls
from captious.crowd.arrivals import TurnedAway
from captious.crowd.base import ProviderError
from captious.crowd.journal import BudgetExceeded
from captious.crowd.providers.mturk import calls
from captious.crowd.reconcile import Reconciled, reconcile
from captious.crowd.values import Refused
from captious.errors import CaptiousError

if TYPE_CHECKING:
    from turk_server import Kind, TurkServer

SECRET = b"s" * 32
FAULTS: list[Kind] = ["timeout", "lost", "throttle", "429", "500", "500 after", "twice"]
HOUR = 3600.0


class Run:
    """A study of ours, the workers who come, and someone who repeats a command that failed."""

    def __init__(self, server: TurkServer, db: Database, clock: Any, **plan: Any) -> None:
        self.server, self.market, self.db, self.clock = server, server.market, db, clock
        self.campaign = humanr_campaign(db, images=60)
        self.key = planned(db, self.campaign, "mturk", **{"places": 12, "reward": 25} | plan).study.key

    @property
    def stored(self) -> studies.Stored:
        return studies.by_key(self.db, self.key)

    def again(self, act: Callable[[], Any]) -> Any:
        for _ in range(10):
            try:
                return act()
            except ProviderError:
                continue
        return act()

    def publish(self) -> None:
        self.again(lambda: study_calls.publish(self.db, self.stored, actor="lea"))

    def takes(self, worker: str, hit: int = 0) -> Any:
        return self.market.accept(list(self.market.hits)[hit], worker)

    def comes(self, job: Any, **other: str) -> Any:
        ids = {"assignmentId": job.id, "hitId": job.hit, "workerId": job.worker}
        given = ids | {"turkSubmitTo": self.server.api} | other
        found = self.stored.provider().verify(self.stored.study, self.stored.published_at(), given)
        if isinstance(found, Refused):
            return found
        return arrivals.begin(self.db, self.stored, self.campaign, found, secret=SECRET)

    def works(self, visit: visits.Visit, answers: int = 10) -> Any:
        rater = arrivals.admit(self.db, self.stored, self.campaign, visit)
        for task in next_tasks(self.db, self.campaign, rater)[:answers]:
            value = 9.0 if task.item.check == "left" else 1.0
            respond(self.db, rater, task.token, {"preference": value}, key=task.token)
        return rater

    def hands_in(self, visit: visits.Visit) -> None:
        outcome = arrivals.finish(self.db, self.stored, self.campaign, self.at(visit.place))
        assert outcome == "completed"
        form = arrivals.completion(self.stored, visit, outcome)
        self.market.submit(visit.place, {"code": form.fields["code"]})

    def finished(self, worker: str) -> visits.Visit:
        visit = self.comes(self.takes(worker))
        self.works(visit)
        self.hands_in(visit)
        return self.at(visit.place)

    def at(self, place: str) -> visits.Visit:
        return next(one for one in visits.of_study(self.db, self.stored.id) if one.place == place)

    def look(self) -> Reconciled:
        return reconcile(self.db, self.stored)

    def later(self, seconds: float) -> None:
        self.clock.move(seconds)
        self.market.ahead += seconds

    def counted(self) -> int:
        return sum(one.answered for one in raters.listed(self.db, self.campaign) if one.state == "active")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the journal's own tests run on each."""
    return sqlite_url


@pytest.fixture
def planned_run(server: TurkServer, db: Database, clock: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(calls, "TIMEOUT", 0.5)
    monkeypatch.setattr(calls, "FIRST_WAIT", 0.0)
    return Run(server, db, clock)


@pytest.fixture
def run(planned_run: Run) -> Run:
    planned_run.publish()
    return planned_run


@pytest.mark.parametrize("kind", FAULTS)
def test_from_publishing_to_paying_through_every_fault(planned_run: Run, kind: Kind) -> None:
    run = planned_run
    for operation in (
        "CreateHITWithHITType",
        "ApproveAssignment",
        "RejectAssignment",
        "SendBonus",
        "CreateAdditionalAssignmentsForHIT",
        "ListAssignmentsForHIT",
        "GetAssignment",
    ):
        run.server.fail(kind, operation)
    run.publish()
    good, bad = run.finished("AGOOD"), run.finished("ABAD")
    due = run.again(run.look).due
    assert [one.participant for one in due] == ["AGOOD", "ABAD"]
    stored, db = run.stored, run.db
    run.again(lambda: study_calls.approve(db, stored, due[0]))
    run.again(lambda: study_calls.reject(db, stored, due[1], "The attention check was not passed."))
    run.again(lambda: study_calls.bonus(db, stored, due[0], 40, "To reach the promised wage"))
    run.again(lambda: study_calls.extend(db, run.stored, 15, actor="lea"))
    assert not run.server.faults
    # Once each: 25 and 40 cents, with fees of 5 and 8.
    assert (run.market.paid, run.market.fees) == (Decimal("0.65"), Decimal("0.13"))
    assert sum(hit.places for hit in run.market.hits.values()) == run.stored.study.places == 15
    states = {place: run.at(place).state for place in (good.place, bad.place)}
    assert states == {good.place: "approved", bad.place: "rejected"}
    assert run.again(run.look).due == ()
    # Twelve places at 30 cents, three more, and the bonus with its fee.
    assert journal.committed(db, stored.id) == 12 * 30 + 3 * 30 + 48
    assert all(call.state == "done" for call in journal.calls(db, stored.id))


def test_a_worker_who_is_about_to_hand_in_is_not_taken_for_a_forger(run: Run) -> None:
    visit = run.comes(run.takes("AGOOD"))
    run.works(visit)
    # The work is done here, and the form to Mechanical Turk is not sent yet.
    arrivals.finish(run.db, run.stored, run.campaign, run.at(visit.place))
    assert run.look().review == run.look().due == ()
    assert run.counted() == 10
    run.hands_in(visit)
    assert [one.participant for one in run.look().due] == ["AGOOD"]
    assert run.at(visit.place).checked


def test_places_that_were_returned_or_left_are_free_again_after_their_time(run: Run) -> None:
    left, returned = run.takes("ALEFT"), run.takes("ARETURNED")
    for job in (left, returned):
        run.works(run.comes(job), answers=4)
    run.market.give_back(returned.id)
    assert run.look().reclaimed == 0
    assert run.counted() == 8
    # Half an hour is the time limit, a quarter of an hour what a listing may take.
    run.later(HOUR)
    assert run.look().reclaimed == 2
    assert run.counted() == 0
    assert {run.at(job.id).state for job in (left, returned)} == {"timed_out"}
    assert run.look().reclaimed == 0


def test_work_under_ids_that_mechanical_turk_does_not_confirm_never_counts(run: Run) -> None:
    victim = run.takes("AVICTIM")
    # The id of a real assignment with a worker id that is made up.
    visit = run.comes(victim, workerId="AINVENTED")
    run.works(visit)
    arrivals.finish(run.db, run.stored, run.campaign, run.at(visit.place))
    assert run.comes(victim) == TurnedAway("forged")
    run.market.submit(victim.id, {"code": "guessed"})
    found = run.look()
    assert ([one.reason for one in found.review], found.due) == (["forged"], ())
    assert run.counted() == 0
    # And work that nobody ever hands in.
    other = run.comes(run.takes("ANOBODY"))
    run.works(other)
    arrivals.finish(run.db, run.stored, run.campaign, run.at(other.place))
    run.later(HOUR)
    assert "done but not handed in" in [one.reason for one in run.look().review]
    assert run.counted() == 0


def test_handing_in_without_working_is_not_paid(run: Run) -> None:
    job = run.takes("ALAZY")
    run.market.submit(job.id, {"code": "whatever"})
    found = run.look()
    assert ([one.reason for one in found.review], found.due) == (["unfinished"], ())


def test_a_worker_takes_part_once_unless_it_is_allowed(run: Run, server: TurkServer, clock: Any) -> None:
    run.finished("AGOOD")
    # Before the work is judged the worker site lets them accept; our page does not let them begin.
    assert run.comes(run.takes("AGOOD", hit=1)) == TurnedAway("repeat")
    run.look()
    stored = run.stored
    allowed = studies.create(
        run.db,
        run.campaign,
        studies.new_study(
            run.campaign,
            "https://rate.example.org",
            places=12,
            answers=10,
            reward=25,
            currency="USD",
            minutes=1.0,
            repeat="allowed",
        ),
        "mturk",
        {},
        actor="lea",
    )
    run.key = allowed.study.key
    run.publish()
    first, second = (list(run.market.hits)[2:])[:2]
    for hit in (first, second):
        visit = run.comes(run.market.accept(hit, "AGOOD"))
        run.works(visit)
        run.hands_in(visit)
    assert len(run.look().due) == 2
    assert stored.study.repeat == "campaign"


def test_nothing_is_spent_over_the_budget(server: TurkServer, db: Database, clock: Any) -> None:
    # Twelve places at 30 cents are $3.60; the bonus of 40 cents costs 48.
    run = Run(server, db, clock, budget=380)
    run.publish()
    visit = run.finished("AGOOD")
    run.look()
    with pytest.raises(BudgetExceeded, match=r"only \$0.20 of the budget of \$3.80 is left"):
        study_calls.bonus(db, run.stored, visit, 40, "To reach the promised wage")
    with pytest.raises(BudgetExceeded):
        study_calls.extend(db, run.stored, 13, actor="lea")
    assert not run.market.bonuses
    assert sum(hit.places for hit in run.market.hits.values()) == 12


def test_credentials_are_in_no_database_export_log_or_error(
    contents: Any,
    server: TurkServer,
    clock: Any,
    tmp_path: Path,
    credentials: tuple[str, str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "TIMEOUT", 0.5)
    monkeypatch.setattr(calls, "FIRST_WAIT", 0.0)
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    with Database.open(tmp_path / "captious.db", clock=clock) as db:
        run = Run(server, db, clock)
        run.publish()
        visit = run.finished("AGOOD")
        run.look()
        for kind in ("lost", "500"):
            server.fail(kind, "ApproveAssignment")
            try:
                study_calls.approve(db, run.stored, visit)
            except CaptiousError as error:
                said += [str(error), repr(error), error.typed]
        with pytest.raises(CaptiousError) as refused:
            # What a service repeats of a request is cleaned before the journal keeps it as a note.
            server.parrot = " ".join(credentials)
            study_calls.reject(db, run.stored, visit, "Too late")
        said.append(str(refused.value))
        export(db, run.campaign, tmp_path / "export.zip")
        backup(db, tmp_path / "backup.db")
    texts = {"log": caplog.text.encode(), "errors": " ".join(said).encode()} | contents(tmp_path)
    assert len(texts) > 4
    assert said
    for name, text in texts.items():
        assert not any(secret.encode() in text for secret in credentials), name
    assert b"***" in texts["errors"]
