"""Agreement and results: computed beside the pages, shown with their time."""

from __future__ import annotations

from typing import Any


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
