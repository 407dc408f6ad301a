"""The list, the overview, and what moves a campaign on."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.quality.adjudication import adjudicate
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.work import assignment, responses


def test_an_empty_site_offers_to_make_the_first_campaign(manager: Any, viewer: Any) -> None:
    assert "Create the first campaign" in manager.text("/admin")
    assert "Create the first campaign" not in viewer.text("/admin")


def test_the_list_counts_what_is_done(viewer: Any, tagged: Any) -> None:
    (row,) = viewer.twin("/admin/campaigns")["campaigns"]
    # 3 images x 2 systems x 2 raters
    assert (row["slug"], row["done"], row["wanted"], row["raters"]) == (tagged.slug, 12, 12, 2)
    assert "12 of 12" in viewer.text("/admin")


def test_the_overview_shows_stages_pace_and_people(viewer: Any, site: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}")
    assert (found["done"], found["wanted"], found["raters_active"]) == (12, 12, 2)
    assert found["stages"] == [{"stage": "first", "items": 6, "finished": 6, "done": 12, "wanted": 12}]
    assert found["as_of"] == site.db.now()
    text = viewer.text(f"/admin/c/{tagged.slug}")
    assert "First stage" in text
    assert "Pause the campaign" not in text  # a viewer only looks


def test_pace_and_time_left_follow_the_latest_responses(
    site: Any, viewer: Any, people: Any, clock: Any
) -> None:
    campaign = site.campaign("tagging", raters=2, two_rounds=False)
    ada, boris = people(site, campaign)
    begun = site.db.now()
    for at in range(6):
        if at:
            clock.move(60)
        (task, *_) = assignment.next_tasks(site.db, campaign, ada)
        responses.respond(site.db, ada, task.token, {"verdict": "complete"}, key=f"k{at}", seconds=5)
        # Four responses tell no pace, five do.
        assert (viewer.twin(f"/admin/c/{campaign.slug}")["recent"] is None) == (at < 4)
    found = viewer.twin(f"/admin/c/{campaign.slug}")
    # One a minute is 60 an hour. The other 6 of 12 are for the second rater, whose pace nobody knows.
    assert (found["done"], found["wanted"], found["responses"]) == (6, 12, 6)
    assert (found["rate_per_hour"], found["seconds_left"]) == (pytest.approx(60), None)
    assert "answered enough to estimate their pace" in found["verdict"]["unknown"]
    assert found["last_activity"] == begun + 300
    assert (found["raters_active"], found["raters_removed"], found["open_flags"]) == (2, 0, 0)
    recent = found["recent"]
    assert (recent["since"], recent["until"]) == (begun, begun + 300)
    # 24 spans of 12.5 s: 0, 60, 120, 180 and 240 s are in spans 0, 4, 9, 14, 19; the end is in the last.
    assert [at for at, count in enumerate(recent["counts"]) if count] == [0, 4, 9, 14, 19, 23]
    assert sum(recent["counts"]) == 6
    for at in range(4):
        clock.move(30)
        (task, *_) = assignment.next_tasks(site.db, campaign, boris)
        responses.respond(site.db, boris, task.token, {"verdict": "complete"}, key=f"k{at}", seconds=5)
    # The second rater gives one in 30 seconds: the last two take a minute.
    found = viewer.twin(f"/admin/c/{campaign.slug}")
    assert found["seconds_left"] == pytest.approx(60)
    # A lead's decision is no response: the page shows the same as before.
    clock.move(3000)
    adjudicate(site.db, campaign, task.item.key, {"verdict": "minor"}, actor="lea", key="d")
    shown = ("recent", "rate_per_hour", "seconds_left", "last_activity")
    after = viewer.twin(f"/admin/c/{campaign.slug}")
    assert [after[name] for name in shown] == [found[name] for name in shown]


def test_responses_of_one_moment_show_no_pace(viewer: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}")
    # All is there, so that no time is left.
    assert (found["recent"], found["rate_per_hour"], found["seconds_left"]) == (None, None, 0)


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
    assert manager.twin(f"/admin/c/{tagged.slug}")["wanted"] == 18


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
    stages = {one["stage"]: one for one in manager.twin(f"/admin/c/{campaign.slug}")["stages"]}
    assert stages["audit"]["items"] >= 2
    assert "Audit by a third rater" in manager.text(f"/admin/c/{campaign.slug}")
    no_native = manager.post(f"/admin/c/{campaign.slug}/do/fluency")
    assert no_native.status_code in (409, 422)


def test_other_protocols_have_no_rounds(site: Any, manager: Any, tagged: Any) -> None:
    assert "Start an audit" not in manager.text(f"/admin/c/{tagged.slug}")
    assert manager.post(f"/admin/c/{tagged.slug}/do/fluency").status_code == 404


def test_an_unknown_campaign_is_not_found(viewer: Any) -> None:
    assert viewer.get("/admin/c/nothing").status_code == 404
    assert viewer.get("/api/admin/c/nothing").json()["error"]


def test_a_campaign_whose_package_is_gone_is_listed_and_says_so(site: Any, manager: Any, tagged: Any) -> None:
    from sqlalchemy import update

    from captious.campaigns.store import schema

    with site.db.write() as connection:
        table = schema.campaign
        own = table.c.id == tagged.id
        connection.execute(update(table).where(own).values(protocol="no-longer-installed"))
    assert "no-longer-installed" in manager.text("/admin")
    answer = manager.get(f"/admin/c/{tagged.slug}")
    assert answer.status_code == 404
    assert "unknown protocol &#34;no-longer-installed&#34;" in answer.text
