"""A study at Prolific from publishing to paying, with people who leave and a connection that breaks."""

from __future__ import annotations

import random
from typing import Any

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.crowd import arrivals, journal, run, studies, visits
from captious.crowd.base import ProviderError
from captious.crowd.values import Arrival
from captious.crowd.visits import Visit
from captious.crowd.workers import first_answers

SECRET = b"s" * 32
KINDS = ("lost", "busy", "broken", "broken after", "cut")


class People:
    """Each wait lets the next participant come: every third returns the place, every fifth times out."""

    def __init__(self, service: Any, db: Database, key: str) -> None:
        self.world, self.db, self.key, self.came = service.world, db, key, 0

    def __call__(self) -> bool:
        stored = studies.by_key(self.db, self.key)
        study = self.world.studies[stored.published_at().id]
        if study["status"] != "ACTIVE" or self.world.taken(study["id"]) >= study["total_available_places"]:
            return study["status"] != "COMPLETED"
        self.came += 1
        self._come(stored, study["id"])
        return True

    def _come(self, stored: studies.Stored, study: str) -> None:
        address = self.world.arrive(study, self.world.new())
        given = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        arrival: Any = None
        while not isinstance(arrival, Arrival):  # "try again in a moment": they reload the page
            arrival = stored.provider().verify(stored.study, stored.published_at(), given)
        campaign = lifecycle.by_id(self.db, stored.campaign_id)
        visit = arrivals.begin(self.db, stored, campaign, arrival, secret=SECRET)
        assert isinstance(visit, Visit)
        rater = arrivals.admit(self.db, stored, campaign, visit)
        answered = 0
        while tasks := next_tasks(self.db, campaign, rater):
            for task in tasks:
                if answered and self.came % 15 in (3, 5, 6, 9, 10, 12):
                    self.world.leave(arrival.place, "RETURNED" if self.came % 3 == 0 else "TIMED-OUT")
                    return
                key = f"{task.item.key}-{self.came}"
                assert not isinstance(
                    respond(self.db, rater, task.token, first_answers(task.item), key=key, seconds=9.0), list
                )
                answered += 1
        with self.db.read() as connection:
            visit = visits.at_place(connection, stored.id, arrival.place) or visit
        outcome = arrivals.finish(self.db, stored, campaign, visit)
        assert outcome is not None
        self.world.finish(arrival.place, stored.study.codes[outcome])


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_a_study_runs_to_its_end(
    share: float, prolific: Any, db: Database, campaign: Any, quick: None
) -> None:
    chance, fault = random.Random(7), prolific.fault

    def broken(method: str, path: str) -> Any:
        if chance.random() < share:
            prolific.fail(chance.choice(KINDS), method, path)
        return fault(method, path)

    prolific.fault = broken
    plan = {"places": 4, "answers": 5, "reward": 50, "currency": "USD", "minutes": 2.0, "budget": 2000}
    study = studies.new_study(campaign, "https://rate.example.org", **plan)
    stored = studies.create(db, campaign, study, "prolific", {}, actor="lea")
    people, world, stop = People(prolific, db, study.key), prolific.world, None
    for _ in range(200):  # each time a program starts anew after it was cut off
        try:
            _, stop = run.run(db, stored, run.Plan(), actor="lea", watch=lambda _: None, wait=people)
            break
        except ProviderError:
            stored = studies.by_key(db, study.key)
    assert stop == "done"
    (there,) = world.studies.values()
    assert there["status"] in ("COMPLETED", "AWAITING REVIEW")
    approved = {one.id for one in world.submissions.values() if one.status == "APPROVED"}
    assert world.paid("reward") == {place: [50] for place in approved}
    ours = {one.place: one.state for one in visits.of_study(db, stored.id)}
    assert {place for place, state in ours.items() if state == "approved"} == approved
    assert len({one.participant for one in world.submissions.values()}) == len(world.submissions)
    assert lifecycle.by_id(db, stored.campaign_id).state == "closed"
    assert not journal.calls(db, stored.id, state="open")
    # What was left half-done was taken out, and done by others.
    kept = sum(one.rater_id is not None and one.state == "approved" for one in visits.of_study(db, stored.id))
    assert kept * 5 >= 20 and len(ours) > kept
