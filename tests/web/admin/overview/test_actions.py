"""What moves a campaign on."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("draft", ["open", "extend"]),
        ("open", ["pause", "extend", "close"]),
        ("paused", ["resume", "extend", "close"]),
        ("closed", ["resume"]),
    ],
)
def test_each_state_offers_what_may_be_done(site: Any, manager: Any, state: str, offered: list[str]) -> None:
    campaign = site.campaign(opened=state != "draft")
    if state in ("paused", "closed"):
        {"paused": lifecycle.pause, "closed": lifecycle.close}[state](site.db, campaign, actor="lea")
    page = manager.page(f"/admin/c/{campaign.slug}")
    begin = f"/admin/c/{campaign.slug}/do/"
    links = [one["href"].removeprefix(begin) for one in page.links if begin in one.get("href", "")]
    # A draft also names its opening among the steps at the top.
    assert links == (["open", *offered] if state == "draft" else offered)


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("open", "draft", "open"),
        ("pause", "open", "paused"),
        ("close", "open", "closed"),
        ("resume", "paused", "open"),
    ],
)
def test_a_step_is_confirmed_then_done_and_logged(
    site: Any, manager: Any, action: str, before: str, after: str
) -> None:
    campaign = site.campaign(opened=before != "draft")
    if before == "paused":
        lifecycle.pause(site.db, campaign, actor="lea")
    address = f"/admin/c/{campaign.slug}/do/{action}"
    assert f'href="{address}"' in manager.text(f"/admin/c/{campaign.slug}")
    assert f'action="{address}"' in manager.text(address)
    assert lifecycle.find(site.db, campaign.slug).state == before
    answer = manager.post(address)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/admin/c/{campaign.slug}")
    assert lifecycle.find(site.db, campaign.slug).state == after
    assert log.entries(site.db, campaign, limit=1)[0][2:5:2] == ("manager one", action)
    assert 'role="status"' in manager.visitor.client.get(f"/admin/c/{campaign.slug}").text


def test_a_step_that_cannot_be_taken_says_why(site: Any, manager: Any) -> None:
    campaign = site.campaign(opened=False)
    answer = manager.post(f"/admin/c/{campaign.slug}/do/pause")
    assert answer.status_code == 409
    assert "it is draft" in answer.text
    assert manager.get(f"/admin/c/{campaign.slug}/do/explode").status_code == 404


def test_more_responses_can_be_asked_for(site: Any, manager: Any, tagged: Any) -> None:
    address = f"/admin/c/{tagged.slug}/do/extend"
    for wrong in ("", "two", "2.5", "0", "99999999999", "'; DROP TABLE item; --"):
        assert manager.post(address, target=wrong).status_code == 422
    less = manager.post(address, target="1")
    assert less.status_code == 422
    assert "is below 2" in less.text
    assert manager.post(address, target="3").status_code == 303
    assert manager.twin(f"/admin/c/{tagged.slug}")["counts"]["target"] == 18


def test_thumb_has_its_rounds(site: Any, manager: Any, people: Any, let_work: Any) -> None:
    campaign = site.campaign("thumb")
    text = manager.text(f"/admin/c/{campaign.slug}")
    assert "Start an audit" in text
    assert "Ask for more responses" not in text
    too_soon = manager.post(f"/admin/c/{campaign.slug}/do/audit", captions="4")
    assert too_soon.status_code == 422
    assert "second stage" in too_soon.text

    def fine(_: int, item: Any) -> dict[str, Any]:
        marks = {"precision": 5, "recall": 5, "conciseness": "0", "inclusive_language": "0"}
        return {f"{c.key}.{name}": mark for c in item.captions for name, mark in marks.items()}

    three = people(site, campaign, 3)
    let_work(site, campaign, three, fine)
    assert manager.post(f"/admin/c/{campaign.slug}/do/audit", captions="4").status_code == 303
    stages = {one["stage"]: one for one in manager.twin(f"/admin/c/{campaign.slug}")["counts"]["stages"]}
    assert stages["audit"]["items"] >= 2
    assert "Audit by a third rater" in manager.text(f"/admin/c/{campaign.slug}")
    no_native = manager.post(f"/admin/c/{campaign.slug}/do/fluency")
    assert no_native.status_code in (409, 422)


def test_other_protocols_have_no_rounds(site: Any, manager: Any, tagged: Any) -> None:
    assert "Start an audit" not in manager.text(f"/admin/c/{tagged.slug}")
    assert manager.post(f"/admin/c/{tagged.slug}/do/fluency").status_code == 404
