"""Surveys and a changed consent text as a rater meets them on pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from captious.campaigns.entry import surveys
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle

BEFORE = 'questions: [{aspect: english, ask: "How well do you read English?", low: 1, high: 5}]'
AFTER = 'questions: [{aspect: remarks, ask: "Anything to add?", text: true, optional: true}]'


def test_questions_come_once_before_the_work_and_once_after(site: Any, answer_pairs: Any) -> None:
    campaign = site.campaign(
        images=1, raters=1, two_rounds=False, settings=Settings(survey_before=BEFORE, survey_after=AFTER)
    )
    visitor, rater = site.rater(campaign)
    assert visitor.client.get(f"/work/{campaign.slug}").url.path == f"/begin/{campaign.slug}/survey"
    page = visitor.page(f"/begin/{campaign.slug}/survey")
    assert "How well do you read English?" in page.text
    csrf = page.hidden("csrf")
    empty = visitor.post(f"/begin/{campaign.slug}/survey", data={"csrf": csrf})
    assert (empty.status_code, "No answer." in empty.text) == (422, True)
    sent = visitor.post(f"/begin/{campaign.slug}/survey", data={"csrf": csrf, "english": "4"})
    assert sent.headers["location"] == f"/begin/{campaign.slug}"
    for _ in range(2):  # both captions of the one image
        task = site.task(campaign, rater)
        page = visitor.page(f"/work/{campaign.slug}")
        data = {"csrf": page.hidden("csrf"), "key": page.hidden("key"), **answer_pairs(task)}
        assert visitor.post(page.action(), data=data).status_code == 303
    done = visitor.client.get(f"/work/{campaign.slug}")
    assert done.url.path == f"/begin/{campaign.slug}/after"
    assert "Anything to add?" in done.text
    visitor.post(f"/begin/{campaign.slug}/after", data={"csrf": csrf, "remarks": "Too many dogs."})
    assert visitor.client.get(f"/work/{campaign.slug}").url.path == f"/work/{campaign.slug}"
    found = [(one.moment, one.answers) for one in surveys.answers(site.db, campaign)]
    assert found == [("before", {"english": 4.0}), ("after", {"remarks": "Too many dogs."})]


def test_a_consent_text_that_changes_is_asked_for_again_in_the_middle(site: Any) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    changed = replace(campaign.settings, consent="We now keep your answers for ten years.")
    campaign = lifecycle.change_settings(site.db, campaign, changed, actor="lea")
    # The answer in hand is taken; what follows it is the text.
    data = {"csrf": page.hidden("csrf"), "key": page.hidden("key"), "verdict": "minor"}
    assert visitor.post(page.action(), data=data).headers["location"] == f"/work/{campaign.slug}"
    page = visitor.page(f"/work/{campaign.slug}")
    assert "for ten years" in page.text
    csrf, here = page.hidden("csrf"), f"/begin/{campaign.slug}/consent"
    assert visitor.post(here, data={"csrf": csrf}).status_code == 422
    sent = visitor.post(here, data={"csrf": csrf, "consent": campaign.settings.consent_version})
    assert sent.headers["location"] == f"/begin/{campaign.slug}"
    assert visitor.client.get(f"/work/{campaign.slug}").url.path == f"/work/{campaign.slug}"
