"""Behind a proxy or not, under its own name or another: who is who, and where people are sent."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from captious.campaigns.people import accounts
from captious.web.guard import tickets

PASSWORD = "correct horse battery"
PROXY, VISITOR = "10.1.2.3", "198.51.100.7"


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost little to look at: the tests count tries, and make many."""
    monkeypatch.setattr(accounts, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    accounts._nobody.cache_clear()


def try_password(
    app: Any, password: str, *, peer: str, forwarded: str = "", cookies: dict[str, str] | None = None
) -> Any:
    client = TestClient(app, client=(peer, 50_000), cookies=cookies)
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/admin/sign-in").text)
    assert found is not None
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    fields = {"csrf": found[1], "name": "lea", "password": password}
    return client.post("/admin/sign-in", data=fields, headers=headers, follow_redirects=False)


@pytest.fixture
def proxied(make_site: Any, site: Any) -> Any:
    """A site behind a proxy that it knows."""
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    return make_site(site.db, trusted_proxies=("10.0.0.0/8",)).app


def test_visitors_behind_a_trusted_proxy_are_told_apart(proxied: Any) -> None:
    tries = [try_password(proxied, "wrong", peer=PROXY, forwarded="203.0.113.9") for _ in range(6)]
    assert tries[-1].status_code == 429
    assert try_password(proxied, PASSWORD, peer=PROXY, forwarded=VISITOR).status_code == 303


def test_what_a_visitor_writes_before_the_proxys_own_entry_counts_for_nothing(proxied: Any) -> None:
    tries = [
        try_password(proxied, "wrong", peer=PROXY, forwarded=f"192.0.2.{n}, 203.0.113.9, 10.9.9.9")
        for n in range(6)
    ]
    assert tries[-1].status_code == 429


def test_nobody_else_is_believed(proxied: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        tries = [
            try_password(proxied, "wrong", peer="203.0.113.9", forwarded=f"192.0.2.{n}") for n in range(6)
        ]
    assert tries[-1].status_code == 429
    said = [line for line in caplog.messages if "X-Forwarded-For" in line]
    assert said == [
        "X-Forwarded-For from 203.0.113.9 is ignored. If that is your proxy, "
        "give --trusted-proxies 203.0.113.9."
    ]


def test_a_proxy_tells_that_the_visitor_came_by_https(proxied: Any) -> None:
    for peer, secure in ((PROXY, True), ("203.0.113.9", False)):
        client = TestClient(proxied, client=(peer, 1))
        given = client.get("/admin/sign-in", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]
        assert ("Secure" in given) is secure


# Strangers and the manager.


def guess_from_everywhere(app: Any) -> set[int]:
    """As many wrong tries as all limits take, from eight places."""
    return {
        try_password(app, f"wrong {place} {n}", peer=f"203.0.113.{place}").status_code
        for place in range(1, 9)
        for n in range(2)
    }


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few tries are enough to reach the limit of a name."""
    monkeypatch.setattr(accounts, "MOST_FOR_NAME", 12)


def test_strangers_cannot_lock_out_a_device_that_has_signed_in_before(site: Any, quick: None) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    first = try_password(site.app, PASSWORD, peer=VISITOR)
    device = {"captious_device": first.cookies["captious_device"]}
    assert guess_from_everywhere(site.app) == {401, 429}
    # A new device waits; her own gets in, even from the place of an attacker.
    assert try_password(site.app, PASSWORD, peer="192.0.2.99").status_code == 429
    assert try_password(site.app, PASSWORD, peer=VISITOR, cookies=device).status_code == 303
    assert try_password(site.app, PASSWORD, peer="203.0.113.1", cookies=device).status_code == 303


def test_a_known_device_may_not_guess_either(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    first = try_password(site.app, PASSWORD, peer=VISITOR)
    device = {"captious_device": first.cookies["captious_device"]}
    tries = [
        try_password(site.app, f"wrong {n}", peer=f"192.0.2.{n}", cookies=device).status_code
        for n in range(7)
    ]
    assert tries == [401] * 5 + [429] * 2


@pytest.mark.parametrize("whose", ["forged", "eve"])
def test_a_cookie_that_was_not_given_for_the_account_helps_nobody(site: Any, quick: None, whose: str) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    accounts.create_account(site.db, "eve", PASSWORD, "viewer", actor="test")
    cookie = f"{'a' * 16}-{'b' * 32}"
    if whose == "eve":
        client = TestClient(site.app, client=("192.0.2.5", 1))
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/admin/sign-in").text)
        assert found is not None
        fields = {"csrf": found[1], "name": "eve", "password": PASSWORD}
        answer = client.post("/admin/sign-in", data=fields, follow_redirects=False)
        cookie = answer.cookies["captious_device"]
    guess_from_everywhere(site.app)
    answer = try_password(site.app, PASSWORD, peer="192.0.2.5", cookies={"captious_device": cookie})
    assert answer.status_code == 429


def test_the_browser_that_made_the_owners_account_is_known_to_it(site: Any, quick: None) -> None:
    ticket = tickets.issue(site.settings.secret, "setup", "owner", now=site.db.now(), hours=1.0)
    visitor = site.visitor()
    fields = {"name": "lea", "password": PASSWORD, "again": PASSWORD}
    fields["csrf"] = visitor.page(f"/setup/{ticket}").hidden("csrf")
    made = visitor.post(f"/setup/{ticket}", data=fields)
    device = {"captious_device": made.cookies["captious_device"]}
    guess_from_everywhere(site.app)
    assert try_password(site.app, PASSWORD, peer="192.0.2.99").status_code == 429
    assert try_password(site.app, PASSWORD, peer=VISITOR, cookies=device).status_code == 303


# Names.


@pytest.mark.parametrize("path", ["/admin/", "/work/dogs/", "/api/openapi.json/", "/nowhere/"])
def test_no_redirect_leads_where_the_host_header_says(site: Any, path: str) -> None:
    site.campaign()
    visitor, _ = site.rater(site.campaign(title="Cats"))
    for who in (visitor, site.visitor()):
        answer = who.get(path, headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"})
        assert answer.status_code in (303, 307, 401, 404)
        assert "evil.example" not in str(answer.headers)
        assert "evil.example" not in answer.text


def test_links_for_raters_do_not_follow_the_host_header(make_site: Any, site: Any) -> None:
    named = make_site(site.db, base_url="https://rate.example.org")
    campaign = named.campaign()
    owner = named.account("owner")
    csrf = owner.page("/admin/c/dogs/raters").hidden("csrf")
    answer = owner.post(
        "/admin/c/dogs/raters",
        data={"csrf": csrf, "lines": "Ada", "links": "yes"},
        headers={"Host": "evil.example"},
    )
    assert answer.status_code == 200, campaign
    assert "https://rate.example.org/join/" in answer.text
    assert "evil.example" not in answer.text


def test_only_the_names_of_the_site_are_answered(make_site: Any, site: Any) -> None:
    named = make_site(site.db, allowed_hosts=("rate.example.org", "*.lab.example", "::1"))
    visitor = named.visitor()
    for host, status in {
        "rate.example.org": 200,
        "RATE.example.org:443": 200,
        "a.lab.example": 200,
        "[::1]:8000": 200,
        "evil.example": 400,
        "rate.example.org.evil.example": 400,
        "lab.example": 400,
        "rate.example.org@evil.example": 400,
        "evil.example@rate.example.org": 400,
        "evil.example\\@rate.example.org": 400,
        "rate.example.org/evil": 400,
        "rate.example.org#evil": 400,
        "rate.example.org:evil": 400,
        "[::1]evil": 400,
        "": 400,
    }.items():
        assert visitor.get("/", headers={"Host": host}).status_code == status, host
    # A process manager asks by address.
    assert visitor.get("/health", headers={"Host": "10.0.0.5"}).status_code == 200
