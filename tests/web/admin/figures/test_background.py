"""Figures of a large campaign are worked out by a process of its own."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.web.admin.figures import background
from captious.web.admin.figures.background import OneAtATime


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


PATIENCE = 60.0


def test_work_takes_turns_and_a_key_that_waits_or_runs_is_not_begun_again() -> None:
    queue, done, begun, let_go, finished = OneAtATime(), [], *(threading.Event() for _ in range(3))

    def first() -> None:
        begun.set()
        let_go.wait(PATIENCE)
        done.append("first")

    def second() -> None:
        done.append("second")
        finished.set()

    queue.begin("a", "one", first)
    assert begun.wait(PATIENCE)
    queue.begin("a", "one again", lambda: done.append("again"))
    queue.begin("b", "two", second)
    assert done == []
    let_go.set()
    assert finished.wait(PATIENCE)
    assert done == ["first", "second"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_work_that_fails_can_be_begun_again() -> None:
    queue = OneAtATime()

    def fail() -> None:
        raise ValueError

    for name in ("captious-fail-1", "captious-fail-2"):
        queue.begin("a", name, fail)
        for thread in threading.enumerate():
            if thread.name == name:
                thread.join(PATIENCE)
    finished = threading.Event()
    queue.begin("a", "captious-works", finished.set)
    assert finished.wait(PATIENCE)
