"""A rater sees what is stored of them, and erases it."""

from __future__ import annotations

from typing import Any

from captious.campaigns.people import raters


def test_a_rater_sees_what_is_stored_and_erases_it(site: Any) -> None:
    campaign = site.campaign()
    visitor, rater = site.rater(campaign, "Adalberta Quux")
    address = f"/data/{campaign.slug}"
    page = visitor.page(address)
    assert "Adalberta Quux" in page.text
    assert rater.pseudonym in page.text
    assert address in visitor.page(f"/answers/{campaign.slug}").text
    csrf = page.hidden("csrf")
    assert visitor.post(address, data={"csrf": "wrong", "sure": "yes"}).status_code == 403
    assert visitor.post(address, data={"csrf": csrf}).status_code == 409
    assert raters.find(site.db, campaign, rater.id).name == "Adalberta Quux"
    done = visitor.post(address, data={"csrf": csrf, "sure": "yes"})
    assert done.status_code == 303
    assert raters.find(site.db, campaign, rater.id).pseudonym == "erased-1"
    assert visitor.get(address).status_code == 401
    assert visitor.get(f"/work/{campaign.slug}").status_code == 401


def test_nobody_sees_another_s_data(site: Any) -> None:
    campaign, other = site.campaign(), site.campaign(title="Cats")
    visitor, _ = site.rater(other, "Eve")
    assert visitor.get(f"/data/{campaign.slug}").status_code == 401
    assert site.visitor().get(f"/data/{campaign.slug}").status_code == 401
