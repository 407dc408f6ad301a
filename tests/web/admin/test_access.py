"""Who may do what: every route, every role, and nobody without the token of the page."""

from __future__ import annotations

import re
from typing import Any

import pytest

PUBLIC = ("/admin/sign-in",)
OWNERS = ("/admin/accounts", "/api/admin/accounts", "/admin/log", "/api/admin/log")
# What a viewer may post: signing out, their own password, and an export without names.
FOR_VIEWERS = ("/admin/sign-out", "/admin/account", "/admin/c/{slug}/exports")
FOR_MANAGERS = (
    "/admin/new",
    "/admin/drafts",
    "/api/admin/drafts",
    "/admin/c/{slug}/do/",
    "/admin/c/{slug}/raters/{rater_id}/remove",
    "/admin/c/{slug}/raters/{rater_id}/erase",
    "/admin/c/{slug}/add",
)


def routes(site: Any) -> list[tuple[str, str]]:
    paths = site.app.openapi()["paths"]
    return [
        (method, path)
        for path, found in paths.items()
        for method in found
        if path.startswith(("/admin", "/api/admin"))
    ]


def filled(path: str, campaign: Any) -> str:
    values = {
        "slug": campaign.slug,
        "action": "pause",
        "rater_id": "1",
        "flag_id": "1",
        "item": "x",
        "token": "0" * 32,
        "number": "0",
        "place": "1",
        "protocol": "tagging",
        "account_id": "1",
        "key": "0" * 32,
        "note": "1",
        "kind": "results",
        "form": "csv",
    }
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)


def test_every_route_is_documented(site: Any) -> None:
    found = routes(site)
    assert len(found) >= 50
    for method, path in found:
        statuses = site.app.openapi()["paths"][path][method]["responses"]
        assert "422" in statuses


def test_an_outsider_gets_nothing(site: Any, tagged: Any) -> None:
    visitor = site.visitor()
    for method, path in routes(site):
        if path in PUBLIC:
            continue
        address = filled(path, tagged)
        answer = visitor.get(address) if method == "get" else visitor.post(address, data={"a": "b"})
        if path.startswith("/api"):
            assert answer.status_code == 401, path
            assert set(answer.json()) == {"error", "problems"}
        else:
            assert answer.status_code == 303, (method, path)
            assert answer.headers["location"].startswith("/admin/sign-in")
        assert "Dogs" not in answer.text


def test_a_rater_is_an_outsider_here(site: Any, tagged: Any) -> None:
    visitor, _ = site.rater(tagged, "Eve")
    for method, path in routes(site):
        if path in PUBLIC:
            continue
        address = filled(path, tagged)
        answer = visitor.get(address) if method == "get" else visitor.post(address, data={"a": "b"})
        assert answer.status_code in (401, 303), (method, path)


def test_a_viewer_changes_nothing(site: Any, viewer: Any, tagged: Any) -> None:
    for method, path in routes(site):
        if path in (*PUBLIC, *FOR_VIEWERS) and method == "post":
            continue
        address = filled(path, tagged)
        if method == "post":
            assert viewer.post(address, reason="x", decision="upheld").status_code == 403, path
        elif path.startswith((*OWNERS, *FOR_MANAGERS)):
            assert viewer.get(address).status_code == 403, path


OF_THE_CAMPAIGN = ("/admin/c/{slug}", "/api/admin/c/{slug}")


