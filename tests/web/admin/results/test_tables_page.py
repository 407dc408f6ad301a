"""Agreement, results and quality: computed beside the pages, shown with their time."""

from __future__ import annotations

from typing import Any

from captious.campaigns.people import raters
from captious.campaigns.quality import control as quality


def test_results_are_the_protocols_tables(viewer: Any, site: Any, tagged: Any) -> None:
    first = viewer.get(f"/api/admin/c/{tagged.slug}/results").json()
    assert first["computing"] or first["tables"]
    found = viewer.twin(f"/admin/c/{tagged.slug}/results")
    assert found["computed_at"] == site.db.now()
    assert found["responses"] == 12
    text = viewer.text(f"/admin/c/{tagged.slug}/results")
    for table in found["tables"]:
        assert table["title"] in text
        assert all(len(row) == len(table["columns"]) for row in table["rows"])


def test_agreement_has_intervals(viewer: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}/agreement")
    drawn = [table for table in found["tables"] if table["intervals"]]
    assert drawn
    for table in drawn:
        value = table["columns"].index("low") - 1
        for row, one in zip(table["rows"], table["intervals"], strict=True):
            assert one["value"] == row[value]
    assert "<svg" in viewer.text(f"/admin/c/{tagged.slug}/agreement")


def test_only_coefficients_are_read_from_chance_to_one(
    viewer: Any, site: Any, tagged: Any, people: Any, let_work: Any
) -> None:
    def preferred(_: int, item: Any) -> dict[str, str]:
        return {"preference": {"left": "9", "right": "1"}.get(item.check, "3")}

    halves = site.campaign("humanr", title="Halves", images=6, target=1, group_size=2, baseline=False)
    let_work(site, halves, people(site, halves), preferred)
    (table,) = viewer.twin(f"/admin/c/{halves.slug}/agreement")["tables"]
    assert table["title"] == "HUMANr of random halves of the raters"
    assert "1: perfect agreement; 0: what" not in viewer.text(f"/admin/c/{halves.slug}/agreement")
    viewer.twin(f"/admin/c/{tagged.slug}/agreement")
    assert viewer.text(f"/admin/c/{tagged.slug}/agreement").count("1: perfect agreement; 0: what") == 1


def test_without_responses_the_pages_say_so(viewer: Any, site: Any) -> None:
    campaign = site.campaign(opened=False)
    for kind, says in (
        ("agreement", "two raters must judge"),
        ("results", "no results yet"),
        ("disagreements", "There are no disagreements"),
        ("quality", "Nobody has rated yet"),
    ):
        viewer.twin(f"/admin/c/{campaign.slug}/{kind}")
        assert says in viewer.text(f"/admin/c/{campaign.slug}/{kind}")


def careless(site: Any, people: Any, let_work: Any) -> Any:
    """Three raters; the second always answers alike, in half a second."""
    campaign = site.campaign("tagging", title="Careless", images=12, raters=3, two_rounds=False)
    three = people(site, campaign, 3)
    options = ("complete", "incomplete", "minor", "serious")

    def choose(at: int, item: Any) -> dict[str, Any]:
        place = int(item.image.removeprefix("i")) % len(options)
        return {"verdict": "minor" if at == 1 else options[place]}

    let_work(site, campaign, three[1:2], lambda _, item: choose(1, item), seconds=0.5)
    let_work(site, campaign, [three[0], three[2]], choose)
    return campaign


def test_flags_explain_themselves_and_can_be_decided_twice(
    site: Any, manager: Any, people: Any, let_work: Any
) -> None:
    campaign = careless(site, people, let_work)
    address = f"/admin/c/{campaign.slug}/quality"
    found = manager.twin(address)
    flags = [flag for flag in found["flags"] if flag["rule"] == "minimum-time"]
    assert [flag["rater"] for flag in flags] == ["r002"]
    assert flags[0]["evidence"]["fast"] == 24
    text = manager.text(address)
    assert "Very fast answers" in text
    assert flags[0]["explanation"].split(";")[0] in text
    row = next(row for row in found["raters"] if row["rater"] == "r002")
    assert (row["answers"], row["fast_share"], row["longest_run"]) == (24, 1.0, 24)

    decide = f"{address}/{flags[0]['id']}"
    assert manager.post(decide, decision="maybe").status_code == 422
    assert manager.post(decide, decision="upheld").status_code == 303
    assert raters.listed(site.db, campaign)[1].state == "removed"
    assert "Dismiss instead" in manager.text(address)
    assert manager.post(decide, decision="dismissed").status_code == 303
    assert raters.listed(site.db, campaign)[1].state == "active"
    decided = next(f for f in quality.flags(site.db, campaign) if f.id == flags[0]["id"])
    assert (decided.decision, decided.decided_by) == ("dismissed", "manager one")
    manager.twin(address)


def test_a_flag_of_another_campaign_is_not_found(
    site: Any, manager: Any, tagged: Any, people: Any, let_work: Any
) -> None:
    campaign = careless(site, people, let_work)
    flag = manager.twin(f"/admin/c/{campaign.slug}/quality")["flags"][0]
    answer = manager.post(f"/admin/c/{tagged.slug}/quality/{flag['id']}", decision="upheld")
    assert answer.status_code == 404
    assert manager.post(f"/admin/c/{campaign.slug}/quality/0", decision="upheld").status_code == 422
