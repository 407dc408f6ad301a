"""The application below a path of another site: every address that it gives leads back to it."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

PREFIX = "/lab/captious"
ADDRESSES = ("href", "src", "action", "formaction", "poster")


@pytest.fixture
def below(make_site: Any, site: Any) -> Any:
    return make_site(site.db, base_url=f"https://uni.example{PREFIX}")


def visitor(below: Any) -> Any:
    """A browser that asks the larger site, which forwards addresses as they are."""
    return type(below.visitor())(
        TestClient(below.app, base_url="https://uni.example", raise_server_exceptions=False)
    )


def crawl(who: Any, read_page: Any, start: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    waiting = [start]
    while waiting and len(found) < 40:
        address = waiting.pop()
        if address in found:
            continue
        answer = found[address] = who.get(address)
        if answer.is_redirect:
            waiting.append(answer.headers["location"])
        elif answer.headers.get("content-type", "").startswith("text/html"):
            given = [
                value.partition("#")[0]
                for tag, one in read_page(answer.text).tags
                for name, value in one.items()
                if name in ADDRESSES or (name.startswith("data-") and value.startswith("/"))
                if not value.startswith(("#", "data:", "mailto:", "?"))
                if tag != "form" or one.get("method") != "get"
            ]
            assert all(one.startswith(PREFIX + "/") or one == PREFIX for one in given), (address, given)
            links = [one.get("href", "").partition("#")[0] for one in read_page(answer.text).links]
            waiting += [one for one in links if one.startswith("/")]
            waiting += [
                one["src"] for tag, one in read_page(answer.text).tags if tag != "iframe" and one.get("src")
            ]
    return found


def test_a_raters_work_goes_on_below_the_path(below: Any, read_page: Any, answer_pairs: Any) -> None:
    campaign = below.campaign("tagging", raters=2, two_rounds=False)
    rater, link = below.invite(campaign)
    who = visitor(below)
    page = read_page(who.get(PREFIX + link).text)
    answer = who.post(PREFIX + link, data={"csrf": page.hidden("csrf")})
    assert answer.headers["location"] == f"{PREFIX}/work/dogs"
    paths = {cookie.name: cookie.path for cookie in who.client.cookies.jar}
    assert set(paths.values()) == {PREFIX}, paths
    page = read_page(who.get(f"{PREFIX}/work/dogs").text)
    assert page.action().startswith(f"{PREFIX}/work/dogs/")
    fields = answer_pairs(below.task(campaign, rater)) | {"csrf": page.hidden("csrf"), "key": "k"}
    answer = who.post(page.action(), data=fields, headers={"Accept": "application/json"})
    assert answer.json()["next"].startswith(f"{PREFIX}/work/dogs")
    found = crawl(who, read_page, f"{PREFIX}/work/dogs")
    assert len(found) > 5
    assert {one.status_code for one in found.values()} <= {200, 303}


def test_an_account_finds_every_page_below_the_path(below: Any, read_page: Any) -> None:
    below.campaign()
    owner = below.account("owner")
    who = visitor(below)
    who.client.cookies.set("captious_session", owner.client.cookies["captious_session"])
    found = crawl(who, read_page, f"{PREFIX}/admin")
    assert len(found) > 20
    assert {one.status_code for one in found.values()} <= {200, 303}


def test_a_proxy_may_have_taken_the_path_off(below: Any, read_page: Any) -> None:
    answer = visitor(below).get("/admin")
    assert answer.headers["location"] == f"{PREFIX}/admin/sign-in?next=/admin"
    assert f'href="{PREFIX}/static/site.css' in visitor(below).get("/").text


def test_lengths_are_those_of_what_is_sent(below: Any) -> None:
    for path in ("/", "/admin/sign-in", "/nowhere", "/static/site.css"):
        answer = visitor(below).get(PREFIX + path, headers={"Accept-Encoding": "identity"})
        assert int(answer.headers["content-length"]) == len(answer.content)
    assert visitor(below).client.head(f"{PREFIX}/static/site.css").status_code == 200
