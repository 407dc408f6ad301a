from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater, Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError
from captious.protocols.thumb.rounds import audit_result

CORPUS = Corpus.from_lists(["A dog."], [["Dog.", "The dog."]], image_ids=["1"])
MORE = Corpus.from_lists(
    ["A dog.", "A cat."], [["Dog.", "The dog."], ["Cat.", "The cat."]], image_ids=["1", "2"]
)


def test_a_campaign_goes_its_way(db: Database, clock) -> None:
    made = create.create(db, create.draft("tagging", CORPUS, title="Dogs"), actor="lea")
    assert (made.state, made.opened, made.closed) == ("draft", None, None)
    clock.move(10)
    opened = lifecycle.open_campaign(db, made, actor="lea")
    assert (opened.state, opened.opened) == ("open", clock.now)
    first = clock.now
    clock.move(10)
    paused = lifecycle.pause(db, opened, actor="lea")
    resumed = lifecycle.resume(db, paused, actor="lea")
    assert (paused.state, resumed.state, resumed.opened) == ("paused", "open", first)
    closed = lifecycle.close(db, resumed, actor="mia")
    assert (closed.state, closed.closed) == ("closed", clock.now)
    again = lifecycle.resume(db, closed, actor="lea")
    assert (again.state, again.closed) == ("open", None)
    actions = [(entry.actor, entry.action) for entry in log.entries(db, made)]
    assert actions == [
        ("lea", "resume"),
        ("mia", "close"),
        ("lea", "resume"),
        ("lea", "pause"),
        ("lea", "open"),
        ("lea", "create"),
    ]


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([], lifecycle.pause),
        ([], lifecycle.resume),
        ([], lifecycle.close),
        ([lifecycle.open_campaign], lifecycle.open_campaign),
        ([lifecycle.open_campaign], lifecycle.resume),
        ([lifecycle.open_campaign, lifecycle.pause], lifecycle.pause),
        ([lifecycle.open_campaign, lifecycle.close], lifecycle.close),
    ],
)
def test_wrong_steps_are_refused(db: Database, steps, wrong) -> None:
    campaign = create.create(db, create.draft("tagging", CORPUS, title="Dogs"), actor="lea")
    for step in steps:
        campaign = step(db, campaign, actor="lea")
    with pytest.raises(InputError, match=f"it is {campaign.state}"):
        wrong(db, campaign, actor="lea")
    assert lifecycle.by_id(db, campaign.id).state == campaign.state


def test_campaigns_are_found(db: Database) -> None:
    one = create.create(db, create.draft("tagging", CORPUS, title="Dogs"), actor="lea")
    two = create.create(db, create.draft("audit", CORPUS, title="Cats"), actor="lea")
    assert lifecycle.listed(db) == [two, one]
    assert lifecycle.find(db, "dogs") == one == lifecycle.by_id(db, one.id)
    with pytest.raises(UnknownNameError, match='Did you mean "dogs"'):
        lifecycle.find(db, "dog")
    with pytest.raises(UnknownNameError):
        lifecycle.find(db, "' OR '1'='1")
    with pytest.raises(InputError):
        lifecycle.by_id(db, 99)


