"""What pages and reports show: counters, agreement and results, kept until something changes."""

from __future__ import annotations

import time

import pytest

from captious.campaigns.people import raters
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.results import analysis
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store import snapshots
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks, previous_task
from captious.protocols.simulation import SimulatedRater
from captious.stats import krippendorff_alpha


def _tag(db, campaign, rater, verdicts):
    """Answer with one verdict after the other, whatever is shown."""
    said = {}
    for verdict in verdicts:
        (task,) = next_tasks(db, campaign, rater)
        responses.respond(db, rater, task.token, {"verdict": verdict}, key=task.item.key, seconds=4)
        said[task.item.key] = verdict
    return said


def test_the_overview_counts_by_stage_and_tells_the_pace(db, make_campaign, clock, answers):
    campaign, (one, two) = make_campaign("thumb", images=4)
    for _ in range(3):
        (task,) = next_tasks(db, campaign, one)
        clock.move(60)
        responses.respond(db, one, task.token, answers(task.item), key=task.token, seconds=50)
    (task,) = next_tasks(db, campaign, two)
    view = analysis.overview(db, campaign)
    first, second = view.stages
    assert (first.stage, first.items, first.done, first.target) == ("first", 4, 3, 4)
    assert (second.stage, second.items, second.done, second.target) == ("second", 3, 0, 3)
    # Four images in two stages are 8 responses from the first day; the item of the eighth is not made yet.
    assert (view.done, view.target, view.to_come) == (3, 8, 1)
    assert (view.held, view.responses) == (1, 3)
    # Three responses a minute apart: two gaps in 120 s, 60 an hour, and five are left.
    assert view.per_hour == pytest.approx(60)
    assert view.hours_left == pytest.approx(5 / 60)
    assert view.mean_seconds == pytest.approx(50)
    assert view.last_activity == clock.now
    assert (view.raters, view.raters_active, view.raters_removed) == (2, 2, 0)
    raters.remove(db, one, reason="test", actor="lea")
    left = analysis.overview(db, campaign)
    # What only their answers called for is called for no more; the second stage that is being
    # answered stays.
    assert (left.done, left.raters_removed) == (0, 1)
    assert {stage.stage: stage.target for stage in left.stages} == {"first": 4, "second": 1}


def test_neither_decisions_nor_corrections_make_the_work_look_faster(db, make_campaign, clock):
    campaign, (one, two) = make_campaign("tagging", images=3, raters=2, two_rounds=False)
    for verdict, rater in (("minor", one), ("serious", two)):
        for _ in range(3):
            clock.move(60)
            _tag(db, campaign, rater, [verdict])
    before = analysis.overview(db, campaign)
    assert before.per_hour == pytest.approx(60)
    last = clock.now
    for at, split in enumerate(disagreements(db, campaign)):
        clock.move(1)
        adjudicate(db, campaign, split.item.key, {"verdict": "minor"}, actor="lea", key=f"d{at}")
    decided = analysis.overview(db, campaign)
    assert (decided.per_hour, decided.hours_left) == (before.per_hour, before.hours_left)
    assert decided.last_activity == last
    clock.move(1)
    responses.respond(db, two, previous_task(db, two).token, {"verdict": "minor"}, key="corrected", seconds=1)
    corrected = analysis.overview(db, campaign)
    assert corrected.per_hour == before.per_hour
    # A correction is a rater's response all the same.
    assert corrected.last_activity == clock.now


def test_pace_leaves_breaks_out():
    assert analysis.per_hour([]) is None
    assert analysis.per_hour([0.0, 30.0]) is None
    # Gaps of 36 s, a night, 36 s: 100 an hour.
    assert analysis.per_hour([0, 36, 50_000, 50_036]) == pytest.approx(100)


def test_agreement_is_that_of_the_statistics(db, make_campaign):
    campaign, (one, two) = make_campaign("tagging", images=3, raters=2, two_rounds=False)
    first = _tag(db, campaign, one, ["complete", "minor", "unrelated", "complete", "minor", "minor"])
    second = _tag(db, campaign, two, ["minor", "minor", "unrelated", "complete", "serious", "minor"])
    value = {"complete": 1.0, "minor": 0.5, "serious": 0.25, "unrelated": 0.0}
    pairs = [[value[first[key]], value[second[key]]] for key in first]
    shared, *_ = analysis.agreement(db, campaign).tables()
    found = {row[1]: row for row in shared.rows}
    assert found["alpha, interval"][2] == pytest.approx(krippendorff_alpha(pairs, "interval").value)
    assert found["per cent agreement"][2] == pytest.approx(sum(a == b for a, b in pairs) / 6)
    assert found["alpha, interval"][3] <= found["alpha, interval"][2] <= found["alpha, interval"][4]
    assert found["per cent agreement"][5] == 6


