"""Who is let in, who is turned away, and how a visit ends."""

from __future__ import annotations

from typing import Any

import pytest
from tests.crowd.conftest import humanr_campaign, planned

from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.crowd import arrivals, calls, studies, visits
from captious.crowd.arrivals import TurnedAway
from captious.crowd.planning import of_study
from captious.crowd.reconcile import reconcile
from captious.crowd.values import Arrival

SECRET = b"s" * 32


class Desk:
    """A study that is open, and the people who come to it."""

    def __init__(self, db: Database, campaign: Any, **plan: Any) -> None:
        self.db, self.campaign = db, campaign
        self.stored = calls.publish(db, planned(db, campaign, **plan), actor="lea")

    def comes(self, name: str, place: str = "") -> Any:
        arrival = Arrival(name, place or name)
        return arrivals.begin(self.db, self.stored, self.campaign, arrival, secret=SECRET)

    def works(self, visit: Any, answers: int | None = None, *, wrong: bool = False) -> Any:
        """Answer so many tasks, or all that the place has; a wrong one falls for every check."""
        rater = arrivals.admit(self.db, self.stored, self.campaign, visit)
        done = 0
        while answers is None or done < answers:
            tasks = next_tasks(self.db, self.campaign, rater)
            for task in tasks[: None if answers is None else answers - done]:
                planted_right = task.item.check == "right"
                value = 9.0 if planted_right == wrong and task.item.check else 1.0
                respond(self.db, rater, task.token, {"preference": value}, key=task.token)
                done += 1
            if not tasks:
                break
        return rater

    def visit(self, place: str) -> visits.Visit:
        return next(one for one in visits.of_study(self.db, self.stored.id) if one.place == place)


@pytest.fixture
def desk(db: Database) -> Desk:
    return Desk(db, humanr_campaign(db, images=40))


def test_a_place_ends_after_its_answers_and_the_next_work_is_somebody_elses(desk: Desk, clock: Any) -> None:
    visit = desk.comes("ada")
    rater = desk.works(visit)
    clock.move(480)
    assert arrivals.finish(desk.db, desk.stored, desk.campaign, desk.visit("ada")) == "completed"
    assert raters.find(desk.db, desk.campaign, rater.id).answered == 10
    assert next_tasks(desk.db, desk.campaign, rater) == []
    found = desk.visit("ada")
    assert (found.outcome, found.state, found.seconds) == ("completed", "submitted", 480)
    # $1.50 in 8 minutes is $11.25 an hour; 8 minutes at $15 are $2.00.
    wage = of_study(desk.db, desk.stored)
    assert (wage.hourly, wage.below, wage.bonus) == (1125, True, 50)


def test_a_place_with_work_left_has_not_ended(desk: Desk) -> None:
    visit = desk.comes("ada")
    desk.works(visit, 4)
    assert arrivals.finish(desk.db, desk.stored, desk.campaign, desk.visit("ada")) is None


def test_the_same_place_may_be_opened_again_and_a_finished_one_not(desk: Desk) -> None:
    first = desk.comes("ada")
    rater = desk.works(first, 4)
    again = desk.comes("ada")
    assert (again.id, again.rater_id) == (first.id, rater.id)
    desk.works(again)
    arrivals.finish(desk.db, desk.stored, desk.campaign, desk.visit("ada"))
    assert desk.comes("ada") == TurnedAway("over")


def test_an_id_with_the_place_of_another_is_turned_away(desk: Desk) -> None:
    desk.comes("ada", "place-1")
    assert desk.comes("eve", "place-1") == TurnedAway("forged")


def test_a_participant_with_a_second_place_is_turned_away_unless_the_first_was_given_back(desk: Desk) -> None:
    first = desk.comes("ada", "place-1")
    desk.works(first, 3)
    assert desk.comes("ada", "place-2") == TurnedAway("repeat")
    with desk.db.write() as connection:
        visits.give_back(connection, desk.visit("place-1"), "returned", "returned")
    assert desk.comes("ada", "place-2").participant == "ada"


