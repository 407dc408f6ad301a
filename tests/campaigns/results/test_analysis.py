"""What pages and reports show: counters, agreement and results, kept until something changes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from captious.campaigns.people import raters
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.results import analysis
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks, previous_task
from captious.campaigns.work.responses import respond
from captious.protocols.simulation import SimulatedRater, Someone
from captious.stats import krippendorff_alpha
from captious.tables import Table


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


def test_a_coefficient_below_chance_is_named_with_its_aspect() -> None:
    columns = ("aspect", "coefficient", "value", "low", "high", "questions")
    rows = [("a", "per cent agreement", -1.0, 0, 0, 40), ("b", "alpha, nominal", -0.2, -0.4, 0.1, 40)]
    (table,) = analysis.noted([Table("Agreement", columns, rows, "intervals")])
    assert table.notes == [
        "intervals",
        "below 0, less agreement than by chance: b alpha, nominal; raters interpret these differently",
    ]
    sound = Table("Agreement", columns, [("b", "alpha, nominal", 0.7, 0.6, 0.8, 40)], "intervals")
    assert analysis.noted([sound]) == [sound]


def test_a_second_reader_who_changes_nothing_has_a_kappa_of_one_and_a_caveat(
    db: Database, make_campaign: Any, clock: Any
) -> None:
    campaign, (ada, boris) = make_campaign("thumb", images=4)
    opinion = {(f"i{image}", f"m{at}"): (image + at) / 5 for image in range(4) for at in (1, 2)}
    someone = Someone(SimulatedRater("Ada", opinion), np.random.default_rng(1))
    for _ in range(4):
        (task,) = next_tasks(db, campaign, ada)
        clock.move(60)
        given = campaign.rules().simulated(task.item, someone)
        respond(db, ada, task.token, given, key=task.token, seconds=60)
    for _ in range(4):
        (task,) = next_tasks(db, campaign, boris)
        done = respond(db, boris, task.token, dict(task.item.prior), key=task.token, seconds=0.8)
        assert not isinstance(done, list), done
    table = next(one for one in analysis.agreement(db, campaign).tables() if "Kappa" in one.title)
    row = dict(zip(table.columns, next(row for row in table.rows if row[0] == "precision"), strict=True))
    assert row["at once"] == 0.0  # nothing was left untouched
    assert (row["kappa"], row["changed"], row["median seconds"], row["captions"]) == (1.0, 0.0, 0.8, 8)
    assert any("no score was changed" in note for note in table.notes)
    assert any("based on few captions (fewer than 10)" in note for note in table.notes)


@pytest.mark.parametrize("protocol", ["humanr", "generic"])
def test_an_adjudicated_item_weighs_as_much_as_any_other(
    db: Database, make_campaign: Any, protocol: str
) -> None:
    options = {"target": 2, "baseline": False} if protocol == "humanr" else {}
    campaign, people = make_campaign(protocol, images=8, people=6, **options)
    worst = {}
    for person in people:
        while tasks := next_tasks(db, campaign, person):
            for task in tasks:
                (field, *_) = task.item.form.fields
                middle = (field.low + field.high) / 2
                if task.item.check:
                    middle = field.low if task.item.check == "right" else field.high
                elif not worst:
                    worst = {"key": task.item.key, "field": field.name, "high": field.high}
                respond(db, person, task.token, {field.name: middle}, key=task.token, seconds=5.0)
    before = analysis.tables_of(campaign, *analysis.counting(db, campaign))[0]
    adjudicate(db, campaign, worst["key"], {worst["field"]: worst["high"]}, actor="lea", key="d")
    tables = analysis.tables_of(campaign, *analysis.counting(db, campaign))
    after = next(one for one in tables if one.title.endswith(", after adjudication"))
    value = list(after.columns).index("humanr" if protocol == "humanr" else "mean")
    moved = [abs(b[value] - a[value]) for a, b in zip(before.rows, after.rows, strict=True)]
    # All said the middle of the scale. One of a system's 8 items goes to an end: by 1 of -1 to 1, or by 2
    # of 1 to 5. An eighth of that is the mean's way; a decision that counted for one of 16 answers would
    # move it by half as much, of 15 answers by 1/15.
    assert max(moved) == pytest.approx((1 if protocol == "humanr" else 2) / 8)
