"""Agreement and results: computed beside the pages, shown with their time."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log


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


def files_of(answer: Any) -> dict[str, bytes]:
    with ZipFile(BytesIO(answer.content)) as archive:
        return {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_an_archive_without_names(site: Any, viewer: Any, tagged: Any) -> None:
    answer = viewer.post(f"/admin/c/{tagged.slug}/exports", **{"format-jsonl": "yes"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/zip"
    assert f'filename="{tagged.slug}.zip"' in answer.headers["content-disposition"]
    files = files_of(answer)
    assert {"responses.jsonl", "judgments.jsonl", "croissant.json", "datasheet.md"} <= set(files)
    assert not any(name.endswith((".csv", ".parquet")) for name in files)
    assert len(files["responses.jsonl"].splitlines()) == 12
    assert all(b"Person 1" not in content for content in files.values())
    entry = log.entries(site.db, tagged, limit=1)[0]
    assert (entry.actor, entry.action) == ("viewer one", "export")
    assert entry.detail["identities"] is False


def allow_names(site: Any, campaign: Any) -> None:
    allowed = replace(campaign.settings, identities_in_export=True)
    lifecycle.change_settings(site.db, campaign, allowed, actor="lea")


def test_names_need_a_manager_and_a_confirmation(site: Any, viewer: Any, manager: Any, tagged: Any) -> None:
    address = f"/admin/c/{tagged.slug}/exports"
    fields = {"format-csv": "yes", "identities": "yes"}
    refused = manager.post(address, **fields, confirm="yes")
    assert refused.status_code == 422
    assert "keep names out of exports" in refused.text
    allow_names(site, tagged)
    assert viewer.post(address, **fields, confirm="yes").status_code == 403
    unconfirmed = manager.post(address, **fields)
    assert unconfirmed.status_code == 422
    assert 'href="#f-confirm"' in unconfirmed.text
    assert [e for e in log.entries(site.db, tagged) if e.action == "export"] == []
    answer = manager.post(address, **fields, confirm="yes")
    assert b"Person 1" in files_of(answer)["raters.csv"]
    assert "identities" in answer.headers["content-disposition"]
    assert log.entries(site.db, tagged, limit=1)[0].detail["identities"] is True


def test_a_format_must_be_chosen(viewer: Any, tagged: Any) -> None:
    answer = viewer.post(f"/admin/c/{tagged.slug}/exports", **{"format-exe": "yes"})
    assert answer.status_code == 422
    assert "Choose at least one format" in answer.text


def test_the_page_says_what_is_inside(viewer: Any, manager: Any, site: Any, tagged: Any) -> None:
    found = viewer.twin(f"/admin/c/{tagged.slug}/exports")
    assert (found["responses"], found["identities"]) == (12, False)
    assert "thumb" not in found["contents"]
    text = viewer.text(f"/admin/c/{tagged.slug}/exports")
    assert "Include names and addresses" not in text
    assert "Include names and addresses" not in manager.text(f"/admin/c/{tagged.slug}/exports")
    assert "leave out raters&#39; names" in manager.text(f"/admin/c/{tagged.slug}/exports")
    allow_names(site, tagged)
    assert "Include names and addresses" in manager.text(f"/admin/c/{tagged.slug}/exports")
    assert viewer.twin(f"/admin/c/{tagged.slug}/exports")["identities"] is False
    thumb = site.campaign("thumb", title="Scores")
    assert "thumb" in manager.twin(f"/admin/c/{thumb.slug}/exports")["contents"]
    assert json.dumps(found)
