"""Settings, and the log of what was changed."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log

GOOD = {
    "title": "Dogs again",
    "instructions": "Look twice.\nThen answer.",
    "contact": "lea@example.org",
    "language": "en",
    "hold_seconds": "600",
    "link_days": "7",
    "reusable_links": "yes",
    "minimum_seconds": "1.5",
    "straight_line": "9",
    "submit_on_choice": "yes",
    "set_aside_after": "0",
    "retention_days": "0",
    "consensus_floor": "0.2",
    "payment_per_response": "0.05",
    "hourly_wage": "",
    "currency": "EUR",
}


def test_settings_change_and_the_log_keeps_what(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/settings"
    assert manager.post(address, **GOOD).status_code == 303
    found = lifecycle.find(site.db, campaign.slug)
    settings = found.settings
    assert found.title == "Dogs again"
    assert (settings.hold_seconds, settings.link_days, settings.reusable_links) == (600.0, 7, True)
    assert (settings.consensus_floor, settings.hourly_wage) == (0.2, None)
    assert (settings.submit_on_choice, settings.set_aside_after) == (True, 0)
    assert settings.instructions.splitlines() == ["Look twice.", "Then answer."]
    assert manager.twin(address)["settings"]["currency"] == "EUR"
    page = manager.page(address)
    shown = {one.get("name"): one.get("value") for one in page.inputs}
    assert (shown["link_days"], shown["minimum_seconds"]) == ("7", "1.5")
    assert "reusable_links" in page.checked()
    actions = {entry.action for entry in log.entries(site.db, campaign)}
    assert "rename" in actions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", " "),
        ("title", "x" * 201),
        ("hold_seconds", "soon"),
        ("hold_seconds", "0"),
        ("hold_seconds", "nan"),
        ("link_days", "1.5"),
        ("link_days", "100000"),
        ("minimum_seconds", "-1"),
        ("straight_line", ""),
        ("set_aside_after", "-1"),
        ("consensus_floor", "2"),
        ("payment_per_response", "five"),
        ("language", "../../etc/passwd"),
        ("currency", "x" * 400),
        ("instructions", "x" * 20_001),
    ],
)
def test_what_is_wrong_changes_nothing(site: Any, manager: Any, name: str, value: str) -> None:
    campaign = site.campaign()
    answer = manager.post(f"/admin/c/{campaign.slug}/settings", **(GOOD | {name: value}))
    assert answer.status_code == 422
    assert f'href="#f-{name.replace("_", "-")}"' in answer.text
    assert lifecycle.find(site.db, campaign.slug) == campaign


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("set_aside_after", "-1", "a whole number from 0 to 1,000,000."),
        ("link_days", "0", "a whole number from 1 to 3,650."),
        ("hold_seconds", "soon", "a number, 5,184,000 at most."),
    ],
)
def test_a_number_out_of_range_is_told_the_range(
    site: Any, manager: Any, name: str, value: str, wanted: str
) -> None:
    campaign = site.campaign()
    answer = manager.post(f"/admin/c/{campaign.slug}/settings", **(GOOD | {name: value}))
    assert wanted in answer.text


def test_the_rules_are_shown_and_stay(viewer: Any, site: Any) -> None:
    campaign = site.campaign("generic", title="Own")
    text = viewer.text(f"/admin/c/{campaign.slug}/settings")
    assert "Would it help someone who cannot see the image?" in text
    assert "Save settings" not in text
    tagging = site.campaign("tagging", raters=2)
    assert viewer.twin(f"/admin/c/{tagging.slug}/settings")["options"]["raters"] == 2
