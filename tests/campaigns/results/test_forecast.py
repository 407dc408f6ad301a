"""The verdict's number of raters, held against what happens when raters work by the rules of assignment."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.results import analysis
from captious.campaigns.results.forecast import Unit, Worker, hours_left, reach
from captious.campaigns.results.outlook import Outlook, outlook
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond


def outlook_of(db: Database, campaign: Campaign) -> Outlook:
    return outlook(db, campaign, analysis.overview(db, campaign))


def work(db: Database, campaign: Campaign, people: list[Rater], answers: Any) -> None:
    """Everyone answers in turn, a group each, until nobody is given anything more."""
    busy = True
    while busy:
        busy = False
        for person in people:
            for task in next_tasks(db, campaign, person):
                busy = True
                respond(db, person, task.token, answers(task.item), key=task.token, seconds=5.0)


# Two systems, ten images and two answers are 40 comparisons; a rater gives 9 and a check, and five give
# 45. THumB's second stage is another's work. Three verdicts a caption are three raters'.
@pytest.mark.parametrize(
    ("protocol", "images", "people", "more", "options"),
    [
        ("humanr", 10, 1, 4, {"target": 2, "baseline": False}),
        ("humanr", 10, 2, 3, {"target": 2, "baseline": False}),
        ("thumb", 3, 1, 1, {}),
        ("tagging", 3, 2, 1, {"raters": 3, "two_rounds": False}),
        ("generic", 3, 2, 0, {}),
    ],
)
def test_with_as_many_more_raters_as_the_verdict_says_it_is_finished(
    db: Database,
    make_campaign: Any,
    answers: Any,
    protocol: str,
    images: int,
    people: int,
    more: int,
    options: dict[str, Any],
) -> None:
    campaign, there = make_campaign(protocol, images=images, people=people, **options)
    before = outlook_of(db, campaign)
    assert before.reach.more_raters == more
    assert before.reach.can_finish == (more == 0)
    work(db, campaign, there, answers)
    after = outlook_of(db, campaign)
    if more:
        assert after.hours_left is None
        assert after.unknown == "more raters are needed first"
        assert {one.why for one in after.stuck} == {"out of work"}
        # With one fewer than that it cannot be finished.
        few = [NewRater(f"Few {at}") for at in range(after.reach.more_raters - 1)]
        work(db, campaign, raters.add(db, campaign, few, actor="lea"), answers)
        assert analysis.overview(db, campaign).done < analysis.overview(db, campaign).target
        work(db, campaign, raters.add(db, campaign, [NewRater("Last")], actor="lea"), answers)
    view = analysis.overview(db, campaign)
    assert (view.done, outlook_of(db, campaign).reach.missing) == (view.target, 0)


def test_humanr_with_two_raters_of_whom_one_was_removed_cannot_finish(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    # 10 images, two systems without a baseline, target 1: 20 comparisons, two of each image. One rater
    # gives 9, three together 27; one is left, so that two more are needed.
    campaign, (ada, boris) = make_campaign("humanr", images=10, people=2, target=1, baseline=False)
    assert outlook_of(db, campaign).reach.more_raters == 1
    work(db, campaign, [ada], answers)
    raters.remove(db, boris, reason="left", actor="lea")
    found = outlook_of(db, campaign)
    assert (found.reach.missing, found.reach.reachable, found.reach.more_raters) == (11, 0, 2)
    assert (found.able, found.hours_left) == (0, None)
    raters.reinstate(db, boris, actor="lea")
    assert outlook_of(db, campaign).reach.more_raters == 1


def test_what_was_promised_is_what_is_counted_from_the_first_answer_to_the_last(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    campaign, people = make_campaign("thumb", images=5, people=2)
    promised = campaign.rules().asked(5).responses
    assert promised == 10
    seen = {analysis.overview(db, campaign).target}
    for _ in range(promised):
        for person in people:
            for task in next_tasks(db, campaign, person)[:1]:
                respond(db, person, task.token, answers(task.item), key=task.token, seconds=5.0)
                seen.add(analysis.overview(db, campaign).target)
    assert seen == {10}
    assert analysis.overview(db, campaign).done == 10


def test_a_second_round_waits_for_its_own_raters(
    db: Database, make_campaign: Any, clock: Any, answers: Any
) -> None:
    campaign, (ada, boris) = make_campaign("tagging", images=1, people=2, raters=2)
    begun = clock.now
    work(db, campaign, [ada, boris], answers)
    found = outlook_of(db, campaign)
    # Two captions by two raters, once more each in six weeks.
    assert (found.reach.missing, found.reach.can_finish, found.able) == (4, True, 2)
    assert found.waits_until == pytest.approx(begun + campaign.rules().interval, abs=60)  # type: ignore[attr-defined]
    assert [one.why for one in found.stuck] == ["waits", "waits"]
    raters.remove(db, boris, reason="left", actor="lea")
    # His verdicts and their second round are wanted of somebody else now.
    assert outlook_of(db, campaign).reach.more_raters == 1


def test_a_quota_is_room_and_its_end_is_said(db: Database, make_campaign: Any, answers: Any) -> None:
    campaign, _ = make_campaign("tagging", images=4, people=0, raters=1, two_rounds=False)
    with db.write() as connection:
        (one,) = raters.add_within(
            connection, campaign, [NewRater("Five")], actor="lea", now=db.now(), quota=5
        )
    # Eight captions of which one rater gives five.
    found = outlook_of(db, campaign)
    assert (found.reach.missing, found.reach.reachable, found.reach.more_raters) == (8, 5, 1)
    work(db, campaign, [one], answers)
    assert [one.why for one in outlook_of(db, campaign).stuck] == ["quota reached"]


def test_who_never_came_and_who_stayed_away_are_named(
    db: Database, make_campaign: Any, clock: Any, answers: Any
) -> None:
    campaign, (ada, boris) = make_campaign("tagging", images=3, people=2, raters=2, two_rounds=False)
    (task,) = next_tasks(db, campaign, ada)
    respond(db, ada, task.token, answers(task.item), key="k", seconds=5.0)
    assert outlook_of(db, campaign).stuck == ()
    clock.move(25 * 3600)
    assert {one.rater: one.why for one in outlook_of(db, campaign).stuck} == {
        ada.pseudonym: "idle",
        boris.pseudonym: "never came",
    }


def test_work_for_raters_who_are_gone_is_not_mended_by_new_ones() -> None:
    found = reach([Unit(2, 0, closed_list=True), Unit(1, 1)], [1], of_new=1)
    assert (found.orphaned, found.more_raters, found.can_finish) == (2, 0, False)


def test_the_time_left_is_that_of_those_who_have_room() -> None:
    # 12 an hour and 6 an hour give 18 in the first hour; then the first has no room, 6 are left: an hour.
    assert hours_left(24, [Worker(12.0, 12), Worker(6.0, 99)]) == pytest.approx(2.0)
    assert hours_left(24, [Worker(12.0, 12), Worker(6.0, 5)]) is None
    # Whose pace is not known yet works at the median of the others.
    assert hours_left(20, [Worker(10.0, 99), Worker(None, 99)]) == pytest.approx(1.0)
    assert hours_left(0, []) == 0.0