def test_nobody_works_twice_in_a_campaign_unless_it_is_allowed(desk: Desk, db: Database) -> None:
    desk.works(desk.comes("ada"))
    arrivals.finish(db, desk.stored, desk.campaign, desk.visit("ada"))
    second = Desk(db, desk.campaign)
    assert second.comes("ada") == TurnedAway("repeat")
    third = Desk(db, desk.campaign, repeat="allowed")
    rater = third.works(third.comes("ada"))
    assert [one.name for one in raters.listed(db, desk.campaign)] == ["ada"]
    assert raters.find(db, desk.campaign, rater.id).answered == 20


def test_excluded_participants_are_kept_as_digests_and_kept_out(desk: Desk, db: Database) -> None:
    calls.exclude(db, desk.stored, ["eve"], secret=SECRET, actor="lea", reason="asked for it")
    assert desk.comes("eve") == TurnedAway("blocked")
    with db.read() as connection:
        rows = connection.exec_driver_sql("SELECT digest FROM crowd_block").scalars().all()
        assert visits.is_blocked(connection, "panel", "eve", SECRET)
        assert not visits.is_blocked(connection, "panel", "eve", b"t" * 32)
    assert all("eve" not in row for row in rows)


def test_a_full_study_takes_nobody_until_a_place_runs_out(desk: Desk, clock: Any) -> None:
    for name in ("ada", "bo", "cy"):
        desk.works(desk.comes(name), 2)
    assert desk.comes("di") == TurnedAway("full")
    before = raters.listed(desk.db, desk.campaign)[0]
    clock.move(visits.allowed_seconds(desk.stored.study) + 1)
    assert desk.comes("di").participant == "di"
    # Nobody was paid for the answers of a place that ran out, so they do not count.
    after = raters.find(desk.db, desk.campaign, before.id)
    assert (before.state, after.state, after.reason) == ("active", "withdrawn", "the place timed out")
    # Two places are free again: who ran out may go on, and their answers count again.
    back = desk.comes("ada")
    assert back.state == "active"
    assert raters.find(desk.db, desk.campaign, before.id).state == "active"


def test_who_fails_an_attention_check_ends_as_failed_and_frees_the_place(desk: Desk) -> None:
    rater = desk.works(desk.comes("eve"), wrong=True)
    assert raters.find(desk.db, desk.campaign, rater.id).state == "removed"
    assert arrivals.finish(desk.db, desk.stored, desk.campaign, desk.visit("eve")) == "failed"
    assert not desk.visit("eve").taken


def test_reconciling_settles_who_closed_the_window_after_the_last_answer(desk: Desk) -> None:
    desk.works(desk.comes("ada"))
    desk.works(desk.comes("eve"), wrong=True)
    found = reconcile(desk.db, desk.stored)
    assert [one.participant for one in found.due] == ["ada"]
    assert (desk.visit("ada").outcome, desk.visit("eve").outcome) == ("completed", "failed")
    again = reconcile(desk.db, desk.stored)
    assert (again.due, again.reclaimed) == (found.due, 0)


def test_two_tries_at_the_comprehension_questions(desk: Desk) -> None:
    desk.comes("ada")
    assert arrivals.fail_once(desk.db, desk.stored, desk.visit("ada")) == 1
    assert arrivals.fail_once(desk.db, desk.stored, desk.visit("ada")) == 0
    assert desk.visit("ada").outcome == "failed"
    assert desk.comes("ada") == TurnedAway("over")


def test_a_paused_or_closed_study_takes_nobody_new_and_lets_the_others_finish(desk: Desk) -> None:
    desk.works(desk.comes("ada"), 3)
    desk.stored = calls.pause(desk.db, desk.stored, actor="lea")
    assert desk.comes("bo") == TurnedAway("paused")
    assert desk.comes("ada").participant == "ada"
    desk.stored = calls.close(desk.db, calls.resume(desk.db, desk.stored, actor="lea"), actor="lea")
    assert desk.comes("bo") == TurnedAway("closed")
    assert studies.find(desk.db, desk.campaign).state == "closed"
    lifecycle.close(desk.db, desk.campaign, actor="lea")
    assert desk.comes("ada").participant == "ada"
