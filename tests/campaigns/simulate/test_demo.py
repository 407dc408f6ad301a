"""The demo has something on every page: progress, flags, a removal, disagreements, open work."""

from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.quality import adjudication
from captious.campaigns.quality import control as quality
from captious.campaigns.records import NewRater
from captious.campaigns.results import analysis
from captious.campaigns.simulate.demo import make_demo
from captious.campaigns.store import images
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory):
    with Database.open(tmp_path_factory.mktemp("demo") / "demo.db") as db:
        yield db, make_demo(db, seed=7)


def test_there_is_an_open_campaign_of_each_protocol(demo):
    db, campaigns = demo
    built_in = {"thumb", "humanr", "tagging", "audit", "spans", "generic", "game", "spoken"}
    assert {one.protocol for one in campaigns} == built_in
    for campaign in campaigns:
        view = analysis.overview(db, campaign)
        assert campaign.state == "open"
        if campaign.protocol == "spoken":  # a simulated rater has no voice
            assert view.done == 0
            continue
        assert 0 < view.done < view.target
        assert view.last_activity is not None
        assert view.last_activity < db.now()
        item = analysis.counting(db, campaign)[0][0]
        assert images.digest_of(db, campaign, item.image)


def test_anyone_can_join_and_rate(demo):
    db, campaigns = demo
    for campaign in campaigns:
        (rater,) = raters.add(db, campaign, [NewRater("Visitor")], actor="test")
        assert next_tasks(db, campaign, rater)


def test_pages_have_results_agreement_flags_and_disagreements(demo):
    db, campaigns = demo
    flagged = {}
    for campaign in campaigns:
        if campaign.protocol == "spoken":
            continue
        assert analysis.result_tables(db, campaign)
        assert analysis.agreement(db, campaign).tables()
        flagged[campaign.protocol] = {flag.rule for flag in quality.flags(db, campaign)}
        found = adjudication.disagreements(db, campaign)
        if campaign.protocol != "humanr":  # there every comparison is answered once
            assert any(one.decided is not None for one in found)
            assert any(one.decided is None for one in found)
    assert flagged["humanr"] == {"attention"}
    assert {"minimum-time", "straight-line", "one-value"} <= flagged["generic"]
