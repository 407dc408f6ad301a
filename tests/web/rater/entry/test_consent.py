"""A campaign with a consent text: nobody begins without the tick, and what was agreed to is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.people import links, raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle

TEXT = "We study <captions>.\nYou may stop at any time."
VERSION = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def site(db, make_site):
    """A site on each engine in turn."""
    return make_site(db)


@pytest.fixture
def campaign(site):
    return site.campaign(settings=Settings(consent=TEXT))


def tick_of(page) -> dict[str, str]:
    (found,) = [one for one in page.inputs if one.get("name") == "consent"]
    return found


def test_nobody_begins_without_the_tick(site, campaign) -> None:
    rater, address = site.invite(campaign)
    visitor = site.visitor()
    page = visitor.page(address)
    assert "We study &lt;captions&gt;." in page.text
    tick = tick_of(page)
    assert (tick["type"], "required" in tick, "checked" in tick) == ("checkbox", True, False)
    csrf = page.hidden("csrf")
    for sent in ({}, {"consent": ""}, {"consent": "yes"}):
        answer = visitor.post(address, data={"csrf": csrf, **sent})
        assert answer.status_code == 422
        assert "tick the box" in answer.text
        assert visitor.get(f"/work/{campaign.slug}").status_code == 401
    assert raters.find(site.db, campaign, rater.id).consent_time is None


def test_version_and_time_of_the_consent_are_stored(site, campaign, clock) -> None:
    rater, address = site.invite(campaign)
    visitor = site.visitor()
    page = visitor.page(address)
    clock.move(60)
    began = site.db.now()
    answer = visitor.post(address, data={"csrf": page.hidden("csrf"), "consent": tick_of(page)["value"]})
    assert answer.headers["location"] == f"/work/{campaign.slug}"
    assert visitor.get(f"/work/{campaign.slug}").status_code == 200
    kept = raters.find(site.db, campaign, rater.id)
    assert (kept.consent_version, kept.consent_time) == (VERSION, pytest.approx(began, abs=1))


def test_a_text_that_changed_meanwhile_is_asked_for_again(site, campaign) -> None:
    rater, address = site.invite(campaign)
    visitor = site.visitor()
    page = visitor.page(address)
    newer = replace(campaign.settings, consent="We changed our minds.")
    lifecycle.change_settings(site.db, campaign, newer, actor="lea")
    sent = {"csrf": page.hidden("csrf"), "consent": tick_of(page)["value"]}
    answer = visitor.post(address, data=sent)
    assert answer.status_code == 422
    assert "We changed our minds." in answer.text
    sent["consent"] = hashlib.sha256(b"We changed our minds.").hexdigest()
    assert visitor.post(address, data=sent).status_code == 303
    # A later link shows no box: the rater has agreed to this text already.
    again = "/join/" + links.make_link(site.db, rater, secret=site.settings.secret)
    later = site.visitor()
    page = later.page(again)
    assert 'name="consent"' not in page.text
    assert later.post(again, data={"csrf": page.hidden("csrf")}).status_code == 303


def test_the_export_holds_version_and_time_and_comes_back(site, campaign, tmp_path) -> None:
    _, address = site.invite(campaign, "Ada Lovelace")
    site.invite(campaign, "Ben")
    visitor = site.visitor()
    page = visitor.page(address)
    visitor.post(address, data={"csrf": page.hidden("csrf"), "consent": VERSION})
    out = tmp_path / "out"
    export(site.db, campaign, out, formats=["jsonl"])
    written = (out / "raters.jsonl").read_text()
    ada, ben = map(json.loads, written.splitlines())
    assert (ada["consent_version"], ben["consent_version"]) == (VERSION, "")
    assert ada["consent_time"] > 0
    assert ben["consent_time"] is None
    assert "Lovelace" not in written
    assert "We study" not in written
    assert "1 of 2 raters agreed" in (out / "datasheet.md").read_text()
    back = import_file(site.db, out, actor="lea", slug="again")
    assert back.settings.consent == TEXT
    assert [one.consent_version for one in raters.listed(site.db, back)] == [VERSION, ""]
    assert raters.listed(site.db, back)[0].consent_time == ada["consent_time"]


def test_without_a_text_nothing_is_asked_and_no_column_is_written(site, tmp_path) -> None:
    campaign = site.campaign()
    _, address = site.invite(campaign)
    assert 'name="consent"' not in site.visitor().page(address).text
    export(site.db, campaign, tmp_path / "out", formats=["jsonl"])
    assert "consent" not in (tmp_path / "out" / "raters.jsonl").read_text()


def test_the_settings_page_changes_the_text(site, campaign) -> None:
    owner = site.account()
    address = f"/admin/c/{campaign.slug}/settings"
    page = owner.page(address)
    assert "We study &lt;captions&gt;." in page.text
    given = {one["name"]: one.get("value", "") for one in page.inputs if one.get("type") != "checkbox"}
    sent = {**given, "language": "en", "consent": TEXT.replace("\n", "\r\n")}
    assert owner.post(address, data=sent).status_code == 303
    # A browser writes line ends in its own way: the version is that of the same text.
    assert lifecycle.find(site.db, campaign.slug).settings.consent_version == VERSION
    assert owner.post(address, data={**sent, "consent": "x" * 20_001}).status_code == 422
