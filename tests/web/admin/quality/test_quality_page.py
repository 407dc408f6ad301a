"""Flags explain themselves, and a lead decides about them."""

from __future__ import annotations

import json
from typing import Any

from captious.campaigns.exchange.export import export
from captious.campaigns.people import raters
from captious.campaigns.quality import control as quality
from captious.campaigns.records import NewRater
from captious.campaigns.work import aside, assignment


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
    assert (row["answered"], row["fast_share"], row["longest_run"]) == (24, 1.0, 24)

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


def test_notes_are_read_settled_put_back_and_exported(manager: Any, site: Any, tmp_path: Any) -> None:
    tagged = site.campaign("tagging")
    address = f"/admin/c/{tagged.slug}/notes"
    assert "No notes yet." in manager.text(address)
    people = raters.add(site.db, tagged, [NewRater("Ada"), NewRater("Bob")], actor="test")
    key = ""
    for rater in people:
        while (task := assignment.next_tasks(site.db, tagged, rater)[0]).item.key != (key or task.item.key):
            aside.put_aside(site.db, rater, task.token, "skip")
        key = task.item.key
        aside.put_aside(site.db, rater, task.token, "image", text="<b>Grey</b> only.")
    found = [one for one in manager.twin(address)["notes"] if one["kind"] == "image"]
    assert [(one["rater"], one["set_aside"]) for one in found] == [
        (people[1].pseudonym, True),
        (people[0].pseudonym, True),
    ]
    text = manager.text(address)
    assert "&lt;b&gt;Grey&lt;/b&gt; only." in text
    assert "Set aside: not given to anyone" in text
    assert manager.post(f"{address}/{found[0]['id']}", put_back="yes").status_code == 303
    after = [one for one in manager.twin(address)["notes"] if one["kind"] == "image"]
    assert all(one["settled_by"] and not one["set_aside"] for one in after)
    assert manager.post(f"{address}/{found[0]['id'] + 99}").status_code in (404, 409, 422)
    export(site.db, tagged, tmp_path, formats=["jsonl"])
    rows = [json.loads(line) for line in (tmp_path / "notes.jsonl").read_text().splitlines()]
    assert [(row["kind"], row["rater"]) for row in rows if row["kind"] == "image"] == [
        ("image", people[0].pseudonym),
        ("image", people[1].pseudonym),
    ]
