"""The lead's page of notes: what raters said, and items put back."""

from __future__ import annotations

import json
from typing import Any

from captious.campaigns.exchange.export import export
from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.work import aside, assignment


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
