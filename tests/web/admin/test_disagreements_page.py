"""Disagreements side by side, and what an adjudicator decides."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from captious.campaigns.quality import adjudication
from captious.campaigns.store import log


def test_the_widest_disagreements_are_listed(viewer: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}/disagreements")
    # The raters differ on the three captions of dodo, by the whole scale.
    assert found["total"] == 3
    assert [row["spread"] for row in found["rows"]] == [1.0, 1.0, 1.0]
    assert all(not row["adjudicated"] for row in found["rows"])
    text = viewer.text(f"/admin/c/{tagged.slug}/disagreements")
    assert found["rows"][0]["why"] in text


def test_answers_stand_side_by_side(viewer: Any, tagged: Any) -> None:
    row = viewer.twin(f"/admin/c/{tagged.slug}/disagreements")["rows"][0]
    address = f"/admin/c/{tagged.slug}/disagreements/{row['item']}"
    found = viewer.twin(address)
    assert [column["rater"] for column in found["columns"]] == ["r001", "r002"]
    (question,) = found["questions"]
    assert [answer["value"] for answer in question["answers"]] == ["complete", "unrelated"]
    assert question["differs"]
    page = viewer.page(address)
    assert "It does not belong to this image" in page.text
    assert any(tag == "img" and one["src"] == found["image_url"] for tag, one in page.tags)
    assert "Keep this decision" not in page.text  # a viewer does not decide
    # Who wrote the caption is not told before it is decided.
    assert "dodo" not in page.text.replace(found["captions"][0]["text"], "")


def test_a_decision_is_kept_once_and_can_be_replaced(site: Any, manager: Any, tagged: Any) -> None:
    row = manager.twin(f"/admin/c/{tagged.slug}/disagreements")["rows"][0]
    address = f"/admin/c/{tagged.slug}/disagreements/{row['item']}"
    key = manager.page(address).hidden("key")
    empty = manager.post(address, key=key)
    assert empty.status_code == 422
    assert "No answer" in empty.text
    answer = manager.post(address, key=key, verdict="serious")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/admin/c/{tagged.slug}/disagreements")
    assert manager.post(address, key=key, verdict="minor").status_code == 303  # the same form again
    one = adjudication.disagreement(site.db, tagged, row["item"])
    assert one.decided == {"verdict": "serious"}
    assert [r.answers["verdict"] for r in one.responses] == ["complete", "unrelated"]
    page = manager.page(address)
    assert page.checked()["verdict"] == ["serious"]
    assert manager.post(address, key="another", verdict="minor").status_code == 303
    assert adjudication.disagreement(site.db, tagged, row["item"]).decided == {"verdict": "minor"}
    entries = [e for e in log.entries(site.db, tagged) if e.action == "adjudicate"]
    assert [entry.actor for entry in entries] == ["manager one", "manager one"]
    manager.twin(f"/admin/c/{tagged.slug}/disagreements")


def test_thumb_shows_both_stages_and_fills_in_what_all_agree_on(
    site: Any, manager: Any, people: Any, let_work: Any
) -> None:
    campaign = site.campaign("thumb", images=1)

    def choose(at: int, item: Any) -> dict[str, Any]:
        marks = {"precision": 5, "conciseness": "0", "inclusive_language": "0"}
        marks["recall"] = 2 if item.stage == "second" else 5
        return {f"{c.key}.{name}": mark for c in item.captions for name, mark in marks.items()}

    let_work(site, campaign, people(site, campaign), choose)
    (row,) = manager.twin(f"/admin/c/{campaign.slug}/disagreements")["rows"]
    assert "/" in row["item"]
    found = manager.twin(f"/admin/c/{campaign.slug}/disagreements/{row['item']}")
    assert [column["stage"] for column in found["columns"]] == ["first", "second"]
    differing = {one["field"] for one in found["questions"] if one["differs"]}
    assert differing == {"A.recall", "B.recall"}
    page = manager.page(f"/admin/c/{campaign.slug}/disagreements/{quote(row['item'])}")
    assert page.checked() == {
        "A.precision": ["5"],
        "A.conciseness": ["0"],
        "A.inclusive_language": ["0"],
        "B.precision": ["5"],
        "B.conciseness": ["0"],
        "B.inclusive_language": ["0"],
    }


def test_items_that_do_not_exist(manager: Any, tagged: Any) -> None:
    for item in ("nothing", "a/b/c", "%2e%2e", "first/'; DROP TABLE item; --"):
        address = f"/admin/c/{tagged.slug}/disagreements/{item}"
        assert manager.get(address).status_code == 404
        assert manager.get(f"/api{address}").status_code == 404
        assert manager.post(address, key="k", verdict="minor").status_code == 404


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
