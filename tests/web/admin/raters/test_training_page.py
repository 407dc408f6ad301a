"""A lead gives a campaign a training and surveys, and sees who passed."""

from __future__ import annotations

from typing import Any

from captious.campaigns.entry import training
from captious.campaigns.setup import lifecycle
from captious.data import demo_files

GOOD = {"training_pass": "75", "training_tries": "3", "after_failing": "again"}
MINE = "examples: [{image: mine.jpg, caption: A cat., answers: {verdict: incomplete}, why: No more.}]"


def test_the_package_s_training_is_a_click_away(site: Any, send: Any) -> None:
    campaign, owner = site.campaign(), site.account()
    here = f"/admin/c/{campaign.slug}/training"
    assert "This campaign has no training." in owner.page(here).text
    assert send(owner, here, training="sample", **GOOD).status_code == 303
    now = lifecycle.find(site.db, campaign.slug)
    settings = now.settings
    assert (settings.training_pass, settings.training_tries, settings.after_failing) == (0.75, 3, "again")
    assert len(training.examples(site.db, now)) == 6
    assert "This campaign has 6 examples." in owner.page(here).text
    _, rater = site.rater(now, "Ada Lovelace")
    first = training.examples(site.db, now)[0]
    training.answer(site.db, now, rater, first, 1, {"verdict": "complete"})
    assert "Ada Lovelace" in owner.page(here).text
    assert "in progress" in owner.page(here).text
    viewer = site.account("viewer")
    assert "Ada Lovelace" not in viewer.page(here).text
    (row,) = viewer.get(f"/api{here}").json()["raters"]
    assert row == {"rater": rater.pseudonym, "name": None, "standing": "answering", "tries": 0, "score": None}
    assert send(owner, here, training="none", **GOOD).status_code == 303
    assert lifecycle.find(site.db, campaign.slug).settings.training == ""


def test_a_training_of_one_s_own_comes_with_its_pictures(site: Any, send: Any) -> None:
    campaign, owner = site.campaign(), site.account()
    here = f"/admin/c/{campaign.slug}/training"
    picture = (demo_files().images / "tabby.jpg").read_bytes()
    files = [("training_file", ("mine.yaml", MINE.encode())), ("training_images", ("mine.jpg", picture))]
    assert send(owner, here, files, training="file", **GOOD).status_code == 303
    (kept,) = training.examples(site.db, lifecycle.find(site.db, campaign.slug))
    assert kept.example.item.captions[0].text == "A cat."


def test_a_file_that_is_sent_is_not_ignored(site: Any, send: Any) -> None:
    campaign, owner = site.campaign(), site.account()
    here = f"/admin/c/{campaign.slug}/training"
    files = [("training_file", ("mine.yaml", MINE.replace("mine.jpg", "tabby.jpg").encode()))]
    assert send(owner, here, files, training="keep", **GOOD).status_code == 303
    assert len(training.examples(site.db, lifecycle.find(site.db, campaign.slug))) == 1


def test_what_is_wrong_is_told_beside_the_field_and_nothing_changes(site: Any, send: Any) -> None:
    campaign, owner = site.campaign(), site.account()
    here = f"/admin/c/{campaign.slug}/training"
    for data, said in (
        ({"training": "file", **GOOD}, "no file was given"),
        ({"training": "keep", **GOOD, "training_pass": "120"}, "from 1 to 100"),
        ({"training": "keep", **GOOD, "training_pass": "0"}, "At 0 everyone would pass"),
        ({"training": "keep", **GOOD, "training_tries": "0"}, "whole number from 1 to 100"),
        ({"training": "keep", **GOOD, "after_failing": "cry"}, "choose an option"),
        ({"training": "keep", **GOOD, "survey_before": "questions: []"}, "is empty or missing"),
    ):
        answer = send(owner, here, **data)
        assert answer.status_code == 422
        assert said in answer.text
    missing = [("training_file", ("mine.yaml", MINE.encode()))]
    assert "no picture &#34;mine.jpg&#34;" in send(owner, here, missing, training="file", **GOOD).text
    assert lifecycle.find(site.db, campaign.slug).settings == campaign.settings
    assert send(site.account("viewer"), here, training="none", **GOOD).status_code == 403


def test_surveys_are_kept_and_the_settings_page_leaves_them_alone(site: Any, send: Any) -> None:
    campaign, owner = site.campaign(), site.account()
    text = 'questions: [{aspect: english, ask: "How well?", low: 1, high: 5}]'
    here = f"/admin/c/{campaign.slug}/training"
    assert send(owner, here, training="keep", survey_before=text, **GOOD).status_code == 303
    address = f"/admin/c/{campaign.slug}/settings"
    page = owner.page(address)
    given = {one["name"]: one.get("value", "") for one in page.inputs if one.get("type") != "checkbox"}
    assert owner.post(address, data={**given, "language": "en"}).status_code == 303
    assert lifecycle.find(site.db, campaign.slug).settings.survey_before == text
