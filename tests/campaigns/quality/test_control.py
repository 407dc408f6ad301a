"""Rules on a running campaign: who is flagged, why, and that every decision can be taken back."""

from __future__ import annotations

import math

import pytest

from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse, store
from captious.campaigns.people import raters
from captious.campaigns.quality import control as quality
from captious.campaigns.records import NewRater, Settings
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import log
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks
from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.base import draws
from captious.protocols.simulation import SimulatedRater, Someone

OPINION = {"m1": 0.9, "m2": 0.2}


PEOPLE = (
    SimulatedRater("careful", OPINION, noise=0.15, seconds=9),
    SimulatedRater("also careful", OPINION, noise=0.15, seconds=9),
    SimulatedRater("hasty", OPINION, habit="same", seconds=0.8),
    SimulatedRater("random", OPINION, habit="random", seconds=9),
)


@pytest.fixture
def tagged(db):
    """Eighty captions by two careful raters, one who answers in a blink, one who does not look."""
    corpus = Corpus.from_lists(
        [f"Dog {k} of {system}." for k in range(40) for system in OPINION],
        image_ids=[f"i{k}" for k in range(40) for _ in OPINION],
        systems=[*OPINION] * 40,
    )
    options = {"raters": 4, "two_rounds": False}
    draft = create.draft("tagging", corpus, title="Dogs", options=options)
    rng = draws(5, "tagged")
    rows = [
        ImportedResponse(
            id=len(draft.items) * person + at,
            key=item.key,
            item=item.key,
            rater=f"r{person + 1:03d}",
            answers=draft.rules().simulated(item, Someone(one, rng)),
            time=1000.0 + at,
            seconds=float(rng.uniform(0.5, 1.5) * one.seconds),
        )
        for person, one in enumerate(PEOPLE)
        for at, item in enumerate(draft.items)
    ]
    people = [ImportedRater(f"r{k:03d}", one.name) for k, one in enumerate(PEOPLE, 1)]
    return store(db, Imported(draft, people, rows), actor="lea")


def test_rules_point_at_those_who_do_not_look_and_at_nobody_else(db, tagged):
    found = quality.run_quality(db, tagged)
    pointed = {(flag.rater, flag.rule) for flag in found}
    # One who always gives "minor" has no spread for a correlation.
    assert pointed == {
        ("r003", "minimum-time"),
        ("r003", "straight-line"),
        ("r003", "one-value"),
        ("r004", "consensus"),
    }
    hasty = next(flag for flag in found if flag.rule == "straight-line")
    assert hasty.explanation.startswith("Gave the same answer 80 times in a row. Others give it ")
    assert hasty.evidence["run"] == 80
    numbers = {one.rater: one for one in analysis.rater_quality(db, tagged)}
    assert numbers["r003"].longest_run == 80
    assert math.isnan(numbers["r003"].agreement)
    assert numbers["r001"].agreement > 0.5
    assert numbers["r004"].agreement < 0.3
    assert (numbers["r001"].answered, numbers["r001"].shared) == (80, 80)


def test_a_flag_is_upheld_dismissed_and_upheld_again(db, tagged):
    quality.run_quality(db, tagged)
    flag = next(f for f in quality.flags(db, tagged) if f.rule == "consensus")

    def counted() -> int:
        return len(responses.latest_responses(db, tagged)[1])

    assert counted() == 320
    now_decided = quality.decide(db, flag.id, "upheld", actor="lea")
    assert (now_decided.id, now_decided.decision, now_decided.decided_by, now_decided.decided_at) == (
        flag.id,
        "upheld",
        "lea",
        db.now(),
    )
    assert counted() == 240
    assert raters.listed(db, tagged)[3].reason.startswith(
        "consensus: Correlation with the mean of the other raters"
    )
    quality.decide(db, flag.id, "dismissed", actor="ben")
    assert counted() == 320
    assert raters.listed(db, tagged)[3].state == "active"
    quality.decide(db, flag.id, "upheld", actor="lea")
    assert counted() == 240
    decided = next(f for f in quality.flags(db, tagged) if f.id == flag.id)
    assert (decided.decision, decided.decided_by) == ("upheld", "lea")
    said = [(e.actor, e.detail["decision"]) for e in log.entries(db, tagged) if e.action == "decide flag"]
    assert said == [("lea", "upheld"), ("ben", "dismissed"), ("lea", "upheld")]


