"""Signing in and out, and one's own password."""

from __future__ import annotations

from typing import Any

from captious.campaigns.people import accounts
from captious.campaigns.store import log

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
