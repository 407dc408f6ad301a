"""How far a campaign is."""

from __future__ import annotations

import time
from typing import Any

import pytest

from captious.campaigns.quality.adjudication import adjudicate
from captious.campaigns.results import verdict as verdicts
from captious.campaigns.results.outlook import outlook_snapshot
from captious.campaigns.work import assignment, responses
from captious.web.admin.overview import overview_page

PATIENCE = 60.0


def test_the_overview_shows_stages_pace_and_people(viewer: Any, site: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}")
    counts = found["counts"]
    assert (counts["done"], counts["target"], counts["raters_active"]) == (12, 12, 2)
    assert counts["stages"] == [{"stage": "first", "items": 6, "finished": 6, "done": 12, "target": 12}]
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
    counts, outlook = found["counts"], found["verdict"]["outlook"]
    assert (counts["done"], counts["target"], counts["responses"]) == (6, 12, 6)
    assert (counts["per_hour"], outlook["hours_left"]) == (pytest.approx(60), None)
    assert "answered enough to estimate their pace" in outlook["unknown"]
    assert counts["last_activity"] == begun + 300
    assert (counts["raters_active"], counts["raters_removed"], counts["open_flags"]) == (2, 0, 0)
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
    assert found["verdict"]["outlook"]["hours_left"] == pytest.approx(1 / 60)
    # A lead's decision is no response: the page shows the same as before.
    clock.move(3000)
    adjudicate(site.db, campaign, task.item.key, {"verdict": "minor"}, actor="lea", key="d")
    after = viewer.twin(f"/admin/c/{campaign.slug}")
    assert after["recent"] == found["recent"]
    shown = ("per_hour", "last_activity")
    assert [after["counts"][name] for name in shown] == [found["counts"][name] for name in shown]
    assert after["verdict"]["outlook"] == found["verdict"]["outlook"]


def test_responses_of_one_moment_show_no_pace(viewer: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}")
    # All is there, so that no time is left.
    assert (found["recent"], found["counts"]["per_hour"]) == (None, None)
    assert found["verdict"]["outlook"]["hours_left"] == 0


def test_an_unknown_campaign_is_not_found(viewer: Any) -> None:
    assert viewer.get("/admin/c/nothing").status_code == 404
    assert viewer.get("/api/admin/c/nothing").json()["error"]


def test_a_large_campaign_shows_counts_at_once_and_the_rest_when_it_is_worked_out(
    site: Any, viewer: Any, tagged: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(overview_page, "FEW_RESPONSES", 0)
    address = f"/api/admin/c/{tagged.slug}"
    first = viewer.get(address).json()["verdict"]
    assert first["pending"]
    assert first["outlook"]["unknown"] == "it is being computed"
    until = time.monotonic() + PATIENCE
    while (found := viewer.get(address).json()["verdict"])["pending"] and time.monotonic() < until:
        time.sleep(0.05)
    assert found["lines"][0]["text"].startswith("Finished: all 12 responses")
    kept = verdicts.worked_out(site.db, tagged)._replace(outlook=outlook_snapshot(site.db, tagged))
    again = verdicts.verdict(site.db, tagged, kept)
    assert again.outlook == verdicts.verdict(site.db, tagged, kept._replace(outlook=None)).outlook


def test_an_empty_site_offers_to_make_the_first_campaign(manager: Any, viewer: Any) -> None:
    assert "Create the first campaign" in manager.text("/admin")
    assert "Create the first campaign" not in viewer.text("/admin")


def test_the_list_counts_what_is_done(viewer: Any, tagged: Any) -> None:
    (row,) = viewer.twin("/admin/campaigns")["campaigns"]
    # 3 images x 2 systems x 2 raters
    assert row["campaign"]["slug"] == tagged.slug
    assert [row["counts"][name] for name in ("done", "target", "raters")] == [12, 12, 2]
    assert "12 of 12" in viewer.text("/admin")


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
