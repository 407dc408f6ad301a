"""Surveys: once before the work and once after, stored for good, asked again when they change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from captious.campaigns.entry import surveys, training
from captious.campaigns.people import raters
from captious.campaigns.records import ConsentNeeded, Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.errors import InputError

BEFORE = """
questions:
  - {aspect: english, ask: "How well do you read English?", low: 1, high: 5, labels: {1: A little, 5: Native}}
  - {aspect: glasses, ask: "Do you wear glasses?", options: [yes, no]}
  - {aspect: remarks, ask: "Anything else?", text: true, optional: true}
"""


def test_answers_are_kept_once_with_the_version_of_the_questions(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign(settings=Settings(survey_before=BEFORE))
    assert training.pending(db, campaign, ada) == "survey"
    wrong = surveys.answer(db, campaign, ada, "before", {"english": 6, "glasses": "Yes"})
    assert [problem.field for problem in wrong] == ["english"]
    assert surveys.answer(db, campaign, ada, "before", {"english": "4", "glasses": "Yes"}) == []
    assert surveys.answer(db, campaign, ada, "before", {"english": "1", "glasses": "No"}) == []
    (kept,) = surveys.answers(db, campaign)
    assert (kept.rater, kept.moment, kept.answers) == ("r001", "before", {"english": 4.0, "glasses": "Yes"})
    assert training.pending(db, campaign, ada) is None
    changed = replace(campaign.settings, survey_before=BEFORE.replace("English", "French"))
    later = lifecycle.change_settings(db, campaign, changed, actor="lea")
    assert training.pending(db, later, raters.find(db, campaign, ada.id)) == "survey"


def test_a_survey_after_the_work_does_not_hold_anyone_up(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign(settings=Settings(survey_after=BEFORE))
    assert training.pending(db, campaign, ada) is None
    assert surveys.is_open(db, campaign, ada, "after")
    assert not surveys.is_open(db, campaign, ada, "before")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("questions: []", "is empty or missing"),
        ('questions: [{aspect: a, ask: "b?", options: [one]}]', "two or more"),
        ('questions: [{aspect: a, ask: "b?"}, {aspect: a, ask: "c?"}]', "asked twice"),
        ('questions: [{ask: "b?"}]', '"aspect" is missing'),
        ('questions: [{aspect: a, ask: "b?", choices: [x]}]', "choices"),
    ],
)
def test_a_survey_that_makes_no_sense_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=f"survey_before: line 1: .*{said}"):
        Settings(survey_before=text)


def test_consent_comes_first_and_every_agreement_stays_in_the_log(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign(settings=Settings(consent="You may stop.", survey_before=BEFORE))
    assert training.pending(db, campaign, ada) == "consent"
    with pytest.raises(ConsentNeeded):
        raters.agree(db, campaign, ada, "another text")
    first = campaign.settings.consent_version
    raters.agree(db, campaign, ada, first)
    assert training.pending(db, campaign, raters.find(db, campaign, ada.id)) == "survey"
    newer = lifecycle.change_settings(
        db, campaign, replace(campaign.settings, consent="You may stop at once."), actor="lea"
    )
    assert training.pending(db, newer, raters.find(db, campaign, ada.id)) == "consent"
    raters.agree(db, newer, raters.find(db, campaign, ada.id), newer.settings.consent_version)
    kept = raters.find(db, campaign, ada.id)
    assert kept.consent_version == newer.settings.consent_version
    versions = [one.detail["version"] for one in log.entries(db, campaign) if one.action == "consent"]
    assert sorted(versions) == sorted([first, newer.settings.consent_version])
