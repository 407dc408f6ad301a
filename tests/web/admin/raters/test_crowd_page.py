"""Publishing in the browser: estimate, confirmation, and how a study stands."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.setup import lifecycle
from captious.crowd import arrivals, studies
from captious.crowd.values import Arrival

PLAN = {"provider": "panel", "places": "3", "reward": "0.20", "options": "parameter=pid\nfee_percent=10"}


@pytest.fixture
def campaign(site: Any) -> Any:
    return site.campaign("humanr", images=30)


@pytest.fixture
def manager(site: Any) -> Any:
    return site.account("manager")


def sent(manager: Any, campaign: Any, **fields: str) -> Any:
    address = f"/admin/c/{campaign.slug}/crowd"
    csrf = manager.page(address).hidden("csrf")
    return manager.post(address, data={"csrf": csrf, **PLAN, **fields})


def twin(manager: Any, campaign: Any) -> Any:
    return manager.get(f"/api/admin/c/{campaign.slug}/crowd").json()["studies"]


def test_the_estimate_comes_first_and_only_its_own_total_publishes(
    site: Any, manager: Any, campaign: Any, read_page: Any
) -> None:
    asked = sent(manager, campaign)
    # Three places at 20 cents and 10%: 66 cents; a minute for 20 cents is $12 an hour.
    assert asked.status_code == 200 and "$0.66" in asked.text and "$12.00 per hour" in asked.text
    assert "minimum wage of $15.00" in asked.text
    assert twin(manager, campaign) == []
    assert read_page(asked.text).hidden("confirmed") == "66"
    assert sent(manager, campaign, confirmed="60").status_code == 200
    assert twin(manager, campaign) == []
    done = sent(manager, campaign, confirmed="66")
    assert done.status_code == 303
    (study,) = twin(manager, campaign)
    assert (study["state"], study["places"], study["committed"]) == ("open", 3, 66)
    assert (
        study["link"].endswith("?pid=")
        and study["link"] in manager.page(f"/admin/c/{campaign.slug}/crowd").text
    )


def test_places_spend_and_wage_are_shown_and_what_is_due_is_approved(
    site: Any, manager: Any, campaign: Any, clock: Any
) -> None:
    sent(manager, campaign, confirmed="66")
    stored = studies.find(site.db, campaign)
    visit = arrivals.begin(site.db, stored, campaign, Arrival("ada", "ada"), secret=b"s" * 32)
    clock.move(120)
    arrivals.end(site.db, stored, visit, "completed")
    (study,) = twin(manager, campaign)
    # 20 cents in two minutes are $6 an hour; two minutes at $15 are 50 cents.
    assert (study["hourly"], study["below_minimum"], study["bonus"], study["due"]) == (600, True, 30, 1)
    page = manager.page(f"/admin/c/{campaign.slug}/crowd")
    overview = manager.page(f"/admin/c/{campaign.slug}").text
    assert "Submitted" in overview and "$6.00" in overview
    assert "Approve one place" in page.text and "$6.00" in page.text and "A bonus of $0.30" in page.text
    act = {"csrf": page.hidden("csrf"), "do": "approve"}
    assert manager.post(f"/admin/c/{campaign.slug}/crowd/{stored.study.key}", data=act).status_code == 303
    (study,) = twin(manager, campaign)
    assert (study["spent"], study["counts"], study["due"]) == (22, {"approved": 1}, 0)


def test_a_study_is_paused_resumed_and_closed(manager: Any, campaign: Any) -> None:
    sent(manager, campaign, confirmed="66")
    (study,) = twin(manager, campaign)
    address = f"/admin/c/{campaign.slug}/crowd/{study['key']}"
    for action, state in (("pause", "paused"), ("resume", "open"), ("ask", "open"), ("close", "closed")):
        csrf = manager.page(f"/admin/c/{campaign.slug}/crowd").hidden("csrf")
        assert manager.post(address, data={"csrf": csrf, "do": action}).status_code == 303
        assert twin(manager, campaign)[0]["state"] == state
    csrf = manager.page(f"/admin/c/{campaign.slug}/crowd").hidden("csrf")
    assert manager.post(address, data={"csrf": csrf, "do": "burn"}).status_code == 404


def test_a_publish_that_was_cut_off_is_taken_up_and_not_made_twice(
    site: Any, manager: Any, campaign: Any
) -> None:
    study = studies.new_study(
        campaign, "http://testserver", places=3, answers=10, reward=20, currency="USD", minutes=1.0
    )
    studies.create(site.db, campaign, study, "panel", {}, actor="lea")
    refused = sent(manager, campaign, confirmed="66")
    assert refused.status_code == 422 and "was interrupted" in refused.text
    csrf = manager.page(f"/admin/c/{campaign.slug}/crowd").hidden("csrf")
    manager.post(f"/admin/c/{campaign.slug}/crowd/{study.key}", data={"csrf": csrf, "do": "publish"})
    assert [one["state"] for one in twin(manager, campaign)] == ["open"]


def test_wrong_plans_come_back_with_a_line_and_viewers_only_look(
    site: Any, manager: Any, campaign: Any
) -> None:
    for fields, says in (
        ({"reward": "1,50"}, "not an amount of money"),
        ({"places": "many"}, "Places: enter a whole number"),
        ({"provider": "nobody"}, "unknown provider"),
        ({"options": "colour"}, "name=value"),
        ({"budget": "0.50"}, "more than the budget"),
        ({"minutes": "soon"}, "a number above 0"),
    ):
        answer = sent(manager, campaign, **fields)
        assert (answer.status_code, says in answer.text) == (422, True), fields
    viewer = site.account("viewer")
    page = viewer.page(f"/admin/c/{campaign.slug}/crowd")
    assert "Estimate the cost" not in page.text
    assert (
        viewer.post(f"/admin/c/{campaign.slug}/crowd", data={"csrf": page.hidden("csrf"), **PLAN}).status_code
        == 403
    )
    assert lifecycle.find(site.db, campaign.slug).state == "open"
