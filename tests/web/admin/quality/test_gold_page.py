"""A lead marks items as known, by hand or by a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from captious.campaigns.quality import gold
from captious.campaigns.work import reading


def gold_of(site: Any, campaign: Any) -> dict[str, Any]:
    return {one.item.key: dict(one.known) for one in gold.listed(site.db, campaign)}


def test_items_are_marked_on_the_form_of_the_work(site: Any, send: Any) -> None:
    campaign, owner = site.campaign("thumb", images=1), site.account()
    (item,) = reading.items(site.db, campaign)
    here = f"/admin/c/{campaign.slug}/gold"
    page = owner.page(here)
    (mark,) = [one["href"] for one in page.links if "/gold/item" in one["href"]]
    data = {"A.precision": "4", "B.conciseness": "0.5", ".tolerance": "1"}
    assert send(owner, mark, **data).status_code == 303
    (found,) = gold.listed(site.db, campaign)
    assert found.known == {"A.precision": {"value": 4.0, "tolerance": 1.0}, "B.conciseness": "0.5"}
    assert found.item.key == item.key
    assert "; 3 to 5 accepted" in owner.page(here).text
    assert send(owner, mark, **{".clear": "yes"}).status_code == 303
    assert gold.listed(site.db, campaign) == []


def test_known_marks_are_those_of_the_form(site: Any, send: Any) -> None:
    campaign, owner = site.campaign("spans", images=1), site.account()
    (item, *_) = reading.items(site.db, campaign)
    mark = f"/admin/c/{campaign.slug}/gold/item?key={item.key}"
    marks = [{"start": 0, "end": 1, "kind": "object", "severity": "major"}]
    assert send(owner, mark, marks=json.dumps(marks), score="50").status_code == 303
    assert gold_of(site, campaign)[item.key] == {"marks": marks, "score": 50.0}
    assert "Object, major" in owner.page(f"/admin/c/{campaign.slug}/gold").text
    assert send(owner, mark, marks="[]", score="40").status_code == 303
    assert gold_of(site, campaign)[item.key] == {"score": 40.0}


def test_a_file_of_known_answers_is_read_as_the_command_line_reads_it(
    site: Any, tmp_path: Path, send: Any
) -> None:
    campaign, owner = site.campaign(images=1), site.account()
    item = reading.items(site.db, campaign)[0]
    row = {"image": item.image, "caption": item.captions[0].text, "answers": {"verdict": "minor"}}
    here = f"/admin/c/{campaign.slug}/gold"
    good = {"gold_file": ("known.json", json.dumps([row]).encode())}
    assert send(owner, here, good).status_code == 303
    assert gold_of(site, campaign) == {item.key: {"verdict": "minor"}}
    nothing = send(owner, here, {"gold_file": ("known.json", b"{}")})
    assert (nothing.status_code, "holds no known answers" in nothing.text) == (422, True)
    bad = {"gold_file": ("known.json", b'{"nobody": {}}')}
    answer = send(owner, here, bad)
    assert (answer.status_code, "nobody" in answer.text) == (422, True)
    assert site.account("viewer").get(here).status_code == 403  # who rates must not see them
