"""The log of what was done, in one campaign and in all."""

from __future__ import annotations

import html
from typing import Any

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log


def test_the_log_comes_in_pages_newest_first(site: Any, owner: Any, manager: Any) -> None:
    campaign = site.campaign()
    for turn in range(60):
        lifecycle.rename(site.db, campaign, f"Title {turn}", actor="lea")
    address = f"/admin/c/{campaign.slug}/log"
    first = manager.twin(address)
    assert len(first["entries"]) == 50
    assert first["entries"][0]["detail"] == {"title": "Title 59"}
    rest = manager.twin(f"{address}?before={first['older']}")
    # 60 renames, create and open are 62 entries.
    assert (len(rest["entries"]), rest["older"]) == (12, None)
    assert f'href="?before={first["older"]}"' in manager.text(address)
    assert "Title 3" in manager.text(f"{address}?before={first['older']}")
    whole = owner.twin("/admin/log")
    assert whole["entries"][0]["campaign"] == campaign.slug
    assert "Complete log" in owner.text("/admin/log")
    for wrong in ("0", "x", "99999999999999"):
        assert manager.get(f"{address}?before={wrong}").status_code == 422


def test_details_that_are_lists_read_as_text(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    detail = {"set": ["a/1", "<b>"], "taken away": [], "by": {"rule": 1}}
    with site.db.write() as connection:
        log.record(
            connection,
            "lea",
            "set known answers",
            time=1.0,
            campaign_id=campaign.id,
            subject="x",
            detail=detail,
        )
    text = manager.text(f"/admin/c/{campaign.slug}/log")
    assert "<b>set</b> a/1, &lt;b&gt;" in text
    assert "taken away" not in text
    assert '{"rule": 1}' in html.unescape(text)
