from __future__ import annotations

import string
from pathlib import Path

import pytest

from captious.campaigns.people import accounts, links, raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle
from captious.web import entrance
from captious.web.guard import tickets

DAY = 24 * 3600


def test_looking_at_a_link_does_not_use_it_up(site) -> None:
    campaign = site.campaign(settings=Settings(instructions="Be kind.", contact="a@example.org"))
    rater, address = site.invite(campaign)
    scanner, visitor = site.visitor(), site.visitor()
    for _ in range(3):
        assert scanner.get(address).status_code == 200
    page = visitor.page(address)
    for said in ("Dogs", "Be kind.", "a@example.org", rater.pseudonym, "Start"):
        assert said in page.text
    answer = visitor.post(address, data={"csrf": page.hidden("csrf")})
    assert answer.headers["location"] == f"/work/{campaign.slug}"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert "secure" not in cookie.lower()
    assert visitor.get(f"/work/{campaign.slug}").status_code == 200


def test_the_guide_is_announced_only_if_there_is_one(site, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nkind: likert\nquestions: [{aspect: helpful, ask: How helpful}]\n")
    said = "You can open the rating guide at any time"
    for protocol, announced in (("tagging", True), (str(mine), False)):
        _, address = site.invite(site.campaign(protocol, title=f"With {announced}"))
        assert (said in site.visitor().page(address).text) is announced


def test_https_makes_the_cookie_secure(make_site, site) -> None:
    secure = make_site(site.db, base_url="https://a.example", secure_cookies=True)
    campaign = secure.campaign()
    _, address = secure.invite(campaign)
    visitor = secure.visitor()
    visitor.client.base_url = "https://testserver"
    answer = visitor.post(address, data={"csrf": visitor.page(address).hidden("csrf")})
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.headers["strict-transport-security"].startswith("max-age=")


def test_a_used_link_does_not_open_again(site) -> None:
    campaign = site.campaign()
    _, address = site.invite(campaign)
    first, thief = site.visitor(), site.visitor()
    first_page, thief_page = first.page(address), thief.page(address)
    assert first.post(address, data={"csrf": first_page.hidden("csrf")}).status_code == 303
    answer = thief.post(address, data={"csrf": thief_page.hidden("csrf")})
    assert answer.status_code == 410
    assert "has already been used in another browser" in answer.text
    assert thief.get(f"/work/{campaign.slug}").status_code == 401
    # The one who used it goes straight on to the work, however they come.
    for again in (first.get(address), first.post(address, data={"csrf": first_page.hidden("csrf")})):
        assert (again.status_code, again.headers["location"]) == (303, f"/work/{campaign.slug}")


def test_forged_and_changed_links_open_nothing(site) -> None:
    _, address = site.invite(site.campaign())
    middle = address[:30] + ("A" if address[30] != "A" else "B") + address[31:]
    for wrong in (middle, "/join/x", "/join/" + "A" * 5000, "/join/%F0%9F%90%B6", address + "="):
        answer = site.visitor().get(wrong)
        assert answer.status_code == 403, wrong
        assert "The link is not valid" in answer.text


def test_a_used_link_in_another_spelling_is_refused(site) -> None:
    _, address = site.invite(site.campaign())
    visitor, thief = site.visitor(), site.visitor()
    csrf = thief.page(address).hidden("csrf")
    visitor.post(address, data={"csrf": visitor.page(address).hidden("csrf")})
    for last in string.ascii_letters + string.digits + "-_":
        other = address[:-1] + last
        assert thief.get(other).status_code in (403, 410)
        assert thief.post(other, data={"csrf": csrf}).status_code in (403, 410)


def test_expired_revoked_and_closed_links_say_so(site, clock) -> None:
    campaign = site.campaign(settings=Settings(link_days=1))
    rater, revoked = site.invite(campaign)
    links.revoke(site.db, rater, actor="lea")
    assert "withdrawn" in site.visitor().get(revoked).text
    _, address = site.invite(campaign, "Ben")
    clock.move(2 * DAY)
    answer = site.visitor().get(address)
    assert (answer.status_code, "expired" in answer.text) == (410, True)
    _, late = site.invite(campaign, "Cleo")
    lifecycle.close(site.db, campaign, actor="lea")
    assert "closed" in site.visitor().get(late).text


def test_a_session_ends_with_the_time_of_links(site, clock) -> None:
    campaign = site.campaign(settings=Settings(link_days=1))
    visitor, _ = site.rater(campaign)
    clock.move(2 * DAY)
    assert visitor.get(f"/work/{campaign.slug}").status_code == 401


def test_one_browser_works_for_two_campaigns(site) -> None:
    one, two = site.campaign(title="One"), site.campaign(title="Two")
    visitor, _ = site.rater(one)
    _, address = site.invite(two)
    visitor.post(address, data={"csrf": visitor.page(address).hidden("csrf")})
    assert visitor.get("/work/one").status_code == visitor.get("/work/two").status_code == 200
    home = visitor.page("/").text
    assert "Continue with One" in home
    assert "Continue with Two" in home


def test_leaving_ends_the_session(site) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    kept = dict(visitor.client.cookies)
    csrf = visitor.page(address).hidden("csrf")
    assert visitor.post("/leave", data={"slug": campaign.slug, "csrf": "x"}).status_code == 403
    answer = visitor.post("/leave", data={"slug": campaign.slug, "csrf": csrf})
    assert answer.status_code == 303
    visitor.client.cookies.update(kept)
    assert visitor.get(address).status_code == 401


def test_a_removed_rater_cannot_come_in_by_a_link(site) -> None:
    campaign = site.campaign()
    rater, address = site.invite(campaign)
    raters.remove(site.db, rater, reason="asked to", actor="lea")
    visitor = site.visitor()
    answer = visitor.get(address)
    if answer.status_code == 200:
        csrf = visitor.page(address).hidden("csrf")
        visitor.post(address, data={"csrf": csrf})
        assert "Your part has ended" in visitor.get(f"/work/{campaign.slug}").text
    else:
        assert answer.status_code == 410


@pytest.fixture
def setup_address(site) -> str:
    ticket = tickets.issue(site.settings.secret, entrance.SETUP, "owner", now=site.db.now(), hours=1)
    return f"/setup/{ticket}"


def owner(visitor, address: str, **changed: str):
    csrf = visitor.page(address).hidden("csrf")
    data = {"csrf": csrf, "name": "Lea", "password": "correct horse", "again": "correct horse"}
    return visitor.post(address, data=data | changed)


def test_the_first_owner_is_set_up_once(site, setup_address: str) -> None:
    visitor = site.visitor()
    answer = owner(visitor, setup_address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin")
    assert [(one.name, one.role) for one in accounts.accounts(site.db)] == [("Lea", "owner")]
    assert visitor.get("/admin").status_code == 200
    assert site.visitor().get(setup_address).status_code == 403


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"again": "another horse"}, "do not match"),
        ({"password": "short", "again": "short"}, "characters"),
        ({"name": "   "}, "name"),
    ],
)
def test_a_set_up_that_is_not_right_is_shown_again(
    site, setup_address: str, changed: dict[str, str], said: str
) -> None:
    answer = owner(site.visitor(), setup_address, **changed)
    assert answer.status_code == 422
    assert said in answer.text
    assert accounts.accounts(site.db) == []


