"""Flags appear as answers come in, though nobody opens the page that shows them."""

from __future__ import annotations

import time
from typing import Any

from captious.campaigns.quality import control
from captious.campaigns.quality.control import QUALITY
from captious.campaigns.simulate.habits import simulate_habits
from captious.campaigns.store import snapshots
from captious.web.admin.figures.background import Watch

PATIENCE = 60.0


def test_the_rules_run_beside_the_server_once_for_what_is_new(site: Any) -> None:
    campaign = site.campaign("tagging", raters=3, two_rounds=False)
    watch = Watch(site.db, rest=0.0)
    assert watch.look() == []  # nobody has answered
    simulate_habits(site.db, campaign, {"careful": 2, "hasty": 1})
    assert control.flags(site.db, campaign) == []
    assert watch.look() == [campaign.slug]
    until = time.monotonic() + PATIENCE
    while snapshots.latest(site.db, campaign, QUALITY) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert "minimum-time" in {flag.rule for flag in control.flags(site.db, campaign)}
    assert watch.look() == []  # nothing new since
