"""A draft is tried as raters would meet it, and nothing is stored."""

from __future__ import annotations

from typing import Any

from captious.campaigns.setup import lifecycle


def test_the_dry_run_checks_like_the_real_thing_and_stores_nothing(
    site: Any, manager: Any, draft: str, clock: Any
) -> None:
    page = manager.page(f"{draft}/try/1")
    assert page.action() == f"{draft}/try/1"
    assert "data-store" not in page.text
    empty = manager.post(f"{draft}/try/1")
    assert empty.status_code == 422
    assert "No answer" in empty.text
    clock.move(21)
    answer = manager.post(f"{draft}/try/1", verdict="minor")
    assert answer.headers["location"] == f"{draft}/tried/1"
    text = manager.text(f"{draft}/tried/1")
    assert "Minor errors" in text
    assert "It took 21 s" in text
    assert f'href="{draft}/try/2"' in text
    assert manager.get(f"{draft}/try/9").status_code == 404
    assert manager.get(f"{draft}/tried/3").status_code == 303
    assert lifecycle.listed(site.db) == []


def test_the_dry_run_shows_the_second_stage_with_the_first_answers(
    manager: Any, pictures: Any, files: Any, options: Any
) -> None:
    sent = manager.post("/admin/new/thumb", files(pictures), title="S", **options["thumb"])
    draft = sent.headers["location"]
    marks = {"precision": "4", "recall": "3", "conciseness": "0", "inclusive_language": "0"}
    fields = {f"{key}__{name}": mark for key in "AB" for name, mark in marks.items()}
    fields |= {f"{key}__errors": "unsure" for key in "AB"}
    answer = manager.post(f"{draft}/try/1", **fields)
    assert answer.status_code == 303, answer.text
    assert f"{draft}/try/1?later=true" in manager.text(f"{draft}/tried/1")
    second = manager.page(f"{draft}/try/1?later=true")
    assert second.checked()["A.precision"] == ["4"]
    confirmed = manager.post(f"{draft}/try/1?later=true", **fields)
    assert confirmed.headers["location"] == f"{draft}/tried/1?later=true"
    assert "/try/1?later=true" not in manager.text(f"{draft}/tried/1?later=true")
    assert manager.get(f"{draft}/try/2?later=true").status_code == 404
