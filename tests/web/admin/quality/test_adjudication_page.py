"""Answers stand side by side, and a lead decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import captious.web
from captious.campaigns.quality import adjudication
from captious.campaigns.store import log
from captious.charts.marked_text import MARKED_CSS


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
    assert "Save this decision" not in page.text  # a viewer does not decide
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
    assert answer.status_code == 303
    # On to the next that is open, with the way back to this one.
    following = manager.twin(address)["place"]["open_after"]
    assert answer.headers["location"].startswith(f"/admin/c/{tagged.slug}/disagreements/{following}?from=")
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


def test_the_queue_leads_through_all_and_ends(site: Any, manager: Any, tagged: Any) -> None:
    queue = f"/admin/c/{tagged.slug}/disagreements"
    rows = manager.twin(queue)["rows"]
    keys = [row["item"] for row in rows]
    places = [manager.twin(f"{queue}/{key}")["place"] for key in keys]
    assert [one["at"] for one in places] == [1, 2, 3]
    assert [one["before"] for one in places] == ["", *keys[:2]]
    assert [one["after"] for one in places] == [*keys[1:], ""]
    address, seen = f"{queue}/{keys[0]}", []
    for _ in keys:
        page = manager.page(address)
        # The second rater's answers are taken as they are.
        answer = manager.post(address.partition("?")[0], key=page.hidden("key") + "-take", take="2")
        assert answer.status_code == 303
        address = answer.headers["location"]
        seen.append(address)
    assert seen[-1] == queue
    assert manager.twin(queue)["place"]["decided"] == 3
    decided = [adjudication.disagreement(site.db, tagged, key).decided for key in keys]
    assert decided == [{"verdict": "unrelated"}] * 3


def test_a_decision_can_be_taken_back_and_nothing_is_deleted(site: Any, manager: Any, tagged: Any) -> None:
    queue = f"/admin/c/{tagged.slug}/disagreements"
    key = manager.twin(queue)["rows"][0]["item"]
    address = f"{queue}/{key}"

    def post(number: int, **fields: str) -> None:
        assert manager.post(address, key=f"key-{number}", **fields).status_code == 303

    def decided() -> Any:
        return adjudication.disagreement(site.db, tagged, key).decided

    post(1, verdict="minor")
    post(2, verdict="serious")
    post(3, undo="yes")
    assert decided() == {"verdict": "minor"}
    post(4, undo="yes")
    # The undo is undone.
    assert decided() == {"verdict": "serious"}
    other = manager.twin(queue)["rows"][1]["item"]
    manager.post(f"{queue}/{other}", key="first", take="1")
    assert manager.post(f"{queue}/{other}", key="back", undo="yes").status_code == 303
    assert adjudication.disagreement(site.db, tagged, other).decided is None
    assert [one.item for one in adjudication.decisions(site.db, tagged)] == [f"adjudication/{key}"]
    nothing = manager.post(f"{queue}/{other}", key="again", undo="yes")
    assert nothing.status_code == 422
    assert "nothing has been decided" in nothing.text
    actions = [e.action for e in log.entries(site.db, tagged)]
    assert actions.count("take back decision") == 3


def test_a_rater_who_is_not_there_cannot_be_taken(manager: Any, viewer: Any, tagged: Any) -> None:
    row = manager.twin(f"/admin/c/{tagged.slug}/disagreements")["rows"][0]
    address = f"/admin/c/{tagged.slug}/disagreements/{row['item']}"
    for place in ("3", "0", "x"):
        assert manager.post(address, key="k", take=place).status_code == 422
    assert viewer.post(address, key="k", take="1").status_code == 403


def test_marks_in_pages_look_as_in_reports() -> None:
    sheet = Path(captious.web.__file__).parent / "static" / "marked.css"
    assert sheet.read_text(encoding="utf-8").replace("\n", "") == MARKED_CSS
