"""Script in every text and SQL in every field: shown as text, stored as text, nothing breaks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'&"
SQL = "Robert'); DROP TABLE response; --"
PAGES = (
    "",
    "/raters",
    "/agreement",
    "/results",
    "/quality",
    "/disagreements",
    "/exports",
    "/settings",
    "/log",
)


def no_script(text: str) -> None:
    assert "<script>alert" not in text
    assert "<img src=x" not in text


@pytest.fixture
def hostile(site: Any, people: Any, let_work: Any) -> Any:
    """A campaign whose title, captions, raters, reasons and instructions are all hostile."""
    campaign = site.campaign(
        "tagging",
        title=SCRIPT,
        raters=2,
        two_rounds=False,
        captions=lambda image, system: f"{SCRIPT} {image} {system}",
    )
    two = people(site, campaign)
    let_work(site, campaign, two, lambda at, _: {"verdict": "complete" if at else "unrelated"})
    raters.add(site.db, campaign, [raters.NewRater(SCRIPT), raters.NewRater(SQL)], actor=SCRIPT)
    third = raters.listed(site.db, campaign)[2]
    raters.remove(site.db, third, reason=SCRIPT, actor=SQL)
    return campaign


def test_script_in_names_and_captions_is_text(manager: Any, hostile: Any) -> None:
    for kind in ("agreement", "results", "quality", "disagreements"):
        manager.twin(f"/admin/c/{hostile.slug}/{kind}")
    for page in PAGES:
        text = manager.text(f"/admin/c/{hostile.slug}{page}")
        no_script(text)
        assert "&lt;script&gt;" in text
    no_script(manager.text("/admin"))
    row = manager.twin(f"/admin/c/{hostile.slug}/disagreements")["rows"][0]
    text = manager.text(f"/admin/c/{hostile.slug}/disagreements/{row['item']}")
    no_script(text)
    assert "&lt;img src=x" in text
    third = manager.twin(f"/admin/c/{hostile.slug}/raters")["raters"][3]
    no_script(manager.text(f"/admin/c/{hostile.slug}/raters/{third['id']}/remove"))
    links = manager.post(f"/admin/c/{hostile.slug}/raters/{third['id']}/link")
    assert "DROP TABLE" in links.text
    no_script(links.text)


def test_script_in_uploaded_files_is_text(manager: Any) -> None:
    rows = [{"image_id": f"{SCRIPT}{n}", "caption": f"{SCRIPT} {n}"} for n in range(2)]
    sent = [("candidates", (f"{SCRIPT}.json", json.dumps(rows).encode()))]
    fields = {"option.raters": "1", "option.two_rounds": "", "option.interval": "0"}
    answer = manager.post("/admin/new/tagging", sent, title=SCRIPT, no_images="yes", **fields)
    assert answer.status_code == 303, answer.text
    draft = answer.headers["location"]
    for address in (draft, f"{draft}/edit", f"{draft}/try/1", "/admin/new"):
        no_script(manager.text(address))
    made = manager.post(f"{draft}/create")
    assert made.status_code == 303
    no_script(manager.text(made.headers["location"]))
    bad = manager.post("/admin/new/generic", sent, title=SCRIPT, protocol_text=SCRIPT)
    assert bad.status_code == 422
    no_script(bad.text)


def test_sql_in_every_field_is_only_text(site: Any, owner: Any, tagged: Any) -> None:
    slug = tagged.slug
    settings = dict.fromkeys(["instructions", "contact", "currency"], SQL) | {
        "title": SQL,
        "language": "en",
        "hold_seconds": "60",
        "link_days": "1",
        "minimum_seconds": "1",
        "straight_line": "9",
        "set_aside_after": "2",
        "retention_days": "0",
    }
    posts = [
        (f"/admin/c/{slug}/raters", {"lines": SQL.replace(";", " "), "links": "yes"}, 200),
        (f"/admin/c/{slug}/raters/1/remove", {"reason": SQL}, 303),
        (f"/admin/c/{slug}/settings", settings, 303),
        (f"/admin/c/{slug}/settings", dict.fromkeys(settings, SQL), 422),
        (f"/admin/c/{slug}/quality/1", {"decision": SQL}, 422),
        (f"/admin/c/{slug}/do/extend", {"target": SQL}, 422),
        (f"/admin/c/{slug}/exports", {"format-jsonl": SQL}, 422),
        (f"/admin/c/{slug}/disagreements/x", {"key": SQL, "verdict": SQL}, 404),
        ("/admin/accounts", {"name": SQL, "password": SQL, "role": "viewer"}, 303),
        ("/admin/accounts", {"name": "x", "password": SQL, "role": SQL}, 422),
        ("/admin/account", {"password": SQL, "new_password": SQL}, 422),
    ]
    for address, fields, status in posts:
        answer = owner.post(address, **fields)
        assert answer.status_code == status, (address, answer.text)
    for address in (f"/admin/c/{SQL}", f"/admin/c/{slug}/disagreements/{SQL}"):
        assert owner.get(address).status_code == 404
    for address in (f"/admin/c/{slug}/raters?offset={SQL}", f"/admin/c/{slug}/log?before={SQL}"):
        assert owner.get(address).status_code == 422
    found = lifecycle.find(site.db, slug)
    assert (found.title, found.settings.contact) == (SQL, SQL)
    assert owner.twin(f"/admin/c/{slug}")["counts"]["responses"] == 12


def test_strange_texts_are_answered_and_never_break(site: Any, manager: Any, tagged: Any) -> None:
    for strange in ("\u202eevil", "x" * 5000, "😀" * 50, "\ufffe", "%00", "{0.__class__}", "{{1237*7919}}"):
        for address, field in (
            (f"/admin/c/{tagged.slug}/raters", "lines"),
            (f"/admin/c/{tagged.slug}/settings", "title"),
            (f"/admin/c/{tagged.slug}/do/extend", "target"),
        ):
            answer = manager.post(address, **{field: strange})
            assert answer.status_code in (200, 303, 422), (address, strange)
            assert "9795803" not in answer.text or strange != "{{1237*7919}}"