def test_a_set_up_address_expires_and_cannot_be_forged(site, setup_address: str, clock) -> None:
    assert site.visitor().get(setup_address[:-3] + "000").status_code == 403
    assert site.visitor().get("/setup/owner.99999999999.ab.cd").status_code == 403
    assert site.visitor().get("/setup/x").status_code == 403
    clock.move(2 * 3600)
    assert site.visitor().get(setup_address).status_code == 403


def test_the_demo_is_entered_again_after_signing_out_and_only_in_a_demo(make_site, site) -> None:
    demo = make_site(site.db, demo=True)
    accounts.create_account(site.db, "demo", "correct horse battery", "owner", actor="demo")
    ticket = tickets.issue(demo.settings.secret, entrance.DEMO, "demo", now=site.db.now(), hours=1)
    address = f"/demo/{ticket}"
    assert site.visitor().get(address).status_code == 403
    visitor = demo.visitor()
    csrf = visitor.page(address).hidden("csrf")
    assert visitor.post(address, data={"csrf": csrf}).headers["location"] == "/admin"
    out = visitor.page("/admin").hidden("csrf")
    assert visitor.post("/admin/sign-out", data={"csrf": out}).status_code == 303
    assert visitor.get("/admin").status_code != 200
    again = visitor.page(address).hidden("csrf")
    assert visitor.post(address, data={"csrf": again}).headers["location"] == "/admin"
    assert visitor.get("/admin").status_code == 200


@pytest.mark.parametrize("slug", ["", "no-such", "\U000d286c", "a; b=c", "x" * 5000])
def test_leaving_what_nobody_is_in_leads_home(site, slug: str) -> None:
    answer = site.visitor().post("/leave", data={"slug": slug})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
