"""Captions with raters' marks: where they agree comes first."""

from __future__ import annotations

from typing import Any

# What each of two raters marks in the first and the second caption that they see; nothing in others.
PLACES = [((0, 4), (1, 5)), ((0, 2), (2, 4))]


def marked(site: Any, people: Any, let_work: Any) -> Any:
    """Two raters of six captions: they share three characters of one, none of another."""
    campaign = site.campaign("spans", images=3, raters=2, overall=False)
    order: dict[str, int] = {}

    def choose(at: int, item: Any) -> dict[str, Any]:
        place = order.setdefault(item.key, len(order))
        own = [PLACES[place][at]] if place < len(PLACES) else []
        return {"marks": [{"start": a, "end": b, "kind": "object", "severity": "minor"} for a, b in own]}

    let_work(site, campaign, people(site, campaign), choose)
    return campaign


def test_agreement_comes_first_and_captions_without_marks_are_left_out(
    viewer: Any, site: Any, people: Any, let_work: Any
) -> None:
    campaign = marked(site, people, let_work)
    viewer.twin(f"/admin/c/{campaign.slug}/results")
    found = viewer.twin(f"/admin/c/{campaign.slug}/marked")
    assert found["total"] == 2
    spans = [[row["start"] for rows in one["raters"].values() for row in rows] for one in found["captions"]]
    assert sorted(spans[0]) == [0, 1] and sorted(spans[1]) == [0, 2]
    text = viewer.text(f"/admin/c/{campaign.slug}/marked")
    assert "2 of 2" in text and "1 of 2" in text
    assert "Show marked captions" in viewer.text(f"/admin/c/{campaign.slug}/results")


def test_campaigns_without_marks_have_no_link(viewer: Any, tagged: Any) -> None:
    viewer.twin(f"/admin/c/{tagged.slug}/results")
    assert "Show marked captions" not in viewer.text(f"/admin/c/{tagged.slug}/results")
    assert "Nothing is marked yet" in viewer.text(f"/admin/c/{tagged.slug}/marked")