def test_thumb_tells_kappa_between_its_stages(db, make_campaign):
    campaign, _ = make_campaign("thumb", images=6, people=0)
    opinion = {"m1": 0.9, "m2": 0.3}
    people = [SimulatedRater(name, opinion, noise=0.4) for name in ("a", "b")]
    simulate(db, campaign, people, seed=2)
    (kappa,) = analysis.agreement(db, campaign).tables()
    assert kappa.title == "Kappa between first and second stage"
    rows = {row[0]: row for row in kappa.rows}
    assert rows["precision"][-1] == 12  # captions
    assert 0 < rows["precision"][1] < 1
    assert kappa.title in [table.title for table in analysis.result_tables(db, campaign)]


def test_tagging_tells_test_and_retest(db, make_campaign, clock):
    campaign, (one, two) = make_campaign("tagging", images=2, raters=2, interval=100.0)
    verdicts = ["complete", "minor", "serious", "unrelated"]
    for rater in (one, two):
        _tag(db, campaign, rater, verdicts)
    clock.move(200)
    for rater in (one, two):
        while tasks := next_tasks(db, campaign, rater):
            (task,) = tasks
            responses.respond(db, rater, task.token, {"verdict": "minor"}, key=task.item.key, seconds=4)
    titles = {table.title: table for table in analysis.agreement(db, campaign).tables()}
    retest = titles["Each rater's two rounds"]
    # Of the four verdicts one, "minor", was given again.
    assert [(row[0], row[5], row[6]) for row in retest.rows] == [("r001", 0.25, 4), ("r002", 0.25, 4)]
    assert [row[0] for row in titles["Each rater against the others"].rows] == ["r001", "r002"]


def test_a_statistic_is_kept_until_something_changes(db, make_campaign, clock):
    campaign, (one, two) = make_campaign("tagging", images=3, raters=2, two_rounds=False)
    _tag(db, campaign, one, ["minor"])
    empty = analysis.agreement(db, campaign)
    clock.move(1)
    _tag(db, campaign, two, ["minor"])
    first = analysis.agreement(db, campaign, fresh_within=3600)
    assert (empty.tables(), first.time) == ([], clock.now)  # what said nothing is not kept for its age
    clock.move(100)
    assert analysis.agreement(db, campaign).time == first.time  # nothing has changed
    _tag(db, campaign, one, ["serious"])
    clock.move(5)
    assert analysis.agreement(db, campaign, fresh_within=3600).time == first.time
    stale = snapshots.latest(db, campaign, "agreement")
    assert stale is not None
    assert stale.stale
    fresh = analysis.agreement(db, campaign, fresh_within=1)
    assert fresh.time == clock.now
    raters.remove(db, two, reason="test", actor="lea")  # no response, yet another result
    clock.move(5)
    assert analysis.agreement(db, campaign, fresh_within=1).time == clock.now


def test_a_page_need_not_wait(db, make_campaign):
    campaign, (one, two) = make_campaign("tagging", images=3, raters=2, two_rounds=False)
    _tag(db, campaign, one, ["minor"])
    _tag(db, campaign, two, ["minor"])
    asked = analysis.results(db, campaign, wait=False)
    assert (asked.time, asked.pending, asked.tables()) == (None, True, [])
    for _ in range(200):
        done = snapshots.latest(db, campaign, "results")
        if done is not None:
            break
        time.sleep(0.05)
    assert analysis.results(db, campaign, wait=False).tables() == analysis.result_tables(db, campaign)


def test_nothing_yet_is_no_error(db, make_campaign):
    for protocol in ("thumb", "humanr", "tagging", "audit", "generic"):
        campaign, _ = make_campaign(protocol, images=4, people=1, title=f"None {protocol}")
        assert analysis.agreement(db, campaign).tables() == []
        assert all(not table.rows for table in analysis.result_tables(db, campaign))
        assert [one.answered for one in analysis.rater_quality(db, campaign)] == [0]
        assert analysis.overview(db, campaign).per_hour is None
