"""Pages in a frame: a rater's pages of a campaign at Mechanical Turk, framed by its site and nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.records import Campaign
from captious.crowd import studies
from captious.crowd.values import Remote

WORKERS = "https://workersandbox.mturk.com"
IN_FRAME = {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}


def published(site: Any, campaign: Campaign, provider: str = "mturk") -> studies.Stored:
    plan = {"places": 3, "answers": 4, "reward": 150, "currency": "USD", "minutes": 6.0}
    study = studies.new_study(campaign, "https://rate.example.org", **plan)
    stored = studies.create(site.db, campaign, study, provider, {}, actor="lea")
    return studies.change(site.db, stored, actor="lea", action="publish", state="open", remote=Remote("3X"))


@pytest.fixture(autouse=True)
def _sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL_MTURK", raising=False)


def ancestors(answer: Any) -> str:
    parts = answer.headers["content-security-policy"].split("; ")
    return next(part.removeprefix("frame-ancestors ") for part in parts if part.startswith("frame-ancestors"))


def test_the_worker_site_may_frame_the_work_and_nothing_else(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    visitor, rater = site.rater(campaign)
    task = site.task(campaign, rater).token
    for address in (f"/work/{campaign.slug}", f"/work/{campaign.slug}/{task}", f"/guide/{campaign.slug}"):
        framed = visitor.get(address, headers=IN_FRAME)
        assert ancestors(framed) == WORKERS
        assert "x-frame-options" not in framed.headers
        assert "x-content-type-options" in framed.headers
    for address in ("/", "/admin", "/admin/sign-in", f"/admin/c/{campaign.slug}", "/health"):
        other = visitor.get(address, headers=IN_FRAME)
        assert ancestors(other) == "'none'"
        assert other.headers["x-frame-options"] == "DENY"


def test_no_other_campaign_may_be_framed(site: Any) -> None:
    at_home, at_panel = site.campaign(title="Cats"), site.campaign(title="Birds")
    published(site, at_panel, "panel")
    planned = site.campaign(title="Bees")
    draft = studies.new_study(
        planned, "https://x.example", places=1, answers=1, reward=10, currency="USD", minutes=1.0
    )
    studies.create(site.db, planned, draft, "mturk", {}, actor="lea")
    for campaign in (at_home, at_panel, planned):
        visitor, _ = site.rater(campaign)
        assert ancestors(visitor.get(f"/work/{campaign.slug}", headers=IN_FRAME)) == "'none'"
    assert ancestors(site.visitor().get("/work/nowhere", headers=IN_FRAME)) == "'none'"


def test_a_page_that_is_not_asked_for_in_a_frame_is_as_closed_as_ever(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    visitor, _ = site.rater(campaign)
    plain = visitor.get(f"/work/{campaign.slug}")
    assert ancestors(plain) == "'none'"
    assert plain.headers["x-frame-options"] == "DENY"


def test_a_browser_that_keeps_no_cookie_in_a_frame_is_led_to_a_tab(site: Any) -> None:
    stored = published(site, site.campaign())
    address = f"/go/{stored.study.key}?assignmentId=3A&hitId=3B&workerId=A1&turkSubmitTo={WORKERS}"
    framed = site.visitor().post(address, headers=IN_FRAME, data={"csrf": "none was kept"})
    assert framed.status_code == 200
    assert ancestors(framed) == WORKERS
    assert f"/go/{stored.study.key}?assignmentId=3A" in framed.text
    # Without a frame a missing cookie is a missing token, as everywhere.
    assert site.visitor().post(address, data={"csrf": "x"}).status_code == 403


def test_cookies_in_the_frame_come_back_to_the_frame_only(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    framed = site.visitor().get(f"/work/{campaign.slug}", headers=IN_FRAME)
    (visitor,) = framed.headers.get_list("set-cookie")
    assert visitor.startswith("captious_visitor=")
    for part in ("HttpOnly", "Secure", "SameSite=None", "Partitioned"):
        assert f"; {part}" in visitor
    plain = site.visitor().get(f"/work/{campaign.slug}")
    (usual,) = plain.headers.get_list("set-cookie")
    assert "samesite=lax" in usual.lower()
    assert "Partitioned" not in usual