@pytest.mark.parametrize("site_role", ["viewer", "manager"])
@pytest.mark.parametrize("role", ["", "viewer", "manager", "owner"])
def test_what_an_account_may_do_depends_on_its_role_in_the_campaign(
    site: Any, tagged: Any, site_role: str, role: str
) -> None:
    from captious.campaigns.people import members

    visitor = site.account(site_role)
    members.set_role(site.db, tagged, f"{site_role} one", role, actor="test")
    csrf = visitor.page("/admin").hidden("csrf")
    assert ("Dogs" in visitor.page("/admin").text) == bool(role)
    for method, path in routes(site):
        if not path.startswith(OF_THE_CAMPAIGN) or (role == "owner" and path.endswith("/delete")):
            continue
        address = filled(path, tagged)
        if method == "get":
            status = visitor.get(address).status_code
        else:
            status = visitor.post(address, data={"csrf": csrf, "name": "no", "reason": ""}).status_code
        if not role:
            assert status == 404, (method, path)
        elif (
            role == "viewer"
            and (path.startswith(FOR_MANAGERS) or (method == "post" and path not in FOR_VIEWERS))
        ) or (role == "manager" and method == "post" and path.endswith(("/access", "/delete"))):
            assert status == 403, (method, path)
        elif role != "viewer" and (method == "get" or path not in FOR_VIEWERS):
            assert status not in (401, 403), (method, path)
    digest = next((site.db.files / "images").glob("*/*")).name
    picture = visitor.get(f"/images/{tagged.slug}/{digest}").status_code
    assert picture == (200 if role else 401)


def test_an_owner_of_a_campaign_gives_its_roles(site: Any, owner: Any, manager: Any, tagged: Any) -> None:
    here = f"/admin/c/{tagged.slug}/access"
    assert owner.post(here, account="manager one", role="owner").status_code == 303
    assert manager.post(here, account="nobody", role="viewer").status_code == 422
    assert manager.post(here, account="manager one", role="king").status_code == 422
    assert {"account": "manager one", "role": "owner"} in manager.twin(here)["members"]
    assert manager.post(here, account="manager one", role="").status_code == 303
    assert manager.get(here).status_code == 404


def test_a_campaign_is_deleted_on_its_page_once_its_name_is_typed(site: Any, owner: Any, tagged: Any) -> None:
    address = f"/admin/c/{tagged.slug}/delete"
    assert "to delete it" in owner.post(address, name="another").text
    assert owner.post(address, name=tagged.slug).headers["location"].startswith("/admin")
    assert owner.get(f"/admin/c/{tagged.slug}").status_code == 404


def test_a_rater_is_erased_on_the_lead_s_page(site: Any, owner: Any, tagged: Any) -> None:
    (first, *_) = owner.twin(f"/admin/c/{tagged.slug}/raters")["raters"]
    address = f"/admin/c/{tagged.slug}/raters/{first['id']}/erase"
    assert first["pseudonym"] in owner.text(address)
    assert owner.post(address).status_code == 303
    text = owner.text(f"/admin/c/{tagged.slug}/raters")
    assert first["name"] not in text
    assert "erased-1" in text
    assert owner.twin(f"/admin/c/{tagged.slug}/access")["erased"] == 1


def test_a_manager_is_no_owner(site: Any, manager: Any) -> None:
    for path in OWNERS:
        assert manager.get(path).status_code == 403
    answer = manager.post("/admin/accounts", name="x", password="long enough", role="owner")
    assert answer.status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "0" * 64])
def test_no_write_without_the_pages_token(site: Any, owner: Any, tagged: Any, token: str) -> None:
    before = site.db.now(), owner.twin(f"/admin/c/{tagged.slug}/log")["entries"]
    for method, path in routes(site):
        if method == "post":
            data = {"csrf": token, "reason": "x", "decision": "upheld", "name": "n"}
            answer = owner.visitor.post(filled(path, tagged), data=data)
            assert answer.status_code == 403, path
    assert owner.twin(f"/admin/c/{tagged.slug}/log")["entries"] == before[1]


def test_a_token_of_another_session_is_none(site: Any, owner: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/do/pause"
    assert owner.visitor.post(address, data={"csrf": manager.csrf}).status_code == 403


def test_bodies_that_are_no_forms_are_refused(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/do/pause"
    headers = {"X-CSRF-Token": manager.csrf}
    answer = manager.visitor.post(address, json={"a": 1}, headers=headers)
    assert answer.status_code == 415
    nul = manager.visitor.post(
        f"/admin/c/{campaign.slug}/raters", data={"csrf": manager.csrf, "lines": "Ann\x00"}
    )
    assert nul.status_code == 422


def test_pages_carry_the_headers_that_keep_them_safe(manager: Any) -> None:
    headers = manager.get("/admin").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
