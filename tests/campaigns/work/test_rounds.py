from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.errors import InputError
from captious.protocols.thumb.rounds import audit_result


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
