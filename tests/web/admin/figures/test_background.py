"""Figures of a large campaign are worked out by a process of its own."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.web.admin.figures import background


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every campaign counts as a large one."""
    monkeypatch.setattr(background, "FEW_RESPONSES", 0)


def test_a_process_works_the_figures_out(large: None, site: Any, viewer: Any, tagged: Any) -> None:
    first = viewer.get(f"/api/admin/c/{tagged.slug}/disagreements").json()
    assert (first["computing"], first["computed_at"], first["rows"]) == (True, None, [])
    assert "being computed" in viewer.text(f"/admin/c/{tagged.slug}/disagreements")
    found = viewer.twin(f"/admin/c/{tagged.slug}/disagreements")
    assert found["total"] == 3
    # The process has the machine's clock, not the one of the test.
    assert abs(found["computed_at"] - time.time()) < 600
    quality = viewer.twin(f"/admin/c/{tagged.slug}/quality")
    assert [row["answered"] for row in quality["raters"]] == [6, 6]


def test_what_is_kept_is_shown_while_newer_figures_are_on_their_way(
    large: None, site: Any, manager: Any, tagged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/admin/c/{tagged.slug}/disagreements"
    before = manager.twin(address)
    raters.remove(site.db, raters.listed(site.db, tagged)[1], reason="test", actor="lea")
    soon = manager.get(f"/api{address}").json()
    assert (soon["computing"], soon["total"]) == (False, 3)  # too soon to ask again
    monkeypatch.setattr(background, "FRESH_LARGE", float("-inf"))
    old = manager.get(f"/api{address}").json()
    assert (old["computing"], old["total"]) == (True, 3)
    assert "Newer figures are being computed" in manager.text(address)
    after = manager.twin(address)
    assert after["total"] == 0
    assert after["computed_at"] > before["computed_at"]


def test_a_process_that_fails_is_logged_in_one_line(site: Any, caplog: pytest.LogCaptureFixture) -> None:
    url = site.db.engine.url.render_as_string(hide_password=False)
    asked = {"url": url, "files": str(site.db.files), "slug": "nothing", "kind": "results"}
    with caplog.at_level(logging.WARNING, logger="captious.web"):
        background._run(asked)
    (record,) = caplog.records
    assert record.getMessage().startswith('results of nothing: unknown campaign "nothing"')
