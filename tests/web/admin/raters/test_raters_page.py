"""Adding raters, their links, removing them and taking them back."""

from __future__ import annotations

import re
from typing import Any

from captious.campaigns.people import raters
from captious.campaigns.store import log


def test_pasted_lines_become_raters_with_links_that_work(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    answer = manager.post(
        f"/admin/c/{campaign.slug}/raters",
        lines="Ann Lee, ann@example.org, native\r\n\r\nBob\r\n",
        links="yes",
    )
    assert answer.status_code == 200
    found = raters.listed(site.db, campaign)
    assert [(r.pseudonym, r.name, r.email, r.native) for r in found] == [
        ("r001", "Ann Lee", "ann@example.org", True),
        ("r002", "Bob", "", False),
    ]
    addresses = re.findall(r'value="(/join/[^"]+)"', answer.text)
    assert len(addresses) == 2
    rater = site.visitor()
    assert "Dogs" in rater.page(addresses[0]).text
    token = addresses[0].removeprefix("/join/")
    # The link is shown once and kept nowhere.
    assert token not in manager.text(f"/admin/c/{campaign.slug}/raters")
    assert token not in manager.text(f"/admin/c/{campaign.slug}/log")
    assert "make links" in [entry.action for entry in log.entries(site.db, campaign)]


def test_links_follow_the_address_that_people_use(make_site: Any, site: Any) -> None:
    there = make_site(site.db, base_url="https://rate.example.org")
    campaign = site.campaign()
    rater, _ = site.invite(campaign)
    visitor = there.account("manager")
    csrf = visitor.page("/admin").hidden("csrf")
    answer = visitor.post(f"/admin/c/{campaign.slug}/raters/{rater.id}/link", data={"csrf": csrf})
    assert 'value="https://rate.example.org/join/' in answer.text


def test_ended_links_open_nothing(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    rater, address = site.invite(campaign)
    visitor, _ = site.rater(campaign, "Bea")
    assert manager.post(f"/admin/c/{campaign.slug}/raters/{rater.id}/revoke").status_code == 303
    assert site.visitor().get(address).status_code == 410
    assert visitor.get(f"/work/{campaign.slug}").status_code == 200  # another rater's stays


def test_a_rater_is_removed_with_a_reason_and_taken_back(site: Any, manager: Any, tagged: Any) -> None:
    second = raters.listed(site.db, tagged)[1]
    address = f"/admin/c/{tagged.slug}/raters/{second.id}"
    assert "6 responses" in manager.text(f"{address}/remove")
    assert manager.post(f"{address}/remove", reason="  ").status_code == 422
    assert manager.post(f"{address}/remove", reason="x" * 501).status_code == 422
    assert manager.post(f"{address}/remove", reason="asked to stop").status_code == 303
    row = manager.twin(f"/admin/c/{tagged.slug}/raters")["raters"][1]
    assert (row["state"], row["reason"], row["answered"]) == ("removed", "asked to stop", 6)
    assert manager.twin(f"/admin/c/{tagged.slug}")["counts"]["done"] == 6
    assert manager.post(f"{address}/reinstate").status_code == 303
    assert manager.twin(f"/admin/c/{tagged.slug}")["counts"]["done"] == 12
    actions = [entry.action for entry in log.entries(site.db, tagged, limit=2)]
    assert actions == ["reinstate rater", "remove rater"]


def test_a_viewer_sees_pseudonyms_only(site: Any, viewer: Any, tagged: Any) -> None:
    text = viewer.text(f"/admin/c/{tagged.slug}/raters")
    assert "r001" in text
    rows = viewer.twin(f"/admin/c/{tagged.slug}/raters")["raters"]
    assert [(row["name"], row["email"]) for row in rows] == [(None, None), (None, None)]
    for address in ("", "/raters", "/quality", "/disagreements", "/log", "/exports"):
        for shown in (
            viewer.text(f"/admin/c/{tagged.slug}{address}"),
            str(viewer.twin(f"/admin/c/{tagged.slug}{address}")),
        ):
            assert "Person 1" not in shown
            assert "person1@example.org" not in shown


def test_raters_of_other_campaigns_are_not_found(site: Any, manager: Any, tagged: Any) -> None:
    other = site.campaign(title="Other")
    stranger = raters.listed(site.db, tagged)[0]
    for what in ("link", "revoke", "remove", "reinstate"):
        address = f"/admin/c/{other.slug}/raters/{stranger.id}/{what}"
        assert manager.post(address, reason="x").status_code == 404
    assert manager.get(f"/admin/c/{other.slug}/raters/0/remove").status_code == 422


def test_many_raters_come_in_pages(site: Any, manager: Any, people: Any) -> None:
    campaign = site.campaign()
    people(site, campaign, 203)
    first = manager.twin(f"/admin/c/{campaign.slug}/raters")
    assert (first["total"], len(first["raters"])) == (203, 200)
    assert f"/admin/c/{campaign.slug}/raters?offset=200" in manager.text(f"/admin/c/{campaign.slug}/raters")
    rest = manager.twin(f"/admin/c/{campaign.slug}/raters?offset=200")
    assert [row["pseudonym"] for row in rest["raters"]] == ["r201", "r202", "r203"]
