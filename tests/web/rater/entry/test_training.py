"""The training as a rater meets it on pages: examples, what was expected and why, passing and failing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from captious.campaigns.entry import training
from captious.campaigns.entry.training_files import training_of
from captious.campaigns.people import raters
from captious.campaigns.records import Campaign
from captious.campaigns.setup import lifecycle
from captious.campaigns.setup.lifecycle import set_training

TEXT = """
examples:
  - image: tabby.jpg
    caption: A cat.
    answers: {verdict: [incomplete, complete]}
    why: It says nothing about <how> it looks.
  - {image: moonwalk.jpg, caption: A city., answers: {verdict: unrelated}, why: {verdict: No city.}}
"""


@pytest.fixture
def campaign(site: Any) -> Campaign:
    """A campaign with two examples, both of which must be right, in two tries."""
    made = site.campaign()
    found = set_training(site.db, made, training_of(TEXT, made.rules()), actor="lea")
    return lifecycle.change_settings(site.db, found, replace(found.settings, training_pass=1.0), actor="lea")


def begin(visitor: Any, slug: str) -> str:
    """Where the work leads, through all redirects."""
    return str(visitor.client.get(f"/work/{slug}").url.path)


def answer(visitor: Any, address: str, verdict: str, **headers: str) -> Any:
    page = visitor.page(address)
    data = {"csrf": page.hidden("csrf"), "key": page.hidden("key"), "verdict": verdict}
    return visitor.post(address, data=data, headers=headers)


def test_a_rater_learns_passes_and_begins(site: Any, campaign: Campaign) -> None:
    visitor, rater = site.rater(campaign)
    here = f"/begin/{campaign.slug}/training"
    assert begin(visitor, campaign.slug) == here
    intro = visitor.page(here)
    assert "You will see 2 examples" in intro.text
    assert "give 100% of the expected answers" in intro.text
    assert "You have 2 tries" in intro.text
    first = visitor.page(f"{here}/1/1")
    assert "Training: example 1 of 2" in first.text
    (picture,) = [one for tag, one in first.tags if tag == "img" and "/images/" in one.get("src", "")][:1]
    assert visitor.get(picture["src"]).status_code == 200
    assert answer(visitor, f"{here}/1/1", "incomplete").headers["location"] == f"{here}/1/1"
    told = visitor.page(f"{here}/1/1")
    assert "All as expected" in told.text
    assert "No error, but something important is missing or No error and nothing missing" in told.text
    assert "nothing about &lt;how&gt; it looks" in told.text
    answer(visitor, f"{here}/1/2", "unrelated")
    assert "You have passed the training" in visitor.page(here).text
    assert begin(visitor, campaign.slug) == f"/work/{campaign.slug}"
    assert 'name="verdict"' in visitor.page(f"/work/{campaign.slug}").text
    assert raters.find(site.db, campaign, rater.id).answered == 0


def test_failing_twice_ends_it_and_says_what_was_expected(site: Any, campaign: Campaign) -> None:
    visitor, _ = site.rater(campaign)
    here = f"/begin/{campaign.slug}/training"
    answer(visitor, f"{here}/1/1", "incomplete")
    answer(visitor, f"{here}/1/2", "minor")
    told = visitor.page(f"{here}/1/2").text
    assert "0 of 1 as expected" in told
    for words in ("Minor errors", "It does not belong to this image", "No city."):
        assert words in told
    again = visitor.page(here).text
    assert "You gave 50% of the expected answers; 100% are needed." in again
    assert "You have one try left" in again
    answer(visitor, f"{here}/2/1", "serious")
    answer(visitor, f"{here}/2/2", "serious")
    assert "That was your last try" in visitor.page(here).text
    assert begin(visitor, campaign.slug) == f"/work/{campaign.slug}"
    assert 'name="verdict"' not in visitor.page(f"/work/{campaign.slug}").text


def test_nobody_skips_an_example_or_answers_one_twice(site: Any, campaign: Campaign) -> None:
    visitor, rater = site.rater(campaign)
    here = f"/begin/{campaign.slug}/training"
    csrf = visitor.page(here + "/1/1").hidden("csrf")
    for address in (f"{here}/1/2", f"{here}/2/1", f"{here}/1/9"):
        assert visitor.get(address).headers["location"] == here
        visitor.post(address, data={"csrf": csrf, "verdict": "unrelated"})
    assert training.answers(site.db, campaign) == []
    answer(visitor, f"{here}/1/1", "minor")
    visitor.post(f"{here}/1/1", data={"csrf": csrf, "verdict": "incomplete"})
    (kept,) = training.answers(site.db, campaign)
    assert kept.answers == {"verdict": "minor"}
    assert kept.rater == rater.pseudonym


def test_a_form_without_an_answer_comes_back(site: Any, campaign: Campaign) -> None:
    visitor, _ = site.rater(campaign)
    address = f"/begin/{campaign.slug}/training/1/1"
    page = visitor.page(address)
    empty = visitor.post(address, data={"csrf": page.hidden("csrf")})
    assert empty.status_code == 422
    assert "Choose one." in empty.text
    assert visitor.post(address, data={"csrf": "forged", "verdict": "minor"}).status_code == 403
    assert site.visitor().get(address).status_code == 401


def test_scripts_are_told_where_to_go(site: Any, campaign: Campaign) -> None:
    visitor, _ = site.rater(campaign)
    address = f"/begin/{campaign.slug}/training/1/1"
    sent = answer(visitor, address, "minor", accept="application/json")
    assert sent.json() == {"next": address}
    refused = visitor.get(f"/api/work/{campaign.slug}", headers={"accept": "application/json"})
    assert refused.status_code == 409
    assert "Finish the training first" in refused.text


def test_uncounted_raters_are_told_so_and_work(site: Any, campaign: Campaign) -> None:
    changed = replace(campaign.settings, after_failing="uncounted", training_tries=1)
    campaign = lifecycle.change_settings(site.db, campaign, changed, actor="lea")
    visitor, _ = site.rater(campaign)
    here = f"/begin/{campaign.slug}/training"
    for place in (1, 2):
        answer(visitor, f"{here}/1/{place}", "minor")
    assert "your answers will not be part of the results" in visitor.page(here).text
    assert begin(visitor, campaign.slug) == f"/work/{campaign.slug}"
    assert 'name="verdict"' in visitor.page(f"/work/{campaign.slug}").text
