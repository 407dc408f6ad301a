"""Disagreements side by side, and what an adjudicator decides."""

from __future__ import annotations

from typing import Any


def test_the_widest_disagreements_are_listed(viewer: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}/disagreements")
    # The raters differ on the three captions of dodo, by the whole scale.
    assert found["total"] == 3
    assert [row["spread"] for row in found["rows"]] == [1.0, 1.0, 1.0]
    assert all(not row["adjudicated"] for row in found["rows"])
    text = viewer.text(f"/admin/c/{tagged.slug}/disagreements")
    assert found["rows"][0]["why"] in text


def test_a_long_list_comes_in_pages(site: Any, viewer: Any, people: Any, let_work: Any) -> None:
    campaign = site.campaign("tagging", images=14, raters=2, two_rounds=False)

    def choose(at: int, _: Any) -> dict[str, Any]:
        return {"verdict": "complete" if at else "unrelated"}

    let_work(site, campaign, people(site, campaign), choose)
    address = f"/admin/c/{campaign.slug}/disagreements"
    first = viewer.twin(address)
    assert (first["total"], len(first["rows"])) == (28, 25)
    assert f"{address}?offset=25" in viewer.text(address)
    rest = viewer.twin(f"{address}?offset=25")
    assert len(rest["rows"]) == 3
    assert viewer.get(f"{address}?offset=-1").status_code == 422
