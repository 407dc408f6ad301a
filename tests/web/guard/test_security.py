"""Attempts from outside: tokens, sizes, types, texts that no database keeps, addresses."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.crowd import studies
from captious.crowd.values import Remote
from captious.web.guard.headers_and_limits import HEADERS

SQL = "'; DROP TABLE response; --"


@pytest.fixture
def at_work(site):
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    return visitor, visitor.page(f"/work/{campaign.slug}"), campaign


def rows(site, campaign) -> int:
    return len(list(responses.stored(site.db, campaign)))


def test_a_write_needs_the_token_of_its_own_session(site, at_work) -> None:
    visitor, page, campaign = at_work
    other, _ = site.rater(campaign, "Ben")
    theirs = other.page(f"/work/{campaign.slug}").hidden("csrf")
    data = {"key": "k", "verdict": "minor"}
    for csrf in ("", "x", theirs, page.hidden("csrf")[:-1], "é"):
        answer = visitor.post(page.action(), data=data | {"csrf": csrf})
        assert answer.status_code == 403, csrf
        assert "nothing was changed" in answer.text
    assert visitor.post(page.action(), data=data).status_code == 403
    assert rows(site, campaign) == 0
    assert visitor.post(page.action(), data=data | {"csrf": page.hidden("csrf")}).status_code == 303


def test_a_visitors_token_is_worth_nothing_for_a_session(site, at_work) -> None:
    visitor, page, campaign = at_work
    _, address = site.invite(campaign, "Ben")
    mine = visitor.page(address).hidden("csrf")
    data = {"key": "k", "verdict": "minor", "csrf": mine}
    assert visitor.post(page.action(), data=data).status_code == 403


def test_a_link_is_used_only_from_its_own_page(site) -> None:
    campaign = site.campaign()
    _, address = site.invite(campaign)
    outside = site.visitor()
    assert outside.post(address, data={"csrf": "x"}).status_code == 403
    csrf = site.visitor().page(address).hidden("csrf")
    assert outside.post(address, data={"csrf": csrf}).status_code == 403
    assert outside.post(address, data={"csrf": outside.page(address).hidden("csrf")}).is_redirect


def test_every_answer_has_the_security_headers(site, at_work) -> None:
    visitor, page, _ = at_work
    answers = [
        visitor.get("/"),
        visitor.get("/no/such"),
        visitor.get("/work/dogs"),
        visitor.post("/"),
        visitor.get("/api/work/dogs"),
        visitor.get("/static/site.css"),
        visitor.post(page.action(), content=b"x" * 300_000),
        visitor.get("/a%00b"),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 200, 405, 200, 200, 413, 404]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    assert all(answer.headers["cache-control"] == "no-store" for answer in answers[:5])
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_a_fault_shows_no_traceback_and_has_the_headers(
    site, at_work, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, _, _ = at_work
    monkeypatch.setattr(site.app.state, "db", None)
    for address, kind in (("/work/dogs", "text/html"), ("/api/work/dogs", "application/json")):
        answer = visitor.get(address)
        assert answer.status_code == 500
        assert answer.headers["content-type"].startswith(kind)
        assert "Something went wrong on the server" in answer.text
        assert "Traceback" not in answer.text
        assert "NoneType" not in answer.text
        assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_what_is_too_large_or_does_not_say_its_size_is_refused(site, at_work) -> None:
    visitor, page, campaign = at_work
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    big = b"csrf=" + page.hidden("csrf").encode() + b"&key=k&verdict=" + b"x" * 300_000

    def pieces():
        for start in range(0, len(big), 50_000):
            yield big[start : start + 50_000]

    for body, status in ((big, 413), (pieces(), 411)):
        answer = visitor.post(page.action(), content=body, headers=form)
        assert answer.status_code == status
    file = {"candidates": ("a.json", b"x" * 600_000, "application/json")}
    assert visitor.post("/admin/new", files=file).status_code in (401, 413)
    assert rows(site, campaign) == 0


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"verdict": "minor"}'),
        ("text/plain", b"verdict=minor"),
        ("", b"verdict=minor"),
        ("multipart/form-data", b"no boundary"),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
        ("application/x-www-form-urlencoded", b"%ff%fe=%00&&&==%"),
        ("multipart/form-data; boundary=" + "x" * 5000, b"--x\r\n\r\n"),
    ],
)
def test_a_body_of_the_wrong_type_is_the_senders_fault(site, at_work, kind, body) -> None:
    visitor, page, campaign = at_work
    answer = visitor.post(page.action(), content=body, headers={"Content-Type": kind})
    assert answer.status_code in (400, 403, 415, 422)
    assert rows(site, campaign) == 0


@pytest.mark.parametrize("text", ["a\x00b", "\x00", SQL, "x" * 3000, "\u202e", "𝕏" * 200])
def test_any_text_in_any_field_is_stored_or_refused(db: Database, make_site, text: str) -> None:
    site = make_site(db)
    campaign = site.campaign("generic")
    visitor, _ = site.rater(campaign)
    page = visitor.page("/work/dogs")
    good = {"csrf": page.hidden("csrf"), "key": "k", "helpful": "50", "comment": "fine"}
    for name in [*good, "other"]:
        data = good | {name: text}
        answer = visitor.post(page.action(), data=data)
        assert answer.status_code in (303, 403, 422), (name, answer.status_code)
        draft = visitor.post(f"{page.action()}/draft", data=data)
        assert draft.status_code in (303, 403, 422), (name, draft.status_code)
    for name in ("slug", "task"):
        address = {"slug": f"/work/{text[:50]}", "task": f"/work/dogs/{text[:50]}"}[name]
        assert visitor.get(address.replace("\x00", "%00")).status_code in (401, 404)
    assert visitor.get("/guide/dogs", params={"stage": text[:50]}).status_code in (200, 404)
    stranger = site.visitor()
    stranger.client.cookies.set("captious_session_dogs", SQL)
    assert stranger.get("/work/dogs").status_code == 401


def test_half_of_a_character_in_json_is_refused(db: Database, make_site) -> None:
    site = make_site(db)
    site.campaign("generic")
    visitor, _ = site.rater(site.campaign("generic", title="Cats"))
    work = visitor.get("/api/work/cats").json()
    address = f"/api/work/cats/{work['tasks'][0]['task']}"
    headers = {"Idempotency-Key": "k", "X-CSRF-Token": work["csrf"], "Content-Type": "application/json"}
    for bad in (b'"\\ud800"', b'"\\u0000"', b'{"\\udfff": 1}', b'["\\ud800"]'):
        body = b'{"answers": {"helpful": 50, "comment": ' + bad + b"}}"
        assert visitor.post(address, content=body, headers=headers).status_code == 422
    for bad in (b"", b"{", b"[]", b"null", b'{"answers": 3}', b"\xff"):
        assert visitor.post(address, content=bad, headers=headers).status_code in (400, 422)


def test_an_upload_is_large_for_accounts_only(make_site, site) -> None:
    small = make_site(site.db, form_bytes=1000, upload_bytes=100_000)
    file = {"candidates": ("a.json", b"x" * 50_000, "application/json")}
    assert small.visitor().post("/admin/new", files=file).status_code == 413
    signed_in = small.account("manager")
    assert signed_in.post("/admin/new/thumb", files=file).status_code != 413
    larger = {"candidates": ("a.json", b"x" * 200_000, "application/json")}
    assert signed_in.post("/admin/new/thumb", files=larger).status_code == 413


def test_a_recording_is_large_for_raters_at_work_only(make_site, site) -> None:
    small = make_site(site.db, form_bytes=1000, recording_bytes=100_000)
    file = {"recording": ("a.wav", b"x" * 50_000, "audio/wav")}
    assert small.visitor().post("/work/cats/t", files=file).status_code == 413
    campaign = small.campaign("spoken")
    rater, _ = small.rater(campaign)
    assert rater.post(f"/work/{campaign.slug}/t", files=file).status_code != 413
    larger = {"recording": ("a.wav", b"x" * 200_000, "audio/wav")}
    assert rater.post(f"/work/{campaign.slug}/t", files=larger).status_code == 413


def test_pages_for_accounts_send_to_sign_in_and_json_says_401(site) -> None:
    visitor = site.visitor()
    answer = visitor.get("/admin?a=1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/admin/sign-in?next=/admin%3Fa%3D1"
    assert visitor.get("/admin", headers={"Accept": "application/json"}).status_code == 401


def test_an_old_session_cookie_of_a_rater_is_no_account(site, at_work) -> None:
    visitor, _, campaign = at_work
    token = visitor.client.cookies[f"captious_session_{campaign.slug}"]
    thief = site.visitor()
    thief.client.cookies.set("captious_session", token)
    assert thief.get("/admin").status_code == 303


WORKERS = "https://workersandbox.mturk.com"
IN_FRAME = {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}


def published(site: Any, campaign: Campaign, provider: str = "mturk") -> studies.Stored:
    plan = {"places": 3, "answers": 4, "reward": 150, "currency": "USD", "minutes": 6.0}
    study = studies.new_study(campaign, "https://rate.example.org", **plan)
    stored = studies.create(site.db, campaign, study, provider, {}, actor="lea")
    return studies.change(site.db, stored, actor="lea", action="publish", state="open", remote=Remote("3X"))


@pytest.fixture(autouse=True)
def _sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL_MTURK", raising=False)


def ancestors(answer: Any) -> str:
    parts = answer.headers["content-security-policy"].split("; ")
    return next(part.removeprefix("frame-ancestors ") for part in parts if part.startswith("frame-ancestors"))


def test_the_worker_site_may_frame_the_work_and_nothing_else(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    visitor, rater = site.rater(campaign)
    task = site.task(campaign, rater).token
    for address in (f"/work/{campaign.slug}", f"/work/{campaign.slug}/{task}", f"/guide/{campaign.slug}"):
        framed = visitor.get(address, headers=IN_FRAME)
        assert ancestors(framed) == WORKERS
        assert "x-frame-options" not in framed.headers
        assert "x-content-type-options" in framed.headers
    for address in ("/", "/admin", "/admin/sign-in", f"/admin/c/{campaign.slug}", "/health"):
        other = visitor.get(address, headers=IN_FRAME)
        assert ancestors(other) == "'none'"
        assert other.headers["x-frame-options"] == "DENY"


def test_no_other_campaign_may_be_framed(site: Any) -> None:
    at_home, at_panel = site.campaign(title="Cats"), site.campaign(title="Birds")
    published(site, at_panel, "panel")
    planned = site.campaign(title="Bees")
    draft = studies.new_study(
        planned, "https://x.example", places=1, answers=1, reward=10, currency="USD", minutes=1.0
    )
    studies.create(site.db, planned, draft, "mturk", {}, actor="lea")
    for campaign in (at_home, at_panel, planned):
        visitor, _ = site.rater(campaign)
        assert ancestors(visitor.get(f"/work/{campaign.slug}", headers=IN_FRAME)) == "'none'"
    assert ancestors(site.visitor().get("/work/nowhere", headers=IN_FRAME)) == "'none'"


def test_a_page_that_is_not_asked_for_in_a_frame_is_as_closed_as_ever(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    visitor, _ = site.rater(campaign)
    plain = visitor.get(f"/work/{campaign.slug}")
    assert ancestors(plain) == "'none'"
    assert plain.headers["x-frame-options"] == "DENY"


def test_a_browser_that_keeps_no_cookie_in_a_frame_is_led_to_a_tab(site: Any) -> None:
    stored = published(site, site.campaign())
    address = f"/go/{stored.study.key}?assignmentId=3A&hitId=3B&workerId=A1&turkSubmitTo={WORKERS}"
    framed = site.visitor().post(address, headers=IN_FRAME, data={"csrf": "none was kept"})
    assert framed.status_code == 200
    assert ancestors(framed) == WORKERS
    assert f"/go/{stored.study.key}?assignmentId=3A" in framed.text
    # Without a frame a missing cookie is a missing token, as everywhere.
    assert site.visitor().post(address, data={"csrf": "x"}).status_code == 403


def test_cookies_in_the_frame_come_back_to_the_frame_only(site: Any) -> None:
    campaign = site.campaign()
    published(site, campaign)
    framed = site.visitor().get(f"/work/{campaign.slug}", headers=IN_FRAME)
    (visitor,) = framed.headers.get_list("set-cookie")
    assert visitor.startswith("captious_visitor=")
    for part in ("HttpOnly", "Secure", "SameSite=None", "Partitioned"):
        assert f"; {part}" in visitor
    plain = site.visitor().get(f"/work/{campaign.slug}")
    (usual,) = plain.headers.get_list("set-cookie")
    assert "samesite=lax" in usual.lower()
    assert "Partitioned" not in usual
