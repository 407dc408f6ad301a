"""Accounts are the owner's business."""

from __future__ import annotations

from typing import Any

from captious.campaigns.people import accounts


def test_an_owner_adds_an_account_that_can_sign_in(site: Any, owner: Any) -> None:
    answer = owner.post("/admin/accounts", name="Mo", password="a long enough one", role="viewer")
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/accounts")
    assert accounts.sign_in(site.db, "Mo", "a long enough one", source="test").role == "viewer"
    rows = owner.twin("/admin/accounts")["accounts"]
    assert [(row["name"], row["role"]) for row in rows] == [("Mo", "viewer"), ("owner one", "owner")]


def test_what_is_wrong_stands_at_its_field(owner: Any) -> None:
    short = owner.post("/admin/accounts", name="Mo", password="short", role="viewer")
    assert short.status_code == 422
    assert 'href="#f-password"' in short.text
    taken = owner.post("/admin/accounts", name="owner one", password="long enough", role="viewer")
    assert 'href="#f-name"' in taken.text
    no_role = owner.post("/admin/accounts", name="Mo", password="long enough", role="emperor")
    assert no_role.status_code == 422
    assert len(owner.twin("/admin/accounts")["accounts"]) == 1


def test_a_closed_account_is_out_at_once_and_can_be_opened_again(site: Any, owner: Any, manager: Any) -> None:
    found = next(one for one in accounts.accounts(site.db) if one.role == "manager")
    assert owner.post(f"/admin/accounts/{found.id}/disable").status_code == 303
    assert manager.get("/admin").status_code == 303
    assert owner.post(f"/admin/accounts/{found.id}/enable").status_code == 303
    assert [one.disabled for one in accounts.accounts(site.db)] == [False, False]


def test_nobody_closes_their_own_account(site: Any, owner: Any) -> None:
    own = accounts.accounts(site.db)[0]
    answer = owner.post(f"/admin/accounts/{own.id}/disable")
    assert answer.status_code == 422
    assert "your own account" in answer.text
    assert owner.post("/admin/accounts/999/disable").status_code == 404
