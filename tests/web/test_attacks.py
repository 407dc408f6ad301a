"""Attempts to see, write or break what is not one's own, on every page that there is."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from captious.campaigns.people import accounts, links, raters
from captious.campaigns.records import Campaign, NewRater, Receipt, Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus
from captious.web.guard.headers_and_limits import HEADERS

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'&"
FORMULA = '=HYPERLINK("http://evil.example","x")'
PASSWORD = "correct horse battery"


def rows(site: Any, campaign: Campaign) -> int:
    return len(list(responses.stored(site.db, campaign)))


# Links.


def test_a_link_signed_with_another_secret_opens_nothing(site: Any) -> None:
    rater, _ = site.invite(site.campaign())
    forged = links.make_link(site.db, rater, secret=b"a secret that someone else drew")
    assert site.visitor().get(f"/join/{forged}").status_code == 403


def test_no_changed_bit_of_a_link_is_overlooked(site: Any) -> None:
    _, address = site.invite(site.campaign())
    token = address.removeprefix("/join/")
    visitor = site.visitor()
    for at in range(len(token)):
        other = "A" if token[at] != "A" else "Q"
        changed = f"/join/{token[:at]}{other}{token[at + 1 :]}"
        assert visitor.get(changed).status_code in (403, 410), at


def test_revoking_ends_the_link_and_the_session_that_it_began(site: Any) -> None:
    campaign = site.campaign()
    visitor, rater = site.rater(campaign)
    page = visitor.page("/work/dogs")
    links.revoke(site.db, rater, actor="lea")
    data = {"csrf": page.hidden("csrf"), "key": "k", "verdict": "minor"}
    assert visitor.get("/work/dogs").status_code == 401
    assert visitor.post(page.action(), data=data).status_code == 401
    assert rows(site, campaign) == 0


def test_a_removed_raters_answers_count_for_nothing(site: Any) -> None:
    campaign = site.campaign()
    visitor, rater = site.rater(campaign)
    page = visitor.page("/work/dogs")
    raters.remove(site.db, rater, reason="asked to", actor="lea")
    data = {"csrf": page.hidden("csrf"), "key": "k", "verdict": "minor"}
    visitor.post(page.action(), data=data)
    assert responses.latest_responses(site.db, campaign)[1] == []


# Other people's work.


def test_a_task_of_another_campaign_is_not_there(site: Any) -> None:
    one, two = site.campaign(title="One"), site.campaign(title="Two")
    visitor, _ = site.rater(one)
    _, address = site.invite(two)
    visitor.post(address, data={"csrf": visitor.page(address).hidden("csrf")})
    mine, other = visitor.page("/work/one"), visitor.page("/work/two")
    token = other.action().rpartition("/")[2]
    data = {"csrf": mine.hidden("csrf"), "key": "k", "verdict": "minor"}
    headers = {"Idempotency-Key": "k", "X-CSRF-Token": mine.hidden("csrf")}
    answers = [
        visitor.get(f"/work/one/{token}"),
        visitor.post(f"/work/one/{token}", data=data),
        visitor.post(f"/work/one/{token}/draft", data=data),
        visitor.post(f"/api/work/one/{token}", json={"answers": {}}, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [404] * 4
    # The token of one campaign's session is none for the other's, though the person is the same.
    assert visitor.post(other.action(), data=data).status_code == 403
    assert rows(site, one) == rows(site, two) == 0


def test_another_raters_key_is_ones_own_key(site: Any) -> None:
    """A key that someone else used tells nothing and takes nothing."""
    campaign = site.campaign()
    (ada, _), (ben, _) = site.rater(campaign), site.rater(campaign, "Ben")
    for visitor in (ada, ben):
        page = visitor.page("/work/dogs")
        data = {"csrf": page.hidden("csrf"), "key": "same", "verdict": "minor"}
        answer = visitor.post(page.action(), data=data, headers={"Accept": "application/json"})
        assert answer.json()["duplicate"] is False
    assert rows(site, campaign) == 2


@pytest.mark.parametrize("part", ["task", "slug", "digest", "draft", "rater", "item"])
def test_guessing_finds_nothing(site: Any, part: str) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    owner = site.account("owner")
    for _ in range(5):
        guess = {
            "task": (visitor, f"/work/dogs/{secrets.token_urlsafe(18)}"),
            "slug": (visitor, f"/work/{secrets.token_hex(4)}"),
            "digest": (visitor, f"/images/dogs/{secrets.token_hex(32)}"),
            "draft": (owner, f"/admin/drafts/{secrets.token_hex(16)}"),
            "rater": (owner, f"/admin/c/dogs/raters/{10_000 + secrets.randbelow(999)}/remove"),
            "item": (owner, f"/admin/c/dogs/disagreements/{secrets.token_hex(4)}"),
        }
        who, address = guess[part]
        assert who.get(address).status_code in (401, 404)


# Signing in.


def sign_in(site: Any, name: str, password: str, source: str) -> Any:
    client = TestClient(site.app, client=(source, 50_000))
    page = client.get("/admin/sign-in").text
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    fields = {"csrf": found[1], "name": name, "password": password}
    return client.post("/admin/sign-in", data=fields, follow_redirects=False)


def test_one_place_locks_itself_out_and_nobody_else(site: Any) -> None:
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    statuses = {sign_in(site, "lea", f"guess {n}", "203.0.113.7").status_code for n in range(12)}
    assert statuses == {401, 429}
    assert sign_in(site, "lea", PASSWORD, "203.0.113.7").status_code == 429
    assert sign_in(site, "lea", PASSWORD, "198.51.100.2").status_code == 303


def test_a_header_does_not_make_another_place(site: Any) -> None:
    """Where a try comes from is the connection, not what the sender says of it."""
    accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    client = TestClient(site.app, client=("203.0.113.7", 50_000))
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/admin/sign-in").text)
    assert found is not None
    statuses = []
    for n in range(7):
        fields = {"csrf": found[1], "name": "lea", "password": "wrong"}
        headers = {"X-Forwarded-For": f"10.0.0.{n}", "Forwarded": f"for=10.0.0.{n}"}
        statuses.append(client.post("/admin/sign-in", data=fields, headers=headers).status_code)
    assert statuses[-1] == 429


def test_a_session_that_was_planted_before_is_not_the_one_that_begins(site: Any) -> None:
    made = accounts.create_account(site.db, "lea", PASSWORD, "manager", actor="test")
    theirs = accounts.create_account(site.db, "eve", PASSWORD, "viewer", actor="test")
    for planted in ("fixed", accounts.start_session(site.db, theirs, hours=1)[0]):
        visitor = site.visitor()
        csrf = visitor.page("/admin/sign-in").hidden("csrf")
        visitor.client.cookies.set("captious_session", planted)
        fields = {"csrf": csrf, "name": "lea", "password": PASSWORD}
        answer = visitor.post("/admin/sign-in", data=fields)
        token = answer.cookies["captious_session"]
        assert token != planted
        opened = accounts.session(site.db, token)
        assert opened is not None
        assert opened.account == made
        planted_now = accounts.session(site.db, planted)
        assert planted_now is None or planted_now.account == theirs


def test_a_link_begins_a_session_of_its_own(site: Any) -> None:
    _, address = site.invite(site.campaign())
    visitor = site.visitor()
    csrf = visitor.page(address).hidden("csrf")
    visitor.client.cookies.set("captious_session_dogs", "fixed")
    answer = visitor.post(address, data={"csrf": csrf})
    assert answer.cookies["captious_session_dogs"] != "fixed"


# Everything that is shown.


@pytest.fixture
def hostile(site: Any) -> Campaign:
    """Script, formulas and paths in every text that a person can give."""
    images = [SCRIPT, "../../etc/passwd", FORMULA]
    order = [(image, system) for image in images for system in (SCRIPT, "@SUM(1)")]
    corpus = Corpus.from_lists(
        [f"{FORMULA} {SCRIPT} {at}" for at, _ in enumerate(order)],
        [[f"{SCRIPT} {image}"] for image, _ in order],
        image_ids=[image for image, _ in order],
        systems=[system for _, system in order],
    )
    draft = create.draft(
        "tagging",
        corpus,
        title=SCRIPT,
        slug="hostile",
        options={"raters": 2, "two_rounds": False},
        settings=Settings(instructions=SCRIPT, contact=SCRIPT, currency=SCRIPT[:8]),
        images={image: site._picture(at) for at, image in enumerate(images)},
    )
    found = lifecycle.open_campaign(site.db, create.create(site.db, draft, actor=SCRIPT), actor=SCRIPT)
    people = [NewRater(f"{FORMULA} {SCRIPT} {at}", "+x@example.org") for at in range(2)]
    added = raters.add(site.db, found, people, actor=SCRIPT)
    for at, rater in enumerate(added):
        while tasks := assignment.next_tasks(site.db, found, rater):
            for task in tasks:
                verdict = {"verdict": "complete" if at else "unrelated"}
                outcome = responses.respond(site.db, rater, task.token, verdict, key=task.token)
                assert isinstance(outcome, Receipt)
    raters.remove(site.db, added[1], reason=SCRIPT, actor=SCRIPT)
    raters.reinstate(site.db, added[1], actor=SCRIPT)
    return found


def crawl(visitor: Any, read_page: Any, start: str) -> dict[str, Any]:
    """Every page that links lead to from a start."""
    found: dict[str, Any] = {}
    waiting = [start]
    while waiting:
        address = waiting.pop()
        if address in found or len(found) > 150:
            continue
        answer = visitor.get(address)
        found[address] = answer
        if answer.headers.get("content-type", "").startswith("text/html"):
            page = read_page(answer.text)
            hrefs = [one["href"] for one in page.links if one.get("href")]
            waiting += [
                urlsplit(href)._replace(fragment="").geturl()
                for href in hrefs
                if href.startswith("/") and not href.startswith("//")
            ]
        elif answer.is_redirect:
            waiting.append(answer.headers["location"])
    return found


def inline(page: Any) -> list[str]:
    """Elements that would run or look as someone wrote into the page."""
    return [
        tag
        for tag, one in page.tags
        if tag == "style"
        or (tag == "script" and not one.get("src"))
        or any(name == "style" or name.startswith("on") for name in one)
    ]


def elsewhere(page: Any) -> list[str]:
    """Addresses in a page that lead to another site."""
    given = [
        one[name]
        for _, one in page.tags
        for name in ("src", "href", "action", "srcset", "formaction", "poster", "data")
        if one.get(name)
    ]
    return [
        one for one in given if urlsplit(one).netloc or (urlsplit(one).scheme not in ("", "data", "mailto"))
    ]


@pytest.mark.parametrize("who", ["outsider", "rater", "owner"])
def test_no_page_runs_what_people_wrote_or_asks_another_site(
    site: Any, hostile: Campaign, read_page: Any, who: str
) -> None:
    lifecycle.extend(site.db, hostile, target=3, actor="lea")
    visitor = site.visitor()
    if who == "rater":
        visitor, _ = site.rater(hostile, SCRIPT)
    elif who == "owner":
        visitor = site.account("owner")
    start = {"outsider": "/", "rater": "/work/hostile", "owner": "/admin"}[who]
    found = crawl(visitor, read_page, start)
    assert len(found) >= {"outsider": 2, "rater": 3, "owner": 20}[who]
    for address, answer in found.items():
        assert answer.status_code in (200, 303, 307), (address, answer.status_code)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, address
        if answer.headers.get("content-type", "").startswith("text/html"):
            text = answer.text
            assert "<script>alert" not in text, address
            assert "<img src=x" not in text, address
            page = read_page(text)
            assert inline(page) == [], address
            assert elsewhere(page) == [], address


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(site: Any) -> None:
    _, address = site.invite(site.campaign())
    visitor = site.visitor()
    answers = [visitor.get(address), visitor.get("/admin/sign-in")]
    answers.append(visitor.post(address, data={"csrf": visitor.page(address).hidden("csrf")}))
    given = [line for one in answers for line in one.headers.get_list("set-cookie")]
    assert given
    for line in given:
        assert "HttpOnly" in line
        assert "samesite=lax" in line.lower()
        assert "domain=" not in line.lower()


def test_spreadsheets_find_no_formula_in_an_export(site: Any, hostile: Campaign) -> None:
    owner = site.account("owner")
    allowed = replace(hostile.settings, identities_in_export=True)
    lifecycle.change_settings(site.db, hostile, allowed, actor="lea")
    csrf = owner.page("/admin/c/hostile/exports").hidden("csrf")
    fields = {"csrf": csrf, "format-csv": "yes", "identities": "yes", "confirm": "yes"}
    answer = owner.post("/admin/c/hostile/exports", data=fields)
    assert answer.status_code == 200
    formulas = 0
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert all(".." not in name and not name.startswith("/") for name in archive.namelist())
        for name in archive.namelist():
            if name.endswith(".csv"):
                text = archive.read(name).decode()
                cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
                bad = [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))]
                assert [c for c in bad if not _is_number(c)] == [], name
                formulas += sum(c.startswith(("'=", "'@", "'+")) for c in cells)
    assert formulas


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# Bodies and addresses.


def test_depth_and_size_of_json_break_nothing(site: Any) -> None:
    campaign = site.campaign("humanr", images=4)
    visitor, _ = site.rater(campaign)
    work = visitor.get("/api/work/dogs").json()
    address = f"/api/work/dogs/{work['tasks'][0]['task']}"
    headers = {"Idempotency-Key": "k", "X-CSRF-Token": work["csrf"], "Content-Type": "application/json"}
    bad = ["[" * depth + "]" * depth for depth in (100, *range(850, 1000, 10), 50_000)]
    bad += ["1" + "0" * 400, "1" * 5000, "NaN", "1e999", "-Infinity", "true", '{"a": 1}', '"five"']
    for value in bad:
        body = f'{{"answers": {{"preference": {value}}}}}'
        answer = visitor.post(address, content=body, headers=headers)
        assert answer.status_code in (400, 422), value[:20]
    assert rows(site, campaign) == 0


@pytest.mark.parametrize("length", ["9" * 5000, "99999999999", "1e9", "²", "-1", ""])
def test_a_stated_length_may_be_anything(site: Any, length: str) -> None:
    visitor, _ = site.rater(site.campaign())
    action = visitor.page("/work/dogs").action()
    headers = {
        b"content-length": length.encode("latin-1"),
        b"content-type": b"application/x-www-form-urlencoded",
    }
    answer = visitor.post(action, content=b"", headers=headers)
    assert answer.status_code in (403, 413)


@pytest.mark.parametrize(
    "path",
    [
        "/images/dogs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/images/..%2f..%2fetc/passwd",
        "/static/%2e%2e/%2e%2e/pages.py",
        "/static/..%5c..%5cpages.py",
        "/static//etc/passwd",
        "/admin/drafts/..%2f..%2fx",
        "/admin/drafts/" + "0" * 31 + "%2f",
        "/images/dogs/" + "a" * 5000,
        "/admin/c/dogs/disagreements/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/work/dogs/%ED%A0%80",
        "/work/%FF%FE",
        "/api/work/dogs%00",
    ],
)
def test_no_address_leads_out_or_breaks(site: Any, path: str) -> None:
    campaign = site.campaign()
    rater, _ = site.rater(campaign)
    for visitor in (site.visitor(), rater, site.account("owner")):
        answer = visitor.get(path)
        assert answer.status_code in (303, 307, 401, 404, 422), path
        assert "root:" not in answer.text
        assert "import " not in answer.text


def test_a_protocol_that_refers_to_itself_without_end_is_refused(site: Any) -> None:
    owner = site.account("owner")
    csrf = owner.page("/admin/new/generic").hidden("csrf")
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    bomb = "\n".join([*lines, "name: q", "kind: likert", "questions: *a11"])
    fields = {"csrf": csrf, "title": "x", "protocol_text": bomb}
    file = {"candidates": ("a.json", b'[{"image_id": 1, "caption": "a"}]')}
    answer = owner.post("/admin/new/generic", data=fields, files=file)
    assert answer.status_code == 422
    assert len(answer.text) < 100_000


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xff\xfe\x00",
        b"PAR1" + b"\0" * 20 + b"PAR1",
        b"\x1f\x8b\x08" + b"\0" * 30,
        b'[{"image_id": 1' + b"0" * 400 + b', "caption": "x"}]',
        b'[{"image_id": "a\\u0000b", "caption": "x"}]',
        b'[{"image_id": "\\ud800", "caption": "x"}]',
        b'[{"image_id": 1, "caption": "a\\u0000"}]',
    ],
)
def test_uploads_of_any_bytes_are_answered(site: Any, content: bytes) -> None:
    owner = site.account("owner")
    csrf = owner.page("/admin/new/tagging").hidden("csrf")
    file = {"candidates": ("a.json", content)}
    answer = owner.post("/admin/new/tagging", data={"csrf": csrf, "title": "x"}, files=file)
    assert answer.status_code in (303, 422)
    if answer.status_code == 303:
        made = owner.post(f"{answer.headers['location']}/create", data={"csrf": csrf})
        assert made.status_code in (303, 422)


# The log of a real server.


def ask(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_no_token_and_no_secret_is_in_the_log(sqlite_url: str, tmp_path: Path) -> None:
    secret, token = "hushhush" * 5, "QUJD" * 21
    serve = "import sys; from captious.cli.main import main; sys.exit(main())"
    log = tmp_path / "log"
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [sys.executable, "-c", serve, "serve", "--database", sqlite_url, "--port", "0"],
            stdout=out,
            stderr=out,
            env=os.environ | {"CAPTIOUS_SECRET": secret},
        ) as server,
    ):
        try:
            until = time.monotonic() + 90
            while "captious is running at" not in log.read_text() or "startup complete" not in (
                log.read_text()
            ):
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)
            found = re.search(r"captious is running at (\S+)", log.read_text())
            assert found is not None
            for door in ("join", "setup", "demo", "%6aoin", "/join"):
                assert ask(f"{found[1]}/{door}/{token}") in (403, 404)
        finally:
            server.terminate()
    said = log.read_text()
    assert "/join/" in said
    assert token not in said
    assert secret not in said