def test_running_again_keeps_decisions_and_adds_nothing(db, tagged):
    quality.run_quality(db, tagged)
    flag = next(f for f in quality.flags(db, tagged) if f.rule == "minimum-time")
    quality.decide(db, flag.id, "dismissed", actor="lea")
    before = quality.flags(db, tagged)
    quality.run_quality(db, tagged)
    after = quality.flags(db, tagged)
    assert [(f.id, f.decision) for f in before] == [(f.id, f.decision) for f in after]


def test_an_undecided_flag_goes_with_its_reason(db, tagged):
    quality.run_quality(db, tagged)
    looser = Settings(minimum_seconds=0.0, straight_line=1000)
    campaign = lifecycle.change_settings(db, tagged, looser, actor="lea")
    quality.run_quality(db, campaign)
    assert {flag.rule for flag in quality.flags(db, campaign)} == {"one-value", "consensus"}


def test_who_was_removed_by_hand_is_not_taken_back_by_a_dismissal(db, tagged):
    quality.run_quality(db, tagged)
    person = raters.listed(db, tagged)[2]
    raters.remove(db, person, reason="asked to", actor="lea")
    flag = next(f for f in quality.flags(db, tagged) if f.rule == "minimum-time")
    quality.decide(db, flag.id, "dismissed", actor="lea")
    assert raters.find(db, tagged, person.id).state == "removed"


def test_of_two_upheld_flags_both_must_be_dismissed(db, tagged):
    quality.run_quality(db, tagged)
    own = [f for f in quality.flags(db, tagged) if f.rater == "r003"]
    for flag in own:
        quality.decide(db, flag.id, "upheld", actor="lea")
    states = []
    for flag in own:
        quality.decide(db, flag.id, "dismissed", actor="lea")
        states.append(raters.find(db, tagged, flag.rater_id).state)
    assert states == ["removed", "removed", "active"]


def test_a_floor_of_the_campaign_stands_above_the_automatic_one(db, tagged):
    strict = lifecycle.change_settings(
        db, tagged, Settings(consensus_floor=0.999, minimum_seconds=0.0), actor="lea"
    )
    found = {f.rater for f in quality.run_quality(db, strict) if f.rule == "consensus"}
    assert found == {"r001", "r002", "r004"}


def test_gold_items_are_checked_with_their_tolerance(db):
    corpus = Corpus.from_lists(
        [f"Dog {k}." for k in range(4)], image_ids=[f"i{k}" for k in range(4)], systems=["m"] * 4
    )
    keys = [item.key for item in create.draft("tagging", corpus, title="Gold").items]
    gold = {key: {"verdict": ["minor", "serious"]} for key in keys[:3]}
    draft = create.draft(
        "tagging", corpus, title="Gold", gold=gold, options={"raters": 2, "two_rounds": False}
    )
    campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    right, wrong = raters.add(db, campaign, [NewRater("a"), NewRater("b")], actor="lea")
    for rater, verdict in ((right, "serious"), (wrong, "complete")):
        while tasks := next_tasks(db, campaign, rater):
            responses.respond(
                db, rater, tasks[0].token, {"verdict": verdict}, key=tasks[0].item.key, seconds=9
            )
    (flag,) = quality.run_quality(db, campaign)
    assert (flag.rater, flag.rule) == (wrong.pseudonym, "gold")
    assert flag.explanation.startswith("Answered 0 of 3 items with known answers")
    assert sorted(flag.evidence["wrong"]) == sorted(keys[:3])
    numbers = {one.rater: one for one in analysis.rater_quality(db, campaign)}
    assert (numbers["r001"].gold, numbers["r001"].gold_right) == (3, 3)


def test_a_flag_that_is_not_there_is_refused(db):
    with pytest.raises(InputError, match="flag 99: no flag has this number"):
        quality.decide(db, 99, "upheld", actor="lea")
    with pytest.raises(InputError, match='decision "maybe"'):
        quality.decide(db, 1, "maybe", actor="lea")  # type: ignore[arg-type]


def test_check_rater_says_what_the_answer_to_the_check_said(db, make_campaign, failing_answers, answers):
    campaign, (rater, other) = make_campaign("humanr", images=12)
    for person, wrong in ((rater, True), (other, False)):
        for task in next_tasks(db, campaign, person):
            given = failing_answers if wrong and task.item.check else answers
            responses.respond(db, person, task.token, given(task.item), key=task.token)
    found = quality.check_rater(db, campaign, rater)
    assert found is not None
    assert found.rule == "attention"
    assert raters.find(db, campaign, rater.id).state == "removed"
    assert quality.check_rater(db, campaign, other) is None
