"""A draft is its maker's own, and is forgotten in time."""

from __future__ import annotations

from typing import Any

from captious.campaigns.setup import lifecycle
from captious.web.admin.setup.wizard.drafts import drafts_of


def test_a_draft_is_its_makers_own(site: Any, manager: Any, owner: Any, draft: str) -> None:
    assert manager.get(draft).status_code == 200
    assert draft in manager.text("/admin/new")
    assert draft not in owner.text("/admin/new")
    for address in (
        draft,
        f"/api{draft}",
        f"{draft}/edit",
        f"{draft}/try/1",
        f"{draft}/images/0",
        f"{draft}/tried/1",
    ):
        assert owner.get(address).status_code == 404
    for address in (f"{draft}/create", f"{draft}/discard", f"{draft}/try/1"):
        assert owner.post(address).status_code == 404
    assert lifecycle.listed(site.db) == []


def test_drafts_are_thrown_away_and_forgotten(site: Any, manager: Any, draft: str) -> None:
    assert manager.post(f"{draft}/discard").status_code == 303
    assert manager.get(draft).status_code == 404
    drafts = drafts_of(site.db)
    token = drafts.begin()
    assert drafts.sweep(drafts.place(token).stat().st_mtime + 8 * 24 * 3600) == 1
    assert not drafts.place(token).exists()
