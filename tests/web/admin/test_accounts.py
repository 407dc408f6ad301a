"""Accounts are the owner's business."""

from __future__ import annotations

import html
from typing import Any

from captious.campaigns.people import accounts
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log


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


def test_the_log_comes_in_pages_newest_first(site: Any, owner: Any, manager: Any) -> None:
    campaign = site.campaign()
    for turn in range(60):
        lifecycle.rename(site.db, campaign, f"Title {turn}", actor="lea")
    address = f"/admin/c/{campaign.slug}/log"
    first = manager.twin(address)
    assert len(first["entries"]) == 50
    assert first["entries"][0]["detail"] == {"title": "Title 59"}
    rest = manager.twin(f"{address}?before={first['older']}")
    # 60 renames, create and open are 62 entries.
    assert (len(rest["entries"]), rest["older"]) == (12, None)
    assert f'href="?before={first["older"]}"' in manager.text(address)
    assert "Title 3" in manager.text(f"{address}?before={first['older']}")
    whole = owner.twin("/admin/log")
    assert whole["entries"][0]["campaign"] == campaign.slug
    assert "Complete log" in owner.text("/admin/log")
    for wrong in ("0", "x", "99999999999999"):
        assert manager.get(f"{address}?before={wrong}").status_code == 422


def test_details_that_are_lists_read_as_text(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    detail = {"set": ["a/1", "<b>"], "taken away": [], "by": {"rule": 1}}
    with site.db.write() as connection:
        log.record(
            connection,
            "lea",
            "set known answers",
            time=1.0,
            campaign_id=campaign.id,
            subject="x",
            detail=detail,
        )
    text = manager.text(f"/admin/c/{campaign.slug}/log")
    assert "<b>set</b> a/1, &lt;b&gt;" in text
    assert "taken away" not in text
    assert '{"rule": 1}' in html.unescape(text)


PASSWORD = "correct horse battery"


def sign_in(site: Any, name: str, password: str, following: str = "") -> tuple[Any, Any]:
    visitor = site.visitor()
    csrf = visitor.page("/admin/sign-in").hidden("csrf")
    fields = {"csrf": csrf, "name": name, "password": password, "next": following}
    return visitor, visitor.post("/admin/sign-in", data=fields)


def test_the_right_password_opens_the_page_that_was_asked_for(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    stranger = site.visitor().get("/admin/log")
    assert stranger.status_code == 303
    assert stranger.headers["location"] == "/admin/sign-in?next=/admin/log"
    visitor, answer = sign_in(site, "lea", PASSWORD, "/admin/new")
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/new")
    assert visitor.get("/admin/new").status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_nobody_is_sent_to_another_site(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    for elsewhere in ("https://evil.example", "//evil.example", "/\\evil.example", "/work/x"):
        _, answer = sign_in(site, "lea", PASSWORD, elsewhere)
        assert answer.headers["location"] == "/admin"


def test_a_wrong_password_and_an_unknown_name_look_the_same(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    _, wrong = sign_in(site, "lea", "not this one")
    _, unknown = sign_in(site, "leo", "not this one")
    assert wrong.status_code == unknown.status_code == 401
    assert "The name or the password is wrong" in wrong.text
    assert "The name or the password is wrong" in unknown.text


def test_guessing_is_stopped_and_told_when_to_try_again(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    statuses = [sign_in(site, "lea", f"guess {n}")[1].status_code for n in range(7)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    _, answer = sign_in(site, "lea", PASSWORD)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


def test_signing_out_ends_the_session_on_the_server(manager: Any) -> None:
    kept = manager.visitor.client.cookies["captious_session"]
    assert manager.post("/admin/sign-out").status_code == 303
    manager.visitor.client.cookies.set("captious_session", kept)
    assert manager.get("/admin").status_code == 303


def test_the_present_password_is_needed_for_a_new_one(site: Any, manager: Any) -> None:
    address = "/admin/account"
    refused = manager.post(address, password="wrong", new_password="a new long password")
    assert refused.status_code == 422
    assert "not your current password" in refused.text
    short = manager.post(address, password=PASSWORD, new_password="short")
    assert short.status_code == 422
    done = manager.post(address, password=PASSWORD, new_password="a new long password")
    assert done.status_code == 303
    assert manager.get("/admin").status_code == 200
    assert sign_in(site, "manager one", "a new long password")[1].status_code == 303
    assert "change password" in [entry.action for entry in log.entries(site.db)]