def test_more_responses_are_asked_for(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("tagging", images=1, people=3, raters=1, two_rounds=False)
    for rater in people:
        while tasks := assignment.next_tasks(db, campaign, rater):
            responses.respond(db, rater, tasks[0].token, answers(tasks[0].item), key=tasks[0].token)
    assert len(responses.latest_responses(db, campaign)[1]) == 2
    lifecycle.extend(db, campaign, target=2, actor="lea")
    (task,) = assignment.next_tasks(db, campaign, people[1])
    assert task.item.target == 2
    with pytest.raises(InputError, match="is below 2"):
        lifecycle.extend(db, campaign, target=1, actor="lea")


def test_more_items_are_added_and_old_ones_stay(db: Database) -> None:
    for protocol in ("humanr", "thumb"):
        first = MORE if protocol == "humanr" else CORPUS
        draft = create.draft(protocol, first, title=protocol)
        campaign = create.create(db, draft, actor="lea")
        before = responses.items(db, campaign)
        bigger = Corpus.from_lists(
            [*MORE.captions, "A pig."],
            [["Dog.", "The dog."], ["Cat.", "The cat."], ["Pig.", "The pig."]],
            image_ids=["1", "2", "3"],
        )
        lifecycle.extend(db, campaign, corpus=bigger, actor="lea")
        after = responses.items(db, campaign)
        assert after[: len(before)] == before
        assert {item.image for item in after} == {"1", "2", "3"}
        entry = log.entries(db, campaign, limit=1)[0]
        assert entry.detail == {"target": None, "new items": len(after) - len(before)}


def test_other_captions_of_an_image_are_refused_wherever_they_stand(db: Database, monkeypatch) -> None:
    monkeypatch.setattr(lifecycle, "MANY", 2)  # several questions to the database
    images = [str(at) for at in range(5)]
    own = [f"A dog {at}." for at in images]
    campaign = create.create(
        db, create.draft("thumb", Corpus.from_lists(own, image_ids=images), title="Dogs"), actor="lea"
    )
    same = Corpus.from_lists([*own, "A pig."], image_ids=[*images, "5"])
    lifecycle.extend(db, campaign, corpus=same, actor="lea")
    assert lifecycle.count_items(db, campaign) == 6
    for changed in (0, 4):
        captions = [f"A cat {at}." if place == changed else own[place] for place, at in enumerate(images)]
        with pytest.raises(InputError, match=f'image "{changed}": .* other captions. Give all'):
            lifecycle.extend(db, campaign, corpus=Corpus.from_lists(captions, image_ids=images), actor="lea")
    assert lifecycle.count_items(db, campaign) == 6


def test_thumb_has_one_rater_a_stage(db: Database) -> None:
    campaign = create.create(db, create.draft("thumb", CORPUS, title="Dogs"), actor="lea")
    with pytest.raises(InputError, match="one rater per stage"):
        lifecycle.extend(db, campaign, target=2, actor="lea")


def test_settings_and_title_change_and_are_logged(db: Database) -> None:
    campaign = create.create(db, create.draft("tagging", CORPUS, title="Dogs"), actor="lea")
    changed = lifecycle.change_settings(
        db, campaign, Settings(hold_seconds=60, contact="lea@example.org"), actor="lea"
    )
    assert changed.settings == Settings(hold_seconds=60, contact="lea@example.org")
    assert lifecycle.rename(db, changed, "  More   dogs ", actor="lea").title == "More dogs"
    rename, change, _ = log.entries(db, campaign)
    assert change.detail == {"hold_seconds": 60, "contact": "lea@example.org"}
    assert rename.detail == {"title": "More dogs"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"hold_seconds": 0},
        {"link_days": -1},
        {"minimum_seconds": -0.5},
        {"colour": "red"},
        {"hold_seconds": "long"},
        {"hourly_wage": float("nan")},
        {"link_days": True},
    ],
)
def test_wrong_settings_are_one_line(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError) as error:
        Settings.from_dict(wrong)
    assert "\n" not in str(error.value)


def work_off(db, campaign, people, answers) -> None:
    for _ in range(2):
        for rater in people:
            while tasks := assignment.next_tasks(db, campaign, rater):
                for task in tasks:
                    responses.respond(db, rater, task.token, answers(task.item), key=task.token)


def test_an_audit_is_for_a_third_annotator(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("thumb", images=3)
    with pytest.raises(InputError, match="no caption has been through the second stage"):
        lifecycle.start_round(db, campaign, "audit", actor="lea")
    work_off(db, campaign, people, answers)
    items = lifecycle.start_round(db, campaign, "audit", captions=4, actor="lea")
    assert sum(len(item.captions) for item in items) == 4
    for rater in people:
        assert assignment.next_tasks(db, campaign, rater) == []
    (third,) = raters.add(db, campaign, [NewRater("Third")], actor="lea")
    work_off(db, campaign, [third], answers)
    audit = audit_result(*responses.latest_responses(db, campaign))
    assert (audit.captions, audit.changed) == (4, 0)
    # Asked again, it adds nothing that is there.
    again = lifecycle.start_round(db, campaign, "audit", captions=4, actor="lea")
    assert [item.key for item in again] == [item.key for item in items]
    assert assignment.next_tasks(db, campaign, third) == []


def test_a_native_speaker_judges_fluency(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("thumb", images=2)
    with pytest.raises(InputError, match="no rater is marked"):
        lifecycle.start_round(db, campaign, "fluency", actor="lea")
    (ada,) = raters.add(db, campaign, [NewRater("Ada", native=True)], actor="lea")
    with pytest.raises(InputError, match="no caption needs it"):
        lifecycle.start_round(db, campaign, "fluency", actor="lea")
    work_off(db, campaign, people, answers)
    assert len(lifecycle.start_round(db, campaign, "fluency", actor="lea")) == 2
    for rater in people:
        assert assignment.next_tasks(db, campaign, rater) == []
    # A native speaker who comes later is let in when the round is started again.
    (bob,) = raters.add(db, campaign, [NewRater("Bob", native=True)], actor="lea")
    assert assignment.next_tasks(db, campaign, bob) == []
    (held,) = assignment.next_tasks(db, campaign, ada)
    assert held.item.stage == "fluency"
    assert all(field.name.endswith(".fluency") for field in held.item.form.fields)
    lifecycle.start_round(db, campaign, "fluency", actor="lea")
    (other,) = assignment.next_tasks(db, campaign, bob)
    assert other.item.key != held.item.key
    work_off(db, campaign, [ada, bob], answers)
    with pytest.raises(InputError, match="no caption needs it"):
        lifecycle.start_round(db, campaign, "fluency", actor="lea")


def test_other_protocols_have_no_such_round(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign("tagging")
    with pytest.raises(InputError, match='unknown round of tagging "audit"'):
        lifecycle.start_round(db, campaign, "audit", actor="lea")
